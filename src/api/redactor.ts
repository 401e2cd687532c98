import { openSecret } from "../model/open-secret";
import type { Secret } from "../model/secret";

const mask = "(sensitive)";
/** Characters. Shorter texts stand in too many words to be masked. */
const shortest = 8;

/** Words in which the service tells its progress: no secrets, and code decides by them. */
const ownWords = new Set([
  ...["superseded", "cancelled", "preparing", "building", "deploying", "starting", "complete", "suspended"],
  ...["suspending", "checkout", "check-out", "payments", "purchase", "subscription", "subscriptions"],
]);

/**
 * Fields of answers that hold free text of the service or words of its own (interface, "Deployment", "Service",
 * "Errors"). Names, ids and configuration are compared with the manifest, and stay as they are.
 */
const saidFields = new Set([
  ...["error", "message", "reason", "blockedReason", "detail", "commitMessage", "actor", "trigger"],
  ...["status", "displayStatus", "lifecycleStatus", "healthStatus", "runtimeDetail"],
]);
const comparedFields = new Set(["configuration", "defaults", "layout"]);

const ellipsis = /\u2026|\.\.\./;
/** No answer of the interface lies deeper. */
const deepest = 32;

/** Answers that are remembered until the first secrets are known; the reads that open a plan are three. */
const mostEarly = 16;

/**
 * Masks the secrets that a client knows of in the texts of the service, in all their forms (`secretForms`),
 * from the moment they are added. Lookups take time by the length of the text, not by the number of secrets.
 */
export class Redactor {
  readonly #key: string;
  /** Added, with their forms not yet made: most runs meet no text. */
  #added: Secret[] = [];
  readonly #forms = new Set<string>();
  /** By their first characters: how long the forms are that begin so, the longest first. */
  readonly #starts = new Map<string, number[]>();
  /** Bodies that were handed out before any secret was known. */
  #early: unknown[] | undefined = [];

  constructor(apiKey: Secret) {
    this.#key = openSecret(apiKey);
  }

