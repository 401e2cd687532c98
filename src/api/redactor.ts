import { openSecret } from "../model/open-secret";
import type { Secret } from "../model/secret";
import type { Plain } from "../model/value";
import { awaitsCheckout } from "./gap-rules";
import { hiddenText, orSame, partFinder, type RecordedValue, type RecordedValues } from "./recorded-values";

const mask = "(sensitive)";
/** Characters. Shorter texts stand in too many words to be masked wherever they are. */
const shortest = 8;
/** Characters of the shortest value that is masked, as a whole word. */
const shortestWord = 4;

const wordsIn = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words in which the service tells its progress: no secrets, and code decides by them. */
const ownWords = wordsIn(`
  superseded cancelled preparing building deploying starting complete suspended suspending
  checkout check-out payments purchase subscription subscriptions
`);

/** Words that are no secret, whatever variable holds them; the service may tell a state by them. */
const commonWords = wordsIn(`
  true false null none info debug warn warning error trace main master test dev prod stage staging local default
  admin user root http https redis node live ready healthy failed queued pending running stopped paused active idle
  unknown manual build deploy billing payment service project public private worker
`);
const betweenWords = /([\s"'`,;:=()[\]{}<>|]+)/;

/**
 * Fields of answers with whole sentences or texts of people (interface, "Deployment", "Service", "Errors"): they may
 * repeat a value that this run does not have.
 */
const freeFields = wordsIn("error message reason blockedReason detail commitMessage runtimeDetail branch");
/** Fields that hold words of the service. Names, ids and configuration are compared with the manifest, and stay. */
const spokenFields = wordsIn("actor trigger status displayStatus lifecycleStatus healthStatus");
const comparedFields = new Set(["configuration", "defaults", "layout"]);
const noFields: ReadonlySet<string> = new Set();

const ellipsis = /\u2026|\.\.\./;
/** No answer of the interface lies deeper. */
const deepest = 32;

/** Answers that are remembered until the first secrets are known; the reads that open a plan are three. */
const maxBufferedAnswers = 16;

const isOutside = (value: RecordedValue): boolean => value.isOutside;
const isLong = (text: string): boolean => text.length >= shortest;
const isMaskedWord = (word: string): boolean =>
  word.length >= shortestWord && !/^\d+$/.test(word) && !commonWords.has(word.toLowerCase());

/**
 * Masks secrets in texts, in all their forms (`secretForms`), from the moment they are added. With an API key the texts are
 * of the service, else attribute values, where short secrets stay. Lookups take time by the length of the text alone.
 */
export class Redactor {
  readonly #key: string | undefined;
  /** Added, with their forms not yet made: most runs meet no text. */
  #added: Secret[] = [];
  readonly #forms = new Set<string>();
  /** Values of 4 to 7 characters, masked as whole words. */
  readonly #words = new Set<string>();
  /** By their first characters: how long the forms are that begin so, the longest first. */
  readonly #starts = new Map<string, number[]>();
  #recorded: RecordedValues | undefined;
  #recordedParts: (text: string) => readonly string[] = () => [];
  /** Bodies that were handed out before any secret was known. */
  #early: unknown[] | undefined = [];

  constructor(apiKey?: Secret) {
    this.#key = apiKey && openSecret(apiKey);
  }

  /**
   * Adds secrets. With `recorded`, texts are masked by the fingerprints of its values too, and those of the service hidden
   * where their key is missing. Returns whether a body that was handed out before the first of them repeats a secret.
   */
  add(secrets: Iterable<Secret>, recorded = this.#recorded): boolean {
    const isMore = recorded !== undefined && recorded !== this.#recorded;
    this.#recorded = recorded;
    const [isPart, isMasked] = this.#key ? [isMaskedWord, () => true] : [isLong, isOutside];
    if (isMore) this.#recordedParts = partFinder(recorded.values.filter(isMasked), recorded.key, isPart);
    for (const secret of secrets) this.#added.push(secret);
    const early = this.#early;
    if (early === undefined) return false;
    this.#early = undefined;
    if (!isMore && this.#added.length === 0) return false;
    return early.length > maxBufferedAnswers || early.some((body) => this.#mask(body, this.#field) !== body);
  }

  /** Returns the text with each secret in it masked, also where an ellipsis cuts it short. */
  text(text: string): string {
    if (text.length < shortestWord || ownWords.has(text)) return text;
    this.#learn();
    const shown = this.#key ? this.#withoutWords(text.replaceAll(this.#key, mask)) : text;
    if (this.#forms.size === 0) return shown;
    let masked = "";
    let end = -1;
    for (let at = 0; at + shortest <= shown.length; at += 1) {
      const length = this.#formAt(shown, at);
      if (length === 0) continue;
      if (at > end) masked += shown.slice(Math.max(0, end), at) + mask;
      end = Math.max(end, at + length);
    }
    return masked + shown.slice(Math.max(0, end));
  }

  #withoutWords(text: string): string {
    if (this.#words.size === 0) return text;
    const isSecret = (word: string): boolean =>
      this.#words.has(word) || this.#words.has(word.replace(/[.!?]+$/, ""));
    return text
      .split(betweenWords)
      .map((word) => (isSecret(word) ? mask : word))
      .join("");
  }

  /** Returns the body of an answer with its free text masked. Unchanged parts are shared with the original. */
  body<T>(body: T): T {
    if (this.#early !== undefined && this.#early.length <= maxBufferedAnswers) this.#early.push(body);
    return this.#mask(body, this.#field);
  }

  /** Returns an attribute value as it is shown; the value itself where nothing in it is masked. */
  value<T extends Plain>(value: T): T {
    return this.#mask({ value }, (_, text) => this.#withoutRecorded(this.text(text)), noFields).value;
  }

  /** Returns the value itself where nothing in it is masked. */
  #mask<T>(
    value: T,
    shownOf: (field: string, text: string) => string,
    kept: ReadonlySet<string> = comparedFields,
    depth = 0,
  ): T {
    if (typeof value !== "object" || value === null || depth > deepest) return value;
    const members = value as Record<string, unknown>;
    let masked: Record<string, unknown> | undefined;
    for (const field in members) {
      const member = members[field];
      let shown = member;
      if (typeof member === "string" && member !== "") shown = shownOf(field, member);
      else if (typeof member === "object" && !kept.has(field))
        shown = this.#mask(member, shownOf, kept, depth + 1);
      if (shown === member) continue;
      masked ??= (Array.isArray(value) ? [...value] : { ...members }) as Record<string, unknown>;
      masked[field] = shown;
    }
    return (masked ?? value) as T;
  }

  /** The branch of a deployment is compared with the configured one. */
  readonly #field = (field: string, text: string): string => {
    const isFree = freeFields.has(field);
    if (!isFree && !spokenFields.has(field)) return text;
    const shown = field === "branch" ? text : this.text(text);
    const isCompared = field === "branch" && this.#recorded?.branches.has(text);
    if (!isFree || isCompared || !this.#recorded || ownWords.has(text) || commonWords.has(text)) return shown;
    // Code decides by this text, too.
    if (!this.#recorded.key) return awaitsCheckout(text) ? `${hiddenText} awaiting checkout` : hiddenText;
    return this.#withoutRecorded(shown);
  };

  #withoutRecorded(text: string): string {
    return this.#recordedParts(text).reduce((shown, part) => shown.replaceAll(part, mask), text);
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
      if (text.length < shortest && isMaskedWord(text)) this.#words.add(text);
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
 * Returns the texts by which a secret may be repeated: as it is, without the space around it, and its lines. The password
 * of an address is added, and values as JSON or as `name=value`; then each text as other formats write it.
 */
function secretForms(secret: string): ReadonlySet<string> {
  const trimmed = secret.trim();
  const lines = trimmed.includes("\n") ? trimmed.split(/[\r\n]+/).map((line) => line.trim()) : [];
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]*?:([^/\s]+)@/i.exec(trimmed)?.[1];
  const given = [...trimmed.matchAll(namedSecret)].map(([, text]) => text as string);
  const inner = [...(password === undefined ? [] : [password]), ...given];
  const parts = [
    secret,
    trimmed,
    ...lines,
    ...inner,
    ...inner.map((form) => orSame(form, decodeURIComponent)),
    ...textsInJson(trimmed),
  ];
  const shown = parts.filter((part) => part !== "" && !isScheme(part));
  return new Set(shown.flatMap(normalForms).flatMap(encodings));
}

/** A platform may compose the letters of a text, or part them. */
const normalForms = (text: string): readonly string[] =>
  /^[\0-\x7f]*$/.test(text) ? [text] : [text, text.normalize("NFC"), text.normalize("NFD")];

/** `password=…` of a connection string, `Password=…;`, `?token=…`. */
const namedSecret = /(?:password|passwd|pwd|secret|token|key)=([^;&\s]+)/gi;

function textsInJson(text: string): readonly string[] {
  const texts: string[] = [];
  if (/^[[{]/.test(text))
    orSame(text, () => JSON.parse(text, (_, value) => (typeof value === "string" ? texts.push(value) : 0)));
  return texts;
}

function encodings(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].flatMap((shift) => base64At(text, shift));
  const simple = [
    ...[text, text.toLowerCase(), text.toUpperCase(), hex, hex.toUpperCase(), hex.replace(/../g, "\\x$&")],
    ...[...base64, ...base64.map(urlSafe), ...base64At(bytes.toString("base64"), 0)],
    text.replace(/[\s\S]/g, codeUnit),
  ];
  if (/^[\w.-]*$/.test(text)) return simple;
  const json = JSON.stringify(text).slice(1, -1);
  const component = orSame(text, encodeURIComponent);
  const urls = [
    ...[component, orSame(text, encodeURI), component.replaceAll("%20", "+"), formEncoded(text)],
    orSame(component, encodeURIComponent),
  ];
  return [
    ...simple,
    ...[json, JSON.stringify(json).slice(1, -1), json.replaceAll("/", "\\/")],
    json.replace(/[^\0-\x7f]/g, codeUnit),
    ...urls,
    ...urls.map((url) => url.replace(/%[0-9A-F]{2}/g, (pair) => pair.toLowerCase())),
    // HTML, a shell's two quotes, Python.
    ...htmlForms(text),
    ...[text.replaceAll("'", "'\\''"), text.replace(/["$`\\]/g, "\\$&"), text.replace(/['\\]/g, "\\$&")],
  ];
}

/** As HTML writes it, with the names and the numbers that are in use for quotes. */
function htmlForms(text: string): readonly string[] {
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [html, html.replaceAll('"', "&quot;")].flatMap((one) => [
    one,
    ...["&#39;", "&#x27;", "&apos;"].map((quote) => one.replaceAll("'", quote)),
  ]);
}

const codeUnit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const urlSafe = (base64: string): string => base64.replaceAll("+", "-").replaceAll("/", "_");

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/** Base64 of a text that stands `shift` bytes (modulo 3) after the start: the part that does not depend on its neighbours. */
function base64At(text: string, shift: number): readonly string[] {
  const bytes = Buffer.from(`${"\0".repeat(shift)}${text}`);
  const whole = bytes.toString("base64");
  const inner = whole.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
  return shift === 0 ? [whole, whole.replace(/=+$/, ""), inner] : [inner, whole.slice(shift + 1)];
}
