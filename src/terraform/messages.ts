import { diagnosticOf } from "../api/api-error";
import { type Diagnostic, DiagnosticsError } from "../diagnostics/diagnostic";
import type { Remedy } from "../diagnostics/remedies";
import { capitalized } from "../model/wording";
import type { PathSteps } from "./codec";
import type { Message } from "./protocol";

/** Next steps in the words of Terraform, where those of the command line do not fit. */
const remedies: Readonly<Record<Remedy, string>> = {
  "key.form": "check api_key, RNV_API_KEY or RNV_API_KEY_FILE for spaces and line breaks",
  "key.renew": "set api_key, RNV_API_KEY or RNV_API_KEY_FILE to a key of this workspace that has not expired",
  "key.place": "leave them out; the key goes into api_key, RNV_API_KEY or RNV_API_KEY_FILE",
  "workspace.check":
    "check workspace_id or RNV_WORKSPACE_ID, base_url or RNV_BASE_URL, and that the key belongs to this workspace",
  "address.form": "set base_url or RNV_BASE_URL to an address such as https://api.example.com/api/v1",
  "address.service":
    "check that base_url or RNV_BASE_URL is the platform and not a proxy or a login page; if it is, a newer version of this provider may know this answer",
  "address.route":
    "this service does not offer the operation; check that base_url or RNV_BASE_URL ends in its /api/v1",
  "address.network": "check base_url or RNV_BASE_URL and the network, then run the command again",
  "address.moved": "set base_url or RNV_BASE_URL to the address that the platform itself uses",
  "service.slow": "the platform is down or slow: run the command again later",
  "write.look":
    "wait a minute, then plan and apply again. A change that took effect is not planned again. A resource that was created is taken over, or the apply says how to import it",
  "live.look": "see what is there now with terraform plan, then run the command again",
  "gaps.list": "the settings are listed in the provider's manual",
  "variable.value": "give it a value, or set preserve = true to leave what the platform has",
  "generated.left": "to accept it: terraform apply -refresh-only; for a new value: -replace=ADDRESS",
  "service.deploy": "deploy it: apply its rnv_deployment, or invoke the action rnv_deploy",
  "service.restore":
    "restore it: take archived out of it and apply, or use the dashboard; then invoke the action again",
  "project.contents":
    "replace or destroy these too, or rename the project in place; to keep it, take it out of the state with a removed block",
};

export const pathMessage = (steps: PathSteps): Message<"AttributePath"> => ({
  steps: steps.map((attributeName) => ({ attributeName })),
});

/** Diagnostics in the form of the protocol. `stepsOf` finds an attribute; by default it is named as Terraform names it. */
export const diagnosticMessages = (
  found: readonly Diagnostic[],
  stepsOf: (path: string) => PathSteps | undefined = (path) => [path],
): readonly Message<"Diagnostic">[] =>
  found.map(({ severity, summary, detail, remedy, code, requestId, attribute, ...diagnostic }) => {
    const hint = remedy === undefined ? diagnostic.hint : remedies[remedy];
    // Users of Terraform call a manifest a configuration.
    const said = code.replace(/^manifest\./, "configuration.");
    const lines = [
      detail,
      hint === undefined ? undefined : sentenceOf(hint),
      requestId === undefined ? `(${said})` : `(${said}, request ${requestId})`,
    ];
    const steps = attribute === undefined ? undefined : stepsOf(attribute);
    return {
      severity: severity === "error" ? 1 : 2,
      summary: asSentence(summary),
      detail: lines.filter((line) => line !== undefined).join("\n\n"),
      attribute: steps && pathMessage(steps),
    };
  });

/** Capital first, unless the first word is a name: `queueDeployment`, `max_concurrency`. */
const asSentence = (text: string): string => (/^[a-z]+( |$)/.test(text) ? capitalized(text) : text);

const sentenceOf = (text: string): string =>
  /[.?!]$/.test(text) ? asSentence(text) : `${asSentence(text)}.`;

/**
 * Returns the report of a create that left a resource behind. An error would taint the resource, and Terraform would
 * replace it. The next plan shows the missing parts instead.
 */
export const withoutTaint = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
  found.map((one) =>
    one.severity === "error"
      ? {
          ...one,
          severity: "warning",
          summary: `created only in part: ${one.summary}`,
          remedy: undefined,
          hint: "plan and apply again: the next plan shows what is missing, and nothing is deleted for it",
        }
      : one,
  );

export const diagnosticsOf = (failure: unknown): readonly Diagnostic[] =>
  failure instanceof DiagnosticsError && failure.diagnostics.length > 0
    ? failure.diagnostics
    : [diagnosticOf(failure)];
