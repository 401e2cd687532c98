import { resolve } from "node:path";
import { Option } from "commander";
import type * as running from "../../commands/test/run-test";
import { failure, hasErrors } from "../../diagnostics/diagnostic";
import type * as testFile from "../../manifest/test-file";
import type * as testReports from "../../report/test-report";
import { writeWholeFile } from "../files";
import { formatOf, type Invocation, listOf } from "../invocation";
import { list, options } from "../options";
import { annotate, exitCodes, outStyle, report } from "../report";
import type { Verb } from "./verb";

export const testVerb: Verb = {
  usage: "test [path...]",
  summary: "Run the tests of manifests: *.rnvtest.yaml",
  status: "beta",
  detail:
    "Each test runs on an embedded service of its own, in memory: nothing is sent anywhere, no state is read or written, and no " +
    "variable of the environment but those that the test gives. Commands of a manifest are not run. Exit 1 when a test fails.",
  options: [
    list("--filter <text>", "only tests whose file or name holds this text"),
    new Option("--junit <file>", "also write the results there as JUnit"),
    new Option("--format <format>", "how to show it").choices(["text", "json"]).default("text"),
    options.json,
  ],
  examples: [
    ["rnv test", "all tests below this folder"],
    ["rnv test policies/ --junit tests.xml", "those of a folder, with a report for CI"],
    ["rnv test --filter production", "those about production"],
  ],
  handler: runTests,
};

/** `rnv test`: runs the tests of files and folders, and reports each as it ends. */
async function runTests(invocation: Invocation): Promise<number> {
  // Loaded where tests are run.
  const { readTests } = require("../../manifest/test-file") as typeof testFile;
  const { runTest } = require("../../commands/test/run-test") as typeof running;
  const { testJunit, testReport, testReportJson, testResultText, testSummaryText } =
    require("../../report/test-report") as typeof testReports;
  const { terminal, options: given, positional, cwd, signal } = invocation;
  const [places = []] = positional as readonly [(readonly string[])?];
  const { tests, diagnostics, sources } = readTests(cwd, places);
  report(invocation, diagnostics, sources);
  const chosen = chooseTests(tests, listOf(given.filter), hasErrors(diagnostics));
  const isText = formatOf(given) === "text";
  const style = outStyle(invocation);
  const started = performance.now();
  const results: testReports.TestResult[] = [];
  for (const test of chosen) {
    if (signal.aborted) break;
    const ran = await runTest(test, signal);
    if (isText && results.at(-1)?.file !== test.file)
      terminal.out(`${results.length === 0 ? "" : "\n"}${style.colors.bold(test.file)}\n`);
    results.push(ran.result);
    if (isText) terminal.out(testResultText(ran.result, ran.unexpected, ran.sources, style));
    if (isText) annotate(invocation, ran.unexpected, ran.sources);
  }
  const whole = testReport(results, (performance.now() - started) / 1000);
  if (!isText) terminal.out(testReportJson(whole));
  else if (results.length > 0) terminal.out(`\n${testSummaryText(whole, style)}`);
  if (typeof given.junit === "string")
    writeWholeFile(resolve(cwd, given.junit), testJunit(whole), { mode: 0o644 });
  if (signal.aborted) return exitCodes.interrupted;
  return whole.failed > 0 || hasErrors(diagnostics) ? exitCodes.error : exitCodes.done;
}

/** What runs nothing must not look as if all were well. */
function chooseTests(
  tests: readonly testFile.ManifestTest[],
  filters: readonly string[],
  hasMistakes: boolean,
): readonly testFile.ManifestTest[] {
  const chosen = tests.filter(
    ({ file, name }) => filters.length === 0 || filters.some((text) => `${file} ${name}`.includes(text)),
  );
  if (chosen.length > 0 || hasMistakes) return chosen;
  const why =
    tests.length === 0
      ? "there are no tests here: no file is named *.rnvtest.yaml"
      : `no test holds ${filters.map((text) => JSON.stringify(text)).join(" or ")}`;
  throw failure("test.invalid", why, {
    hint: "rnv schema test describes such a file; examples/policies has one",
  });
}
