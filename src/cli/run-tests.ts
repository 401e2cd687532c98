import { resolve } from "node:path";
import { runTest } from "../commands/test/run-test";
import { failure, hasErrors } from "../diagnostics/diagnostic";
import { type ManifestTest, readTests } from "../manifest/beside/test-file";
import { jsonText } from "../report/escape-text";
import {
  type TestResult,
  testJunit,
  testReport,
  testResultText,
  testSummaryText,
} from "../report/test-report";
import { writeWholeFile } from "./files";
import { formatOf, type Invocation, listOf } from "./invocation";
import { annotate, exitCodes, outStyle, report } from "./report";

/** `rnv test`: runs the tests of files and folders, and reports each as it ends. */
export async function runTests(invocation: Invocation): Promise<number> {
  const { terminal, options: given, positional, cwd, signal } = invocation;
  const [places = []] = positional as readonly [(readonly string[])?];
  const { tests, diagnostics } = readTests(cwd, places);
  report(invocation, diagnostics);
  const chosen = chooseTests(tests, listOf(given.filter), hasErrors(diagnostics));
  const isText = formatOf(given) === "text";
  const style = outStyle(invocation);
  const started = performance.now();
  const results: TestResult[] = [];
  for (const test of chosen) {
    if (signal.aborted) break;
    const ran = await runTest(test, signal);
    if (isText && results.at(-1)?.file !== test.file)
      terminal.out(`${results.length === 0 ? "" : "\n"}${style.colors.bold(test.file)}\n`);
    results.push(ran.result);
    if (isText) terminal.out(testResultText(ran.result, ran.unexpected, style));
    if (isText) annotate(invocation, ran.unexpected);
  }
  const whole = testReport(results, (performance.now() - started) / 1000);
  if (!isText) terminal.out(jsonText(whole));
  else if (results.length > 0) terminal.out(`\n${testSummaryText(whole, style)}`);
  if (typeof given.junit === "string")
    writeWholeFile(resolve(cwd, given.junit), testJunit(whole), { mode: 0o644 });
  if (signal.aborted) return exitCodes.interrupted;
  return whole.failed > 0 || hasErrors(diagnostics) ? exitCodes.error : exitCodes.done;
}

/** What runs nothing must not look as if all were well. */
function chooseTests(
  tests: readonly ManifestTest[],
  filters: readonly string[],
  hasMistakes: boolean,
): readonly ManifestTest[] {
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
