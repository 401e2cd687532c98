import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";
import { type Scan, type Span, scanJson } from "./stack-scan";

/** Any JSON value as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * A stack's JSON with a place for every value. The text is parsed natively; where things stand is worked out the
 * first time that someone asks, which a stack without mistakes rarely needs.
 */
export class StackDocument {
  // Private for good: what prints a place must not print the secrets of its document.
  readonly #text: string;
  readonly #value: Json;
  #scan: Scan | undefined;

  constructor(
    readonly file: string,
    text: string,
    value: Json,
  ) {
    this.#text = text;
    this.#value = value;
  }

  get text(): string {
    return this.#text;
  }

  get value(): Json {
    return this.#value;
  }

  get root(): Place {
    return new Place(this, undefined, "");
  }

  get scan(): Scan {
    this.#scan ??= scanJson(this.#text);
    return this.#scan;
  }
}

/** Where one value stands, or its key. Offsets are looked up on demand. */
export class Place implements SourceRange {
  readonly #document: StackDocument;
  readonly #parent: Place | undefined;
  readonly #key: string | number;
  readonly #isKey: boolean;

  constructor(document: StackDocument, parent: Place | undefined, key: string | number, isKey = false) {
    this.#document = document;
    this.#parent = parent;
    this.#key = key;
    this.#isKey = isKey;
  }

  at(key: string | number): Place {
    return new Place(this.#document, this, key);
  }

  /** The key that opens this value. */
  get keyPlace(): Place {
    return new Place(this.#document, this.#parent, this.#key, true);
  }

  /** A piece of the text, where it stands as it is; else the text as a whole. */
  within(source: string): SourceRange {
    return new TextPlace(this, source);
  }

  get file(): string {
    return this.#document.file;
  }

  get start(): number {
    return this.#offsets()[0];
  }

  get end(): number {
    return this.#offsets()[1];
  }

  get raw(): string {
    return this.#document.text.slice(this.start, this.end);
  }

  #offsets(): readonly [number, number] {
    const span = this.#span();
    if (span === undefined) return [0, 0];
    return this.#isKey && span.key !== undefined ? span.key : [span.start, span.end];
  }

  /** The value's span, or that of the nearest value around it which the scan knows. */
  #span(): Span | undefined {
    if (this.#parent === undefined) return this.#document.scan.root;
    const above = this.#parent.#span();
    return above?.members?.get(this.#key) ?? above;
  }
}

class TextPlace implements SourceRange {
  readonly #whole: Place;
  readonly #source: string;

  constructor(whole: Place, source: string) {
    this.#whole = whole;
    this.#source = source;
  }

  get file(): string {
    return this.#whole.file;
  }

  get start(): number {
    return this.#whole.start + Math.max(0, this.#offset);
  }

  get end(): number {
    return this.#offset === -1 ? this.#whole.end : this.start + this.#source.length;
  }

  get #offset(): number {
    return this.#whole.raw.indexOf(this.#source);
  }
}

/** The document of a text, or what keeps it from being one. */
export function parseStackDocument(file: string, text: string): StackDocument | readonly Diagnostic[] {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    const at = scanJson(text).failedAt ?? 0;
    // The engine's own words can quote the text, and the text can hold a secret.
    return [
      error("manifest.syntax", "the text is not valid JSON", {
        range: { file, start: at, end: at + 1 },
        hint: jsonHint(text, at),
      }),
    ];
  }
  const document = new StackDocument(file, text, value);
  return countKeys(value) === countColons(text) ? document : withoutDuplicates(document);
}

/** What to write where JSON breaks off; nothing of the text is quoted. */
function jsonHint(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 100), at).trimEnd();
  const found = text[at] ?? "";
  if (text.trim() === "") return "the file is empty: synthesize the stack again";
  if (text.slice(at).trim() === "") return "the text ends early: a } or ] is missing";
  if ("}]".includes(found) && before.endsWith(",")) return "no comma stands before } or ]";
  if (found === "'") return 'keys and texts stand in double quotes: "…"';
  if (found === '"' && /["\dle}\]]$/.test(before)) return "a comma is missing before it";
  if (found === "<" || found === "=" || found === ">") return "a merge conflict may stand here unresolved";
  return "a stack is JSON as the synthesis writes it: synthesize it again";
}

function withoutDuplicates(document: StackDocument): StackDocument | readonly Diagnostic[] {
  const { duplicates } = document.scan;
  if (duplicates.length === 0) return document;
  return duplicates.map(([start, end]) =>
    error("manifest.duplicate_key", "the key stands twice in one object", {
      range: { file: document.file, start, end },
    }),
  );
}

/** Keys as the parser kept them: a key that stands twice is kept once. */
function countKeys(value: Json): number {
  if (value === null || typeof value !== "object") return 0;
  let count = 0;
  const waiting: (readonly Json[] | JsonObject)[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const items = Array.isArray(next) ? (next as readonly Json[]) : Object.values(next);
    if (!Array.isArray(next)) count += items.length;
    for (const item of items) if (item !== null && typeof item === "object") waiting.push(item);
  }
  return count;
}

/** Keys as they are written, or more where a text begins like the end of one: then the scan decides. */
function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1))
    if (isEndOfText(text, at - 1)) count += 1;
  return count;
}

/** Whether a text ends here or in the white space before: at a quote that no backslash escapes. */
function isEndOfText(text: string, from: number): boolean {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at -= 1;
  if (text[at] !== '"') return false;
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 0;
}

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13;
