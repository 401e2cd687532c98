import * as z from "zod";
import { diagnosticOf } from "../api/api-error";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { snakeCase } from "../model/text";
import type { Plain } from "../model/value";
import { resourceTypes } from "../resources";
import type { Message } from "./protocol";
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
  const { severity, summary, detail, hint, code, requestId } = diagnostic;
  const said = codeInTerraform(code);
  const lines = [
    detail && inTerraformWords(detail),
    hint === undefined ? undefined : sentenceOf(inTerraformWords(hint)),
    requestId === undefined ? `(${said})` : `(${said}, request ${requestId})`,
  ];
  return {
    severity: severity === "error" ? errorSeverity : 2,
    summary: asSentence(inTerraformWords(summary)),
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
 * Returns what is told of a create that left something standing. An error would taint it, and what is tainted is deleted
 * and made anew: the next plan shows what is missing.
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

const text = z.string().optional().catch(undefined);

/** A resource that a plan makes: paths whose value is a secret, or not known before apply, are listed. */
const replacement = z.object({
  declared: z.record(z.string(), z.custom<Plain>()),
  unknown: z.array(z.string()),
  /** It takes over what bears its name. */
  adopts: z.literal(true).optional().catch(undefined),
});

export type PlannedReplacement = Readonly<z.infer<typeof replacement>>;

const texts = z.record(z.string(), z.string()).optional().catch(undefined);

/** The data that Terraform keeps for us beside a resource, unseen by its users. Never a secret. */
const privateData = z.object({
  /** Declared fields as last applied: a field that is here and no longer declared goes back to its default. */
  applied: z.record(z.string(), z.custom<Plain>()),
  /** Id that the last apply ended with: the next write is keyed by it, whatever serves by then. */
  ran: text,
  /** When our last write to it was answered, by our clock, ISO 8601. */
  writtenAt: text,
  /** The service's time of that write, else of the first read, ISO 8601: a read that shows an earlier one is behind. */
  updatedAt: text,
  /** Workspace in which it was last applied: an id means nothing in another one. */
  workspace: text,
  /** Of a plan that creates: tells this instance from every other. */
  nonce: text,
  /** Of a plan that creates: a deletion that goes first is told of it, and checks it. Never in a state. */
  replacement: replacement.optional().catch(undefined),
  /** Of a plan that changes: fields that `settings` no longer gives, as they are by default. Never in a state. */
  reset: z.record(z.string(), z.custom<Plain>()).optional().catch(undefined),
  /** The service's time of our last change that takes effect with a run of what reacts to it, ISO 8601. */
  changedAt: text,
  /** Of what reacts: `due` was made before all of what it reacts to was planned. */
  isPartial: z.literal(true).optional().catch(undefined),
  /** Of what reacts: its call was answered before it ran, while this id served, or none. The next read looks whether it did. */
  owed: text,
  /** Of what reacts: the service's time of its last run, ISO 8601. */
  ranAt: text,
  /** Of what reacts: the resources managed in its parent as it last ran, by id. */
  inputs: texts,
  /** Of what reacts: the resources that it is to run for, and when they changed. */
  due: texts,
  /** Fresh from an import: the next read fills in everything. */
  imported: z.literal(true).optional().catch(undefined),
});

export type PrivateData = Readonly<z.infer<typeof privateData>>;

export const noPrivateData: PrivateData = { applied: {} };

/** Whether private data was lost: Terraform drops it where a provider dies in the middle of a change. */
export const isLost = ({ workspace, ran }: PrivateData): boolean =>
  workspace === undefined && ran === undefined;

/** Reads private data; what another version wrote and we cannot read counts as none. */
export function readPrivate(bytes: Uint8Array | undefined): PrivateData {
  if (bytes === undefined || bytes.length === 0) return noPrivateData;
  try {
    return privateData.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch {
    return noPrivateData;
  }
}

export const writePrivate = (data: PrivateData): Buffer => Buffer.from(JSON.stringify(data));

/**
 * The words of the command line in messages that both doors share, and those of Terraform: the longer ones first. A
 * message is made where its rule is; how one goes on from there is all that differs.
 */
const words: readonly (readonly [RegExp, string])[] = [
  [/\bset RNV_API_KEY or RNV_API_KEY_FILE to\b/g, "set api_key, RNV_API_KEY or RNV_API_KEY_FILE to"],
  [/\bcheck RNV_API_KEY or RNV_API_KEY_FILE\b/g, "check api_key, RNV_API_KEY or RNV_API_KEY_FILE"],
  [/\b(check that|check|set) RNV_BASE_URL\b/g, "$1 base_url or RNV_BASE_URL"],
  [/\bcheck RNV_WORKSPACE_ID\b/g, "check workspace_id or RNV_WORKSPACE_ID"],
  [/; --timeout bounds [^;]*$/g, ""],
  [/ \(rnv schema gaps\)/g, ""],
  [/\brnv schema gaps lists the settings/g, "the settings are listed in the provider's manual"],
  [/\blook at its state with rnv plan\b/g, "see what is there now with terraform plan"],
  [/; if the service may hold this value already, rnv apply --verify-values [^;]*/g, ""],
  [
    /; to keep it and let go of it here: rnv state rm .*$/g,
    "; to keep it, take it out of the state with a removed block",
  ],
  [/\brnv status shows/g, "the dashboard shows"],
  [/\brnv import \S+ ID\b/g, "terraform import"],
  [/\(import: ID\)/g, "(an import block)"],
  [/\brnv (plan|apply|destroy|state|import|refresh)\b/g, "terraform $1"],
  [/\boutside of rnv\b/g, "outside of Terraform"],
  [/\ba newer rnv may\b/g, "a newer version of this provider may"],
  [/\blarger than rnv takes/g, "larger than this provider takes"],
  [/\brnv (assumes|waits|reads|knows|takes)\b/g, "this provider $1"],
  [/\bthis is a bug in rnv:/g, "this is a bug of this provider:"],
  [/\bpreserve: true\b/g, "preserve = true"],
  [/\bmanifest\b/g, "configuration"],
];

const types = resourceTypes.map(({ type }) => type).join("|");
/** `service."api"`, as this adapter writes addresses; `service.api`, as the engine does. */
const quotedAddress = new RegExp(`\\b(${types})\\.("(?:[^"\\\\]|\\\\.)*")`, "g");
const idAddress = new RegExp(`\\b(${types})\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\b`, "g");

const camelNames = new Set(
  resourceTypes
    .flatMap(({ rules, computed }) => [...Object.keys(rules), ...Object.keys(computed)])
    .flatMap((path) => path.split("."))
    .filter((name) => /[A-Z]/.test(name)),
);
/** Attribute names outside of quotes, where they are values. */
const camelName = new RegExp(`(?<!["/\\w])(${[...camelNames].join("|")})(?!["\\w])`, "g");

/** Returns a text in the words of Terraform: its commands, its names of resources and of attributes. */
export function inTerraformWords(text: string): string {
  let said = text
    .replace(quotedAddress, (_all, type: string, name: string) => `${type} ${name}`)
    .replace(idAddress, "$1 $2");
  for (const [pattern, instead] of words) said = said.replace(pattern, instead);
  return said.replace(camelName, (name) => snakeCase(name));
}

/** Returns a code as Terraform's users read it: what rnv calls a manifest is their configuration. */
const codeInTerraform = (code: string): string => code.replace(/^manifest\./, "configuration.");

type DiagnosticMessage = Message<"Diagnostic">;

/** Returns a diagnostic that says which resource and which attribute it is about, where it does not yet. */
export function withSubject(diagnostic: DiagnosticMessage, subject: string | undefined): DiagnosticMessage {
  const { summary = "", detail = "", attribute } = diagnostic;
  const path = (attribute?.steps ?? [])
    .map(({ attributeName, elementKeyString }) => attributeName || elementKeyString)
    .join(".");
  const said = `${summary}\n${detail}`;
  const missing = [
    ...(subject === undefined || saysName(said, subject) ? [] : [subject]),
    ...(path === "" || said.includes(path) ? [] : [path]),
  ];
  if (missing.length === 0) return diagnostic;
  const paragraphs = detail.split("\n\n");
  const about = `In ${missing.join(", ")}.`;
  // The code comes last.
  return { ...diagnostic, detail: [...paragraphs.slice(0, -1), about, ...paragraphs.slice(-1)].join("\n\n") };
}

const saysName = (said: string, subject: string): boolean =>
  said.toLowerCase().includes(subject.toLowerCase()) ||
  (subject.includes('"') && said.includes(subject.slice(subject.indexOf('"'))));
