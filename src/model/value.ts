import type { SourceRange } from "../diagnostics/diagnostic";
import type { Address } from "./address";
import type { Secret } from "./secret";

/** `${service.shop.api.url}`: one attribute of another resource. An edge of the graph. */
export interface Reference {
  readonly address: Address;
  /** Attribute path, declared or computed: `url`, `configuration.port`. */
  readonly attribute: string;
  readonly range?: SourceRange;
}

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

/** Returns a value as people and files see it; the value itself where nothing in it is masked. */
export type Mask = <Value extends Plain>(value: Value) => Value;

export const noMask: Mask = (value) => value;

export const unmasked = (
  members: Readonly<Record<string, Plain>>,
  mask: Mask,
): Readonly<Record<string, Plain>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => mask(value) === value));

/** The type of a parsed value: readonly, and without the unnamed fields that its schema allows. */
export type Parsed<T> = [Plain] extends [T]
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Parsed<Item>[]
      : { readonly [Key in keyof T as unknown extends T[Key] ? never : Key]: Parsed<T[Key]> };

/** A secret that apply makes up when it creates the variable: `{ generate: { length: 32 } }`. */
export class GeneratedSecret {
  constructor(readonly length: number) {}

  /** Recorded in place of that of its text, which nothing keeps. */
  get fingerprint(): string {
    return `generate:${this.length}`;
  }
}

export const generatedLengths = { from: 16, to: 256 } as const;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Makes the text of a generated secret: characters of 6 random bits each, safe in URLs and shells. */
export const generatedText = (randomBytes: (size: number) => Uint8Array, length: number): string =>
  Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join("");

export const isGeneratedLength = (length: unknown): length is number =>
  Number.isInteger(length) &&
  Number(length) >= generatedLengths.from &&
  Number(length) <= generatedLengths.to;

/** A secret whose text was not read: its source is not here, or it was not asked for. It is compared with nothing. */
export class UnreadSecret {
  constructor(
    /** Why, in words that show no text: `SHOP_TOKEN is not set`. */
    readonly reason: string,
    /** References in the text that holds it: its resource waits for them all the same. */
    readonly references: readonly Reference[] = [],
    /** Texts of the environment that stand in it: compared with nothing, and masked where the service repeats them. */
    readonly environmentTexts: readonly Secret[] = [],
  ) {}
}

/**
 * Text with references in it. `secret` templates stand in secret attributes: their literal parts are Secrets,
 * and they resolve to a Secret.
 */
export class Template {
  readonly references: readonly Reference[];

  constructor(
    readonly parts: readonly (string | Secret | Reference)[],
    readonly secret: boolean,
  ) {
    this.references = parts.filter(isReference);
  }
}

/** A value that functions make of others, once these are known. */
export class Computed {
  constructor(
    readonly references: readonly Reference[],
    /** It stands in a secret attribute, or is an output that is not shown. */
    readonly secret: boolean,
    /** Takes the values of the references in their order. Throws `DiagnosticsError` where the functions refuse them. */
    readonly compute: (values: readonly Plain[]) => Plain | Secret,
    /** Texts of the environment that stand in it. */
    readonly environmentTexts: readonly Secret[] = [],
  ) {}
}

export const referencesOf = (value: DesiredValue | undefined): readonly Reference[] =>
  value instanceof Template || value instanceof Computed || value instanceof UnreadSecret
    ? value.references
    : [];

export const isReference = (part: string | Secret | Reference): part is Reference =>
  typeof part === "object" && "attribute" in part;

/** A value not known before apply: it depends on something that this plan creates or replaces. */
export class Unknown {
  constructor(readonly references: readonly Reference[]) {}
}

export type DesiredValue = Plain | Secret | GeneratedSecret | UnreadSecret | Template | Computed;

export type ResolvedValue = Plain | Secret | GeneratedSecret | UnreadSecret | Unknown;

export const isPlain = (value: DesiredValue | ResolvedValue): value is Plain =>
  value === null ||
  typeof value !== "object" ||
  Array.isArray(value) ||
  Object.getPrototypeOf(value) === Object.prototype ||
  Object.getPrototypeOf(value) === null;

/** Returns true for an object of JSON: neither a list nor null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

export const referredAddresses = (value: DesiredValue | undefined): readonly Address[] =>
  value instanceof UnreadSecret ? [] : referencesOf(value).map(({ address }) => address);

/** Deep equality of JSON values; the order of object keys does not count. */
export const plainEqual = (a: Plain | undefined, b: Plain | undefined): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && canonicalJson(a) === canonicalJson(b));

/** JSON with sorted keys and no white space, for digests; undefined fields are left out. */
export function canonicalJson(value: Plain): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const object = value as Record<string, Plain>;
  let members = "";
  for (const key of Object.keys(object).sort())
    if (object[key] !== undefined)
      members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(object[key] as Plain)}`;
  return `{${members}}`;
}

/** Attributes by path. Nested objects of a schema are flattened one level: `configuration.branch`. */
export type Attributes<Value = Plain> = ReadonlyMap<string, Value>;

/** Attributes that are only looked up by path: declared, live, or both merged. */
export type AttributeLookup = Pick<Attributes<ResolvedValue>, "get">;

/** `configuration.branch` back to `{configuration: {branch}}`. */
export function unflatten<Value>(
  attributes: ReadonlyMap<string, Value>,
): Record<string, Value | Record<string, Value>> {
  const object: Record<string, Value | Record<string, Value>> = {};
  for (const [path, value] of attributes) {
    const dot = path.indexOf(".");
    if (dot === -1) {
      object[path] = value;
    } else {
      const group = path.slice(0, dot);
      const nested = (object[group] ?? {}) as Record<string, Value>;
      nested[path.slice(dot + 1)] = value;
      object[group] = nested;
    }
  }
  return object;
}
