import * as z from "zod";
import { parseJson } from "../api/transport";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { parseAddress } from "../model/address";
import { largeDocument } from "../model/large-document";
import { type State, stateSchema } from "../model/state";
import { isObject } from "../model/value";

const deepest = 64;
const stateDocument = largeDocument(stateSchema);

/** Returns true if a document nests so deeply that a walk through it could end the program. */
export function isTooDeep(value: unknown, depth = 1): boolean {
  if (value === null || typeof value !== "object") return false;
  if (depth > deepest) return true;
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], depth + 1)) return true;
  return false;
}

const textIfAny = z.string().optional().catch(undefined);

/** Which holder wrote a snapshot; kept beside the state in its file. */
const textWriter = z
  .object({
    /** Rises with every holder: a journal of a lower or the same one is known to be taken in. */
    generation: z.int(),
    /** The holder of the lock that wrote it: no two write the same text. */
    session: textIfAny,
    /** When it was written, ISO 8601, and by which verb. */
    at: textIfAny,
    command: textIfAny,
  })
  .catch({ generation: 0 });

export interface TextWriter extends Readonly<z.infer<typeof textWriter>> {}

export interface ParsedState {
  readonly state: State;
  readonly writer: TextWriter;
  readonly encrypted: boolean;
}

/** Parses the JSON object in a file. `name` is its name in messages. Throws `DiagnosticsError`. */
export function parseObject(text: string, name: string): Readonly<Record<string, unknown>> {
  const document = parseJson(text);
  if (isObject(document)) return document;
  throw unreadable(name, text.trim() === "" ? "it is empty" : "it is not a JSON object");
}

export const parseState = (text: string, name: string): ParsedState => stateIn(parseObject(text, name), name);

/** Returns the state in a document. All but a whole state of version 1 throws; unknown fields are kept. */
export function stateIn(document: Readonly<Record<string, unknown>>, name: string): ParsedState {
  if (document.format === "rnv-state-encrypted") throw unreadable(name, "it is encrypted");
  if (document.format !== "rnv-state")
    throw unreadable(
      name,
      "terraform_version" in document ? "it is a state of Terraform" : 'its "format" is not "rnv-state"',
    );
  if (typeof document.version === "number" && document.version > 1) throw newer(name);
  if (isTooDeep(document)) throw unreadable(name, `it nests deeper than ${deepest} levels`);
  const issue = stateDocument.safeParse(document).error?.issues[0];
  if (issue !== undefined)
    throw unreadable(name, `at ${issue.path.map(String).join(".") || "its top"}: ${issue.message}`);
  const misnamed = Object.keys(document.resources as object).find((key) => parseAddress(key) === undefined);
  if (misnamed !== undefined) throw unreadable(name, `${JSON.stringify(misnamed)} is not an address`);
  // The document itself, not the copy of the schema: nothing of it may be dropped.
  const { writer, ...state } = document as Readonly<Record<"writer", unknown>> & State;
  return { state, writer: textWriter.parse(writer), encrypted: false };
}

/** Writes the text of a state file: keys sorted, so that two states can be compared line by line. */
export const encodeState = (state: State, writer?: TextWriter): string =>
  `${JSON.stringify(writer === undefined ? state : { ...state, writer }, withSortedKeys, 2)}\n`;

function withSortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const newer = (name: string): DiagnosticsError =>
  failure("state.newer", `${name} was written by a newer version of rnv`, { hint: "upgrade rnv" });

export const unreadable = (name: string, why: string): DiagnosticsError =>
  failure("state.unreadable", `${name} cannot be read: ${why}`, {
    hint: "where it is the recorded state: rnv state backups lists earlier ones, and rnv state restore 1 brings the newest back",
  });
