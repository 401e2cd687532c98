import { readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Mutant } from "./mutations";
import type { Tree } from "./tree";

export type Verdict =
  | { readonly kind: "killed"; readonly by: string }
  /** Nothing noticed it; `note` says what was not asked in full. */
  | { readonly kind: "survived"; readonly note?: string };

/** Which tests are asked, beginning with those that are near. */
export interface Asking {
  /** Beginnings of paths: these test files are asked, wherever they are, and nothing else; none asks what is near. */
  readonly tests: readonly string[];
  /** The sample of the fault matrix: each `every`-th case; 0 leaves it out. */
  readonly every: number;
  readonly scenarios: boolean;
  readonly limitMs: number;
}

/** Judges mutants in one tree. What it learns of the tests makes the next judgement quicker. */
export class Judge {
  readonly #tree: Tree;
  readonly #asking: Asking;
  readonly #near = new Map<string, readonly string[]>();
  readonly #kills = new Map<string, number>();
  readonly #milliseconds = new Map<string, number>();
  /** Killers that pass without a mutant. */
  readonly #sound = new Set<string>();
  /** Tests that fail without a mutant: they prove nothing. */
  readonly broken = new Set<string>();

  constructor(tree: Tree, asking: Asking) {
    this.#tree = tree;
    this.#asking = asking;
  }

