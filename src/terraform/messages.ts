import { diagnosticOf } from "../api/api-error";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Message } from "./protocol";
import { remedies } from "./remedies";
import type { PathSteps } from "./schema/terraform-shape";

/** A path in the form of the protocol. */
export const pathMessage = (steps: PathSteps): Message<"AttributePath"> => ({
  steps: steps.map((attributeName) => ({ attributeName })),
});

/** A diagnostic in the form of the protocol, at the attribute that `steps` lead to. */
export function diagnosticMessage(
  diagnostic: Diagnostic,
  steps: PathSteps | undefined,
): Message<"Diagnostic"> {
  const { severity, summary, detail, remedy, code, requestId } = diagnostic;
  const hint = remedy === undefined ? diagnostic.hint : remedies[remedy];
  const said = codeInTerraform(code);
  const lines = [
    detail,
    hint === undefined ? undefined : sentenceOf(hint),
    requestId === undefined ? `(${said})` : `(${said}, request ${requestId})`,
  ];
  return {
    severity: severity === "error" ? errorSeverity : 2,
    summary: asSentence(summary),
    detail: lines.filter((line) => line !== undefined).join("\n\n"),
    ...(steps !== undefined && { attribute: pathMessage(steps) }),
  };
}

/** Diagnostics in the form of the protocol. `stepsOf` finds an attribute; by default it is named as Terraform names it. */
export const diagnosticMessages = (
  found: readonly Diagnostic[],
  stepsOf: (path: string) => PathSteps | undefined = (path) => [path],
): readonly Message<"Diagnostic">[] =>
  found.map((one) =>
    diagnosticMessage(one, one.attribute === undefined ? undefined : stepsOf(one.attribute)),
  );

/** Capital first, unless the first word is a name: `queueDeployment`, `max_concurrency`. */
const asSentence = (text: string): string =>
  /^[a-z]+( |$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;

const sentenceOf = (text: string): string =>
  /[.?!]$/.test(text) ? asSentence(text) : `${asSentence(text)}.`;

/** How the protocol says that a diagnostic is an error. */
export const errorSeverity = 1;

/** Returns what is thrown for one diagnostic, which is an error. */
export const diagnosticError = (...[code, summary, details]: Parameters<typeof error>): DiagnosticsError =>
  new DiagnosticsError([error(code, summary, details)]);

/**
 * Returns what is reported of a create that left a resource behind. An error would taint it, and what is tainted is deleted
 * and created again: the next plan shows what is missing.
 */
export const withoutTaint = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
  found.map((one) =>
    one.severity === "error"
      ? {
          ...one,
          severity: "warning",
          summary: `created only in part: ${one.summary}`,
          hint: "plan and apply again: the next plan shows what is missing, and nothing is deleted for it",
        }
      : one,
  );

/** Returns whatever a call failed with as diagnostics. */
export const diagnosticsOf = (failure: unknown): readonly Diagnostic[] =>
  failure instanceof DiagnosticsError && failure.diagnostics.length > 0
    ? failure.diagnostics
    : [diagnosticOf(failure)];

/** Returns a code as Terraform's users read it: what rnv calls a manifest is their configuration. */
const codeInTerraform = (code: string): string => code.replace(/^manifest\./, "configuration.");
