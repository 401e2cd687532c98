import { snakeCase } from "../model/text";
import { resourceTypes } from "../resources";
import type { Message } from "./protocol";

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
  [/\brnv status shows where it stands/g, "the dashboard shows where it stands"],
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
export const codeInTerraform = (code: string): string => code.replace(/^manifest\./, "configuration.");

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
