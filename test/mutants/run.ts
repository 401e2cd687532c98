import { ownTempFolder } from "../support/temp-folder";
import { type Asking, Judge, type Verdict } from "./judge";
import type { Mutant } from "./mutations";
import { draw, folders, mutantsIn } from "./sample";
import { acceptedSurvivors, changeOf } from "./survivors";
import { openTree, type Tree } from "./tree";

/** `npx tsx test/mutants/run.ts`: see README.md in this folder. */
async function main(): Promise<number> {
  ownTempFolder();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => closeAll().then(() => process.exit(130)));
  const drawn = drawnMutants();
  if (process.argv.includes("--list")) {
    for (const mutant of drawn) console.log(lineOf(mutant));
    return 0;
  }
  const accepted = new Set(acceptedSurvivors().map(({ file, id }) => `${file} ${id}`));
  const isAccepted = ({ file, id }: Mutant): boolean => accepted.has(`${file} ${id}`);
  const verdicts = new Map<Mutant, Verdict>();
  const queue = drawn.filter((mutant) => option("--mutant") !== undefined || !isAccepted(mutant));
  const workers = Number(option("--workers") ?? 1);
  await Promise.all(Array.from({ length: workers }, () => judgeAll(queue, verdicts)));
  return report(drawn, verdicts);
}

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

function drawnMutants(): readonly Mutant[] {
  const only = (option("--only") ?? "").replace(/^src\//, "");
  const id = option("--mutant");
  const size = id === undefined ? Number(option("--sample") ?? 60) : Number.POSITIVE_INFINITY;
  const asked = only === "" ? folders : [only.split("/")[0] ?? ""];
  return asked
    .flatMap((folder) => draw(mutantsIn(folder, only), size, option("--seed") ?? "1"))
    .filter((mutant) => id === undefined || id.split(",").includes(mutant.id));
}

const trees = new Set<Tree>();
const closeAll = () => Promise.allSettled([...trees].map((tree) => tree.close()));

/** Takes mutants from the queue until it is empty. */
async function judgeAll(queue: Mutant[], verdicts: Map<Mutant, Verdict>): Promise<void> {
  const asking: Asking = {
    tests: (option("--tests") ?? "").split(",").filter((path) => path !== ""),
    every: Number(option("--every") ?? 150),
    scenarios: !process.argv.includes("--no-scenarios"),
    limitMs: Number(option("--limit") ?? 900) * 1000,
  };
  const tree = openTree();
  trees.add(tree);
  const judge = new Judge(tree, asking);
  try {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const startedAt = Date.now();
      const verdict = await judge.judge(mutant);
      verdicts.set(mutant, verdict);
      const told = verdict.kind === "killed" ? `killed    ${lineOf(mutant)}  by ${verdict.by}` : undefined;
      const note = verdict.kind === "survived" && verdict.note ? ` (${verdict.note})` : "";
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
      console.log(`${told ?? `SURVIVED  ${lineOf(mutant)}${note}`}  [${seconds} s]`);
    }
    for (const test of judge.broken) console.log(`FAILS WITHOUT A MUTANT, and was left out: ${test}`);
  } finally {
    await tree.close();
  }
}

const lineOf = (mutant: Mutant): string =>
  `src/${mutant.file}:${mutant.line} ${mutant.id} ${changeOf(mutant)}`;

const leastKilled = 0.9;

function report(drawn: readonly Mutant[], verdicts: ReadonlyMap<Mutant, Verdict>): number {
  const killed = (mutants: readonly Mutant[]): number =>
    mutants.filter((mutant) => verdicts.get(mutant)?.kind === "killed").length;
  console.log("\nkilled  accepted  survived  folder");
  let isEnough = true;
  for (const folder of new Set(drawn.map(({ file }) => file.split("/")[0]))) {
    const own = drawn.filter(({ file }) => file.startsWith(`${folder}/`));
    const accepted = own.filter((mutant) => !verdicts.has(mutant)).length;
    const share = killed(own) / own.length;
    isEnough &&= share >= leastKilled;
    const counts = [killed(own), accepted, own.length - killed(own) - accepted];
    console.log(
      `${counts
        .map(String)
        .map((text, at) => text.padStart([6, 8, 8][at] ?? 8))
        .join("  ")}  ${folder} (${(share * 100).toFixed(1)} %)`,
    );
  }
  const survivors = drawn.filter((mutant) => verdicts.get(mutant)?.kind === "survived");
  for (const mutant of survivors)
    console.log(`NEW SURVIVOR ${mutant.file} ${mutant.id} ${changeOf(mutant)}: REASON`);
  if (!isEnough) console.log(`fewer than ${leastKilled * 100} % are killed`);
  return isEnough && survivors.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (cause: unknown) => {
    console.error(cause);
    closeAll().then(() => process.exit(1));
  },
);
