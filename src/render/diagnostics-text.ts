import { type Diagnostic, sortDiagnostics } from "../diagnostics/diagnostic";
import { codeFrame } from "./code-frame";
import { inertLines, inertText } from "./inert";
import { counted } from "./plan-wording";
import type { Style } from "./style";

export type Sources = ReadonlyMap<string, string>;

const noSources: Sources = new Map();

/**
 * Findings for people: `error[code]: summary`, the place with a code frame, detail and request id; sorted, a blank
 * line between, and a closing line with the counts (`2 errors, 1 warning`) unless `closing` is false. No findings: "".
 */
export function diagnosticsText(
  diagnostics: readonly Diagnostic[],
  style: Style,
  sources: Sources = noSources,
  options: { readonly closing?: boolean } = {},
): string {
  if (diagnostics.length === 0) return "";
  const findings = sortDiagnostics(diagnostics).map((diagnostic) =>
    diagnosticText(diagnostic, style, sources),
  );
  return [...findings, ...(options.closing === false ? [] : [countLine(diagnostics)])].join("\n\n");
}

/** One finding, without a line break at its end. */
export function diagnosticText(diagnostic: Diagnostic, style: Style, sources: Sources = noSources): string {
  const { colors } = style;
  const colour = diagnostic.severity === "error" ? colors.red : colors.yellow;
  const heading = colour(colors.bold(`${diagnostic.severity}[${diagnostic.code}]`));
  const frame = codeFrame(diagnostic, style, sources);
  const shown = frame.lines;
  return [
    `${heading}${colors.bold(`: ${inertText(diagnostic.summary)}`)}`,
    ...shown,
    ...indented(diagnostic.detail),
    ...(diagnostic.hint === undefined || frame.tellsHint ? [] : hintLines(diagnostic.hint, style)),
    ...(diagnostic.requestId === undefined
      ? []
      : [colors.dim(`  request id: ${inertText(diagnostic.requestId)}`)]),
  ].join("\n");
}

const indented = (text: string | undefined): string[] =>
  text === undefined ? [] : inertLines(text).map((line) => `  ${line}`.trimEnd());

function hintLines(hint: string, style: Style): string[] {
  const [first = "", ...rest] = inertLines(hint);
  return [`  ${style.colors.cyan("hint:")} ${first}`, ...rest.map((line) => `        ${line}`.trimEnd())];
}

/** `2 errors, 1 warning` */
export function countLine(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const warnings = diagnostics.length - errors;
  return [errors > 0 ? counted(errors, "error") : "", warnings > 0 ? counted(warnings, "warning") : ""]
    .filter((part) => part !== "")
    .join(", ");
}
