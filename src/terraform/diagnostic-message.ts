import { diagnosticOf } from "../api/api-error";
import { type Diagnostic, DiagnosticsError } from "../diagnostics/diagnostic";

/** Steps of an attribute path: names of attributes and blocks, or a key of a map. */
export type Steps = readonly string[];

const stepMessages = (steps: Steps): object => ({
  steps: steps.map((attributeName) => ({ attributeName })),
});

/** A path in the form of the protocol. */
export const pathMessage = (steps: Steps): object => stepMessages(steps);

/** A diagnostic in the form of the protocol; `stepsOf` finds where Terraform keeps an attribute path. */
export function diagnosticMessage(
  diagnostic: Diagnostic,
  stepsOf: (path: string) => Steps | undefined = () => undefined,
): object {
  const { severity, summary, detail, hint, code, requestId, attribute } = diagnostic;
  const steps = attribute === undefined ? undefined : stepsOf(attribute);
  const lines = [
    detail,
    hint === undefined ? undefined : `${asSentence(hint)}.`,
    requestId === undefined ? `(${code})` : `(${code}, request ${requestId})`,
  ];
  return {
    severity: severity === "error" ? 1 : 2,
    summary: asSentence(summary),
    detail: lines.filter((line) => line !== undefined).join("\n\n"),
    ...(steps === undefined ? {} : { attribute: stepMessages(steps) }),
  };
}

/** Capital first, unless the first word is a name: `queueDeployment`, `max_concurrency`. */
const asSentence = (text: string): string =>
  /^[a-z]+( |$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;

/** Whatever a call failed with, as diagnostics. */
export const diagnosticsOf = (failure: unknown): readonly Diagnostic[] =>
  failure instanceof DiagnosticsError && failure.diagnostics.length > 0
    ? failure.diagnostics
    : [diagnosticOf(failure)];
