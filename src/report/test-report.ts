import * as z from "zod";
import type { Diagnostic } from "../diagnostics/diagnostic";
import { findingSchema, locationSchema } from "../model/apply-event";
import { type JunitCase, junit, planSuite } from "./ci/artifacts";
import { findingsText } from "./diagnostics";
import { escapeText } from "./escape-text";
import { coloured } from "./field-text";
import { counted } from "./plan-wording";
import { type Style, wrapLines } from "./style";

const lines = z.array(z.string());

const differenceSchema = z.strictObject({
  about: z.string().describe("What differs: `actions`, `policies`, `exit code` …"),
  lines: lines.describe("A diff: `-` is what was expected, `+` what there was, each before a blank."),
});

const resultSchema = z.strictObject({
  file: z.string(),
  line: z.int().min(1),
  name: z.string(),
  status: z
    .enum(["passed", "failed", "error"])
    .describe("`error`: what the test starts from could not be made."),
  seconds: z.number().min(0),
  differences: z.array(differenceSchema),
  diagnostics: z.array(findingSchema({ location: locationSchema.optional() })).describe("Unexpected errors."),
});

/** The report of `rnv test --format json`. */
export const testReportSchema = z.strictObject({
  format_version: z.literal("1.0"),
  passed: z.int().min(0),
  failed: z.int().min(0),
  seconds: z.number().min(0),
  tests: z.array(resultSchema),
});

export type TestReport = z.infer<typeof testReportSchema>;
export type TestResult = z.infer<typeof resultSchema>;
export type TestDifference = z.infer<typeof differenceSchema>;

export function testReport(tests: readonly TestResult[], seconds: number): TestReport {
  const passed = tests.filter(({ status }) => status === "passed").length;
  return {
    format_version: "1.0",
    passed,
    failed: tests.length - passed,
    seconds: rounded(seconds),
    tests: [...tests],
  };
}

export const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** One test: a line where it passes; else its position, the differences, and unexpected errors. */
export function testResultText(
  { name, status, file, line, differences }: TestResult,
  unexpected: readonly Diagnostic[],
  style: Style,
): string {
  const { colors } = style;
  const headed = (mark: string, text: string) => wrapLines(`  ${mark}  ${text}`, style, margin.length - 2);
  if (status === "passed") return `${headed(colors.green("pass"), escapeText(name))}\n`;
  const place = colors.dim(`${escapeText(file)}:${line}`);
  const found = findingsText(unexpected, { ...style, width: style.width - margin.length });
  const lines = [
    headed(colors.red("FAIL"), `${colors.bold(escapeText(name))}  ${place}`),
    ...differences.flatMap(({ about, lines }) => [
      `${margin}${about}`,
      ...lines.map((text) => `${margin}  ${coloured(text.charAt(0), escapeText(text), style)}`),
    ]),
    ...(found === "" ? [] : ["", ...found.split("\n").map((text) => margin + text), ""]),
  ];
  return `${lines.map((text) => text.trimEnd()).join("\n")}\n`;
}

const margin = " ".repeat(8);

export function testSummaryText({ passed, failed, seconds }: TestReport, { colors }: Style): string {
  const counts = [failed && colors.red(`${failed} failed`), passed && colors.green(`${passed} passed`)];
  const total = counted(passed + failed, "test");
  return `${total}: ${counts.filter(Boolean).join(", ") || "none was run"} (${seconds.toFixed(1)} s).\n`;
}

export function testJunit({ tests, seconds }: TestReport, diagnostics: readonly Diagnostic[]): string {
  const { cases, ...suite } = planSuite({ diagnostics }, "rnv test", seconds);
  return junit([{ ...suite, cases: [...cases, ...tests.map(caseOf)] }]);
}

function caseOf({ file, line, name, seconds, status, differences, diagnostics }: TestResult): JunitCase {
  if (status === "passed") return { type: file, name, seconds };
  const shown = differences.flatMap(({ about, lines }) => [about, ...lines.map((text) => `  ${text}`)]);
  const found = diagnostics.map(({ code, summary }) => `${code}: ${summary}`);
  const summary = `${file}:${line}: ${differences.map(({ about }) => about).join(", ")}`;
  const failure = { code: status, summary, hint: [...shown, ...found].join("\n") };
  return { type: file, name, seconds, failure };
}
