// Runs the unit and golden tests and a dozen scenarios on newer versions of Node:
// npx tsx tools/run-nodes.ts [VERSION ...] [OPTION OF JEST ...]
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { writeFigures } from "../test/support/figures-page";

const root = resolve(__dirname, "..");

/** Long-term versions after 20; `.ci/run` uses Node 20. */
const defaultVersions = ["22", "24", "26"];

/** Scenarios of features that differ between versions of Node: processes, signals, terminals, sockets, TLS and cryptography. */
const scenarios = [
  "at-terminal.test.ts",
  "ci-review.test.ts",
  "encryption.test.ts",
  "exit-codes.test.ts",
  "first-plan.test.ts",
  "fleet.test.ts",
  "html-pages.test.ts",
  "interruption.test.ts",
  "proxies.soak.ts",
  "references.test.ts",
  "saved-plan.test.ts",
  "stacks.test.ts",
].map((file) => `test/scenario/${file}`);

function main(args: readonly string[]): void {
  const wanted = args.filter((arg) => /^\d+(\.\d+){0,2}$/.test(arg));
  const options = args.filter((arg) => arg.startsWith("-"));
  const unknown = args.find((arg) => !wanted.includes(arg) && !options.includes(arg));
  if (unknown !== undefined) throw new Error(`"${unknown}" is neither a version of Node nor an option`);
  // jest takes a path as a pattern: a misspelt path would go unnoticed.
  const missing = scenarios.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) throw new Error(`${missing} does not exist`);
  const versions = wanted.length > 0 ? wanted : defaultVersions;
  const results = versions.map(installNode).map((node) => runTests(node, options));
  for (const { line } of results) console.log(line);
  const havePassed = results.every(({ hasPassed }) => hasPassed);
  if (args.length === 0 && havePassed) writeFigures("tested", "nodes", figures(results));
  process.exitCode = havePassed ? 0 : 1;
}

const figures = (results: readonly { readonly line: string }[]): string =>
  `The unit and golden tests and ${scenarios.length} scenarios on newer versions of Node:

${results.map(({ line }) => `- ${line}`).join("\n")}

\`npx tsx tools/run-nodes.ts\` plays this.`;

/** Installs the newest release of a version in the user's cache folder, unless it is there, and returns the path of its `node`. */
function installNode(version: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "rnv-nodes", version);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund"];
  execFileSync(
    "npm",
    ["install", `${name}@${version}`, "--no-save", "--ignore-scripts", "--prefix", folder, ...quiet],
    { stdio: "inherit" },
  );
  return join(folder, "node_modules", name, "bin/node");
}

/** Runs the tests on a `node`, which all programs that they start get too. */
function runTests(node: string, options: readonly string[]): { line: string; hasPassed: boolean } {
  const name = `Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1)}`;
  console.log(`\n${name}`);
  const { status, stdout, error } = spawnSync(
    node,
    [
      "node_modules/jest/bin/jest.js",
      // jest matches only *.test.ts by default; one scenario is a soak.
      "--testMatch=**/*.{test,soak}.ts",
      ...options,
      "--",
      "test/(unit|golden)/.*\\.test\\.ts$",
      ...scenarios,
    ],
    {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    },
  );
  if (error !== undefined) throw error;
  // The last line of test/support/count-reporter.cjs.
  const count = stdout.match(/(\d+ passed, .*)\n$/)?.[1];
  if (count === undefined)
    return { line: `${name}: no result, jest exited with code ${status}`, hasPassed: false };
  const readable = count.replace(/\d+/g, (digits) => Number(digits).toLocaleString("en"));
  return { line: `${name}: ${readable}`, hasPassed: status === 0 };
}

main(process.argv.slice(2));
