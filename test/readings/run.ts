import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseReadings, readingsText } from "../../src/emulator/readings";
import { writeFigures } from "../support/figures-page";
import { shrink } from "./shrink";

/** The suites of a seed, unless paths are named. */
const suites = ["together/(scenario|properties)", "test/scenario/", "terraform/life-cycle"];

interface PlayedTest {
  /** Path of its suite below `test`. */
  readonly suite: string;
  readonly name: string;
  readonly failure?: string;
}

/**
 * `npx tsx test/readings/run.ts FROM-TO [PATH…]`: plays the suites under each of these seeds, and names the rows without which a
 * test would not have failed.
 */
async function main(): Promise<number> {
  const [range = "1-50", ...paths] = process.argv.slice(2);
  const [from = 0, to = from] = range.split("-").map(Number);
  let played = 0;
  let failures = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const tests =
      paths.length > 0
        ? await playUnder(`${seed}`, paths, "test/jest.config.cjs")
        : await playUnder(`${seed}`, suites, "test/together.config.cjs");
    if (tests.length === 0) throw new Error("no suite is called that");
    const failed = tests.filter(({ failure }) => failure !== undefined);
    console.log(`seed ${seed}: ${tests.length} tests, ${failed.length} failed`);
    for (const test of failed)
      console.log(`FAILURE ${test.suite}: ${test.name}\n${await reasonOf(test, seed)}`);
    played += tests.length;
    failures += failed.length;
  }
  if (paths.length === 0 && failures === 0) writeFigures("tested", "readings", figures(from, to, played));
  return failures > 0 ? 1 : 0;
}

const figures = (from: number, to: number, played: number): string =>
  `The scenarios, the properties and Terraform's life cycle were played under the seeds ${from} to ${to} of [what the interface leaves
open](../../src/emulator/readings.ts): ${played.toLocaleString("en")} tests passed, none failed.

\`npx tsx test/readings/run.ts ${from}-${to}\` plays this.`;

async function reasonOf(test: PlayedTest, seed: number): Promise<string> {
  const fails = async (rows: readonly string[]): Promise<string | undefined> => {
    const played = await playUnder(rows.join(",") || "0", [`test/${test.suite}`], "test/jest.config.cjs");
    return played.find(({ name }) => name === test.name)?.failure;
  };
  const first = `${test.failure}`.replace(/^/gm, "    ");
  if ((await fails([])) !== undefined) return `  under the plain reading too\n${first}`;
  const rows = readingsText(parseReadings(`${seed}`)).split(",");
  const needed = await shrink(rows, async (tried) => (await fails(tried)) !== undefined);
  return `  RNV_READINGS=${needed.join(",")} npx jest test/${test.suite}\n${first}`;
}

/** Plays suites under readings; a suite that does not start is a failed test. */
async function playUnder(readings: string, paths: readonly string[], config: string): Promise<PlayedTest[]> {
  const folder = mkdtempSync(join(tmpdir(), "rnv-readings-"));
  const file = join(folder, "played.json");
  const args = ["jest", "--config", config, "--json", "--outputFile", file, "--silent", ...paths];
  const child = spawn("npx", args, { stdio: "ignore", env: { ...process.env, RNV_READINGS: readings } });
  await new Promise((resolve) => child.once("close", resolve));
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as JestResults;
  rmSync(folder, { recursive: true });
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const own = name.slice(name.lastIndexOf("/test/") + "/test/".length);
    if (assertionResults.length === 0) return [{ suite: own, name: "starts", failure: message }];
    return assertionResults
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ ancestorTitles, title, status, failureMessages }) => {
        const [first = "", ...rest] = [...ancestorTitles, title];
        const [suite, titles] = first.endsWith(".ts") ? [first, rest] : [own, [first, ...rest]];
        const failure = status === "failed" ? failureMessages.join("\n").slice(0, 3000) : undefined;
        return { suite, name: titles.join(" "), ...(failure !== undefined && { failure }) };
      });
  });
}

interface JestResults {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

main().then(
  (code) => process.exit(code),
  (cause: unknown) => {
    console.error(cause);
    process.exit(1);
  },
);