  async judge(mutant: Mutant): Promise<Verdict> {
    const isNamed = this.#asking.tests.length > 0;
    const first = isNamed ? this.#named() : await this.#testsNear(mutant.file);
    const deadline = Date.now() + this.#asking.limitMs;
    try {
      this.#tree.put(mutant);
      const scenarios = this.#asking.scenarios ? this.#testsBelow("test/scenario") : [];
      const others = mutant.file.startsWith("terraform/")
        ? [() => this.#ask(this.#testsBelow("test/terraform"), mutant, deadline)]
        : [() => this.#askMatrix(mutant, deadline), () => this.#ask(scenarios, mutant, deadline)];
      const stages = [() => this.#ask(first, mutant, deadline), ...(isNamed ? [] : others)];
      for (const stage of stages) {
        const verdict = await stage();
        if (verdict !== undefined) return verdict;
      }
      return { kind: "survived" };
    } finally {
      this.#tree.restore(mutant);
    }
  }

  async #ask(tests: readonly string[], mutant: Mutant, deadline: number): Promise<Verdict | undefined> {
    const asked = tests.filter((test) => !this.broken.has(test));
    if (asked.length === 0) return undefined;
    const { stopped, failed, failure } = await this.#jest(this.#inOrder(asked, mutant), deadline);
    if (stopped === "late") return { kind: "survived", note: "the time was up" };
    if (stopped === "hung") return { kind: "killed", by: "a test that hangs" };
    if (failed === undefined) return undefined;
    if (await this.#isSound(failed, mutant)) {
      this.#kills.set(failed, (this.#kills.get(failed) ?? 0) + 1);
      return { kind: "killed", by: `${failed}: ${failure}` };
    }
    return this.#ask(tests, mutant, deadline);
  }

  /** A test that fails with the tree as it is kills nothing. */
  async #isSound(test: string, mutant: Mutant): Promise<boolean> {
    if (this.#sound.has(test)) return true;
    this.#tree.restore(mutant);
    const { failed } = await this.#jest([test], Date.now() + this.#asking.limitMs);
    this.#tree.put(mutant);
    (failed === undefined ? this.#sound : this.broken).add(test);
    return failed === undefined;
  }

  async #jest(tests: readonly string[], deadline: number) {
    const order = join(this.#tree.folder, "order.json");
    writeFileSync(order, JSON.stringify(tests));
    const { output, stopped } = await this.#tree.run(
      { silenceMs: 180_000, totalMs: Math.max(1, deadline - Date.now()) },
      { RNV_MUTANTS_ORDER: order, RNV_SOAK: tests[0]?.startsWith("test/terraform/") ? "1" : "" },
      "node_modules/jest/bin/jest.js",
      ...["--runInBand", "--bail", "--silent", "--cacheDirectory", join(this.#tree.folder, ".jest")],
      ...[
        "--testSequencer",
        "./test/mutants/jest-order.cjs",
        "--reporters",
        "./test/mutants/jest-report.cjs",
      ],
      ...["--runTestsByPath", ...tests],
    );
    const ended = [...output.matchAll(/^@@(.*)$/gm)].map(([, line]) => JSON.parse(line ?? "") as TestFile);
    for (const { file, ms } of ended) this.#milliseconds.set(file, ms);
    const failed = ended.find(({ failure }) => failure !== undefined);
    if (ended.length === 0 && stopped === undefined) throw new Error(`jest did not run:\n${output}`);
    return { stopped, failed: failed?.file, failure: failed?.failure };
  }

  async #askMatrix(mutant: Mutant, deadline: number): Promise<Verdict | undefined> {
    if (this.#asking.every === 0 || this.broken.has(matrix)) return undefined;
    const ended = await this.#matrix(deadline);
    if (ended.stopped === "late") return { kind: "survived", note: "the time was up" };
    if (ended.code === 0) return undefined;
    if (!this.#sound.has(matrix)) {
      this.#tree.restore(mutant);
      const pristine = await this.#matrix(Date.now() + this.#asking.limitMs);
      this.#tree.put(mutant);
      (pristine.code === 0 ? this.#sound : this.broken).add(matrix);
      if (pristine.code !== 0) return undefined;
    }
    const found = /^(FAILURE|NEW STOP|Error:|\w*Error).*$/m.exec(ended.output)?.[0];
    return { kind: "killed", by: `${matrix}: ${found ?? ended.stopped ?? `exit ${ended.code}`}` };
  }

  #matrix(deadline: number) {
    return this.#tree.run(
      { silenceMs: this.#asking.limitMs, totalMs: Math.max(1, deadline - Date.now()) },
      {},
      ...["--import", "tsx", "test/faults/run.ts", "--every", String(this.#asking.every), "--seeds", "0-0"],
    );
  }

  /** The tests in the process that import a file, also by way of others. */
  async #testsNear(file: string): Promise<readonly string[]> {
    const known = this.#near.get(file);
    if (known !== undefined) return known;
    const { output, code } = await this.#tree.run(
      { silenceMs: 120_000, totalMs: 120_000 },
      {},
      ...["node_modules/jest/bin/jest.js", "--cacheDirectory", join(this.#tree.folder, ".jest")],
      ...["--listTests", "--roots", "src", "--roots", "test", "--findRelatedTests", `src/${file}`],
    );
    if (code !== 0) throw new Error(output);
    const found = output
      .split("\n")
      .filter((line) => line.startsWith(this.#tree.folder))
      .map((line) => line.slice(this.#tree.folder.length + 1))
      .filter((test) => /^test\/(unit|golden|property|contract)\//.test(test));
    this.#near.set(file, found);
    return found;
  }

  #named(): readonly string[] {
    return this.#testsBelow("test").filter((test) =>
      this.#asking.tests.some((path) => test.startsWith(path)),
    );
  }

  #testsBelow(folder: string): readonly string[] {
    return readdirSync(join(this.#tree.folder, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
  }

  /** Its own test first, then what has killed before, then what is quick. */
  #inOrder(tests: readonly string[], { file }: Mutant): readonly string[] {
    const own = `test/unit/${file.replace(/\.ts$/, ".test.ts")}`;
    const rank = (test: string): number => {
      if (test === own) return Number.NEGATIVE_INFINITY;
      const seconds = (this.#milliseconds.get(test) ?? this.#size(test) / 10) / 1000;
      const isClose = test.startsWith(`test/unit/${file.split("/")[0]}/`) || mentions(test, file);
      return seconds / (1 + 2 * (this.#kills.get(test) ?? 0) + (isClose ? 3 : 0));
    };
    return [...tests].sort((one, other) => rank(one) - rank(other));
  }

  #size(test: string): number {
    return statSync(join(this.#tree.folder, test)).size;
  }
}

const matrix = "test/faults/run.ts";

interface TestFile {
  readonly file: string;
  readonly ms: number;
  readonly failure?: string;
}

/** `local-lock` is in the name of `lock-wait` by one word. */
const mentions = (test: string, file: string): boolean => {
  const words = (path: string): readonly string[] => basename(path).replace(/\..*$/, "").split("-");
  return words(test).some((word) => word.length > 3 && words(file).includes(word));
};
