import { resolve } from "node:path";
import { runTest } from "../commands/test/run-test";
import { trustOf } from "../declaration/trust";
import { type Diagnostic, failure, hasErrors } from "../diagnostics/diagnostic";
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
import type { Run } from "./open-target";
import { annotate, exitCodes, report } from "./screen";

interface TestValues {
  readonly paths: readonly string[];
  readonly filters: readonly string[];
  readonly junit: string | undefined;
}

/** Runs the tests of files and folders, and prints each result at its end. */
export async function runTests(
  { paths, filters, junit }: TestValues,
  { target: { environment, untrusted, runProgram }, screen }: Pick<Run, "target" | "screen">,
): Promise<number> {
  const { terminal, cwd, signal } = screen;
  const { style } = terminal;
  const isForbidden = trustOf({ environment, untrusted }).commandsForbiddenBy !== undefined;
  const { tests, diagnostics: mistakes } = readTests(cwd, paths);
  report(screen, mistakes);
  const chosen = chooseTests(tests, filters, mistakes);
  const isText = screen.format === "text";
  const started = performance.now();
  const results: TestResult[] = [];
  for (const test of chosen) {
    if (signal.aborted) break;
    const { result, unexpected } = await runTest(test, signal, isForbidden ? undefined : runProgram);
    if (isText && results.at(-1)?.file !== test.file)
      terminal.out(`${results.length === 0 ? "" : "\n"}${style.colors.bold(test.file)}\n`);
    results.push(result);
    if (isText) terminal.out(testResultText(result, unexpected, style));
    if (isText) annotate(screen, unexpected);
  }
  const whole = testReport(results, (performance.now() - started) / 1000);
  if (!isText) terminal.out(jsonText(whole));
  else if (results.length > 0) terminal.out(`\n${testSummaryText(whole, style)}`);
  if (junit !== undefined) writeWholeFile(resolve(cwd, junit), testJunit(whole, mistakes), { mode: 0o644 });
  if (signal.aborted) return exitCodes.interrupted;
  return whole.failed > 0 || hasErrors(mistakes) ? exitCodes.error : exitCodes.done;
}

/** Returns the tests that match a filter. Throws for no tests: an empty run must not succeed. */
function chooseTests(
  tests: readonly ManifestTest[],
  filters: readonly string[],
  mistakes: readonly Diagnostic[],
): readonly ManifestTest[] {
  const chosen = tests.filter(
    ({ file, name }) => filters.length === 0 || filters.some((text) => `${file} ${name}`.includes(text)),
  );
  if (chosen.length > 0 || hasErrors(mistakes)) return chosen;
  const why =
    tests.length === 0
      ? "there are no tests here: no file is named *.rnvtest.yaml"
      : `no test holds ${filters.map((text) => JSON.stringify(text)).join(" or ")}`;
  throw failure("test.invalid", why, {
    hint: "rnv schema test describes such a file; examples/policies has one",
  });
}