  /** Adds secrets. Returns whether a body that was handed out before the first of them repeats a secret. */
  add(secrets: Iterable<Secret>): boolean {
    for (const secret of secrets) this.#added.push(secret);
    const early = this.#early;
    if (early === undefined) return false;
    this.#early = undefined;
    return early.length > mostEarly || early.map((body) => this.#withoutSecrets(body)).some(Boolean);
  }

  /** Returns the text with each secret in it masked, also where an ellipsis cuts it short. */
  text(text: string): string {
    const shown = text.replaceAll(this.#key, mask);
    if (shown.length < shortest || ownWords.has(shown)) return shown;
    this.#learn();
    const spans: [start: number, end: number][] = [];
    for (let at = 0; this.#forms.size > 0 && at + shortest <= shown.length; at += 1) {
      const length = this.#formAt(shown, at);
      const last = spans.at(-1);
      if (length === 0) continue;
      if (last === undefined || at > last[1]) spans.push([at, at + length]);
      else last[1] = Math.max(last[1], at + length);
    }
    let masked = "";
    let from = 0;
    for (const [start, end] of spans) {
      masked += shown.slice(from, start) + mask;
      from = end;
    }
    return masked + shown.slice(from);
  }

  /** Masks the free text in the body of an answer, in place. */
  body(body: unknown): void {
    if (this.#early !== undefined && this.#early.length <= mostEarly) this.#early.push(body);
    this.#withoutSecrets(body);
  }

  /** Masks in place; returns whether a text was masked. */
  #withoutSecrets(value: unknown, depth = 0): boolean {
    if (typeof value !== "object" || value === null || depth > deepest) return false;
    let hasMasked = false;
    for (const [field, member] of Object.entries(value)) {
      if (typeof member === "object") {
        if (!comparedFields.has(field)) hasMasked = this.#withoutSecrets(member, depth + 1) || hasMasked;
      } else if (typeof member === "string" && saidFields.has(field)) {
        const shown = this.text(member);
        if (shown === member) continue;
        (value as Record<string, unknown>)[field] = shown;
        hasMasked = true;
      }
    }
    return hasMasked;
  }

  /** Returns the length of the longest form that begins at `at`, or 0. */
  #formAt(text: string, at: number): number {
    const lengths = this.#starts.get(text.slice(at, at + shortest));
    if (lengths === undefined) return 0;
    const found = lengths.find((length) => this.#forms.has(text.slice(at, at + length)));
    if (found !== undefined) return found;
    const ahead = text.slice(at, at + (lengths[0] ?? 0) + ellipsis.source.length);
    const cut = ahead.slice(0, Math.max(0, ahead.search(ellipsis)));
    if (cut.length < shortest) return 0;
    for (const form of this.#forms) if (form.startsWith(cut)) return cut.length;
    return 0;
  }

  #learn(): void {
    if (this.#added.length === 0) return;
    const added = this.#added;
    this.#added = [];
    const touched = new Set<number[]>();
    for (const secret of added) {
      const text = openSecret(secret);
      if (text.length < shortest || this.#forms.has(text)) continue;
      for (const form of secretForms(text)) {
        if (form.length < shortest || ownWords.has(form.toLowerCase()) || this.#forms.has(form)) continue;
        this.#forms.add(form);
        const start = form.slice(0, shortest);
        const lengths = this.#starts.get(start) ?? [];
        this.#starts.set(start, lengths);
        if (!lengths.includes(form.length)) lengths.push(form.length);
        touched.add(lengths);
      }
    }
    for (const lengths of touched) lengths.sort((a, b) => b - a);
  }
}

/** A scheme alone tells nothing, and stands in every address. */
const isScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/$/i.test(text);

/**
 * The texts by which a secret may be repeated: as it is, without the space around it, each of its lines, and the
 * password of an address; each of them also as JSON, URLs and base64 write it.
 */
function secretForms(secret: string): ReadonlySet<string> {
  const trimmed = secret.trim();
  const lines = trimmed.includes("\n") ? trimmed.split(/[\r\n]+/).map((line) => line.trim()) : [];
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]*?:([^/\s]+)@/i.exec(trimmed)?.[1];
  const parts = [secret, trimmed, ...lines, ...(password === undefined ? [] : [password, decoded(password)])];
  return new Set(parts.filter((part) => part !== "" && !isScheme(part)).flatMap(encodings));
}

function encodings(text: string): readonly string[] {
  const base64 = [0, 1, 2].flatMap((shift) => base64At(text, shift));
  if (/^[\w.~-]*$/.test(text)) return [text, ...base64, ...base64.map(urlSafe)];
  const json = JSON.stringify(text).slice(1, -1);
  const component = encoded(text, encodeURIComponent);
  const urls = [component, encoded(text, encodeURI), component.replaceAll("%20", "+"), formEncoded(text)];
  return [
    text,
    json,
    json.replaceAll("/", "\\/"),
    json.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
    ...urls,
    ...urls.map((url) => url.replace(/%[0-9A-F]{2}/g, (pair) => pair.toLowerCase())),
    ...base64,
    ...base64.map(urlSafe),
  ];
}

const urlSafe = (base64: string): string => base64.replaceAll("+", "-").replaceAll("/", "_");

/** Half of a pair of surrogates cannot be written in a URL. */
function encoded(text: string, encode: (text: string) => string): string {
  try {
    return encode(text);
  } catch {
    return text;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/** Base64 of a text that stands `shift` bytes (modulo 3) after the start: the part that does not depend on its neighbours. */
function base64At(text: string, shift: number): readonly string[] {
  const bytes = Buffer.from(`${"\0".repeat(shift)}${text}`);
  const whole = bytes.toString("base64");
  const inner = whole.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
  return shift === 0 ? [whole, whole.replace(/=+$/, ""), inner] : [inner, whole.slice(shift + 1)];
}
