import { type Diagnostic, error, type SourceRange, warning } from "../../diagnostics/diagnostic";
import { isLogicalName } from "../../model/address";
import { type Substitution, splitSubstitutions, withDefaults } from "../substitution";
import { describeNode, escapeTemplate, isNull, type MapEntry, type MapNode, type SourceNode } from "../tree";
import { isSecretName } from "../trust";

export type Report = (diagnostic: Diagnostic) => void;

/** A value of a manifest in the making: text stands as it is, `${…}` included. */
export type ConvertedValue =
  | string
  | number
  | boolean
  | readonly ConvertedValue[]
  | { readonly [key: string]: ConvertedValue };

/** A service of a manifest in the making, in the order in which people read it. */
export interface ConvertedService {
  readonly name: string;
  readonly kind: string;
  /** The project of the service, and its environment where that is not Production. */
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  /** Addresses of the services that are deployed before it. */
  readonly dependsOn?: readonly string[];
  readonly configuration: Readonly<Record<string, ConvertedValue | undefined>>;
  readonly variablesFrom?: readonly ConvertedValue[];
  readonly variables?: Readonly<Record<string, ConvertedValue>>;
}

export interface ConvertedManifest {
  readonly services: readonly ConvertedService[];
  readonly groups?: Readonly<Record<string, Readonly<Record<string, ConvertedValue>>>>;
}

/** The clone around a file: its repository, where it has one, and the folder of the file in it. */
export interface Clone {
  readonly repository?: string;
  readonly folder: string;
}

/** Reads a file of another tool; what has no counterpart is reported. */
export type Converter = (root: MapNode, report: Report, clone: Clone) => ConvertedManifest;

/** Reports a setting that a manifest has no word for, at its location. */
export const dropped = (range: SourceRange, what: string, hint?: string): Diagnostic =>
  warning("manifest.not_converted", what, { range, ...(hint !== undefined && { hint }) });

export const repositoryHint = "configuration: { repository: https://… }";

/** Why keys have no counterpart. */
export type Reasons = Readonly<Record<string, string>>;

/** The text of a single value: a number or a flag as text. */
export const textIn = (node: SourceNode | undefined): string | undefined =>
  node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;

/** A mapping of another tool, whose keys are taken one by one; `finish` reports those that were not taken. */
export class Fields {
  readonly #taken = new Set<string>();

  constructor(
    readonly node: MapNode,
    readonly owner: string,
    readonly report: Report,
    /** Reads a text or a number; undefined where a variable in it has no default. */
    readonly settle: (text: string) => string | undefined = (text) => text,
  ) {}

  /** The value of a key, which counts as taken. */
  take(key: string): SourceNode | undefined {
    this.#taken.add(key);
    const value = this.node.entries.get(key)?.value;
    return value === undefined || isNull(value) ? undefined : value;
  }

  entry(key: string): MapEntry | undefined {
    return this.node.entries.get(key);
  }

  /** Text, or a number or flag as text. */
  text(key: string, expected = "a text"): string | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const text = value.kind === "scalar" ? this.settle(String(value.value)) : undefined;
    if (value.kind !== "scalar") this.wrong(value, key, expected);
    else if (text === undefined) this.drop(key, "a variable in it has no default");
    return text;
  }

  /** A command as a shell takes it. */
  command(key: string): string | undefined {
    const text = this.text(key)?.trim();
    if (text?.includes("\n")) this.drop(key, "the command has several lines, which the service may not take");
    return text;
  }

  number(key: string): number | undefined {
    const text = this.text(key, "a number");
    const value = this.take(key);
    if (text === undefined || value === undefined) return undefined;
    if (Number.isFinite(Number(text))) return Number(text);
    this.wrong(value, key, "a number");
    return undefined;
  }

  map(key: string): Fields | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (value.kind === "map") return new Fields(value, `${this.owner}.${key}`, this.report, this.settle);
    this.wrong(value, key, "a mapping");
    return undefined;
  }

  /** Items of a list; a single value is a list of one. */
  items(key: string): readonly SourceNode[] {
    const value = this.take(key);
    if (value === undefined) return [];
    return value.kind === "list" ? value.items : [value];
  }

  texts(key: string): readonly string[] | undefined {
    const items = this.items(key).flatMap((item) => textIn(item) ?? []);
    return items.length === 0 ? undefined : items;
  }

  /** Reports a fact about a key at its value, or at a part of that. */
  note(key: string, what: string, { range } = this.entry(key)?.value ?? this.node): void {
    this.report(dropped(range, `${this.owner}.${key}: ${what}`));
  }

  /** Reports a key that was looked at and has no counterpart. */
  drop(key: string, why: string): void {
    this.take(key);
    const entry = this.entry(key);
    if (entry !== undefined) this.report(dropped(entry.keyRange, `${this.owner}.${key}: ${why}`));
  }

  wrong(node: SourceNode, key: string, expected: string): void {
    this.report(
      error("manifest.invalid_type", `${this.owner}.${key} is ${expected}, found ${describeNode(node)}`, {
        range: node.range,
      }),
    );
  }

  /** Reports the keys that were not taken, with the reason where there is one. */
  finish(reasons: Reasons = {}): void {
    for (const { key, keyRange } of this.node.entries.values()) {
      if (this.#taken.has(key) || key.startsWith("x-")) continue;
      const why = Object.hasOwn(reasons, key) ? `: ${reasons[key]}` : " has no counterpart";
      this.report(dropped(keyRange, `${this.owner}.${key}${why}`));
    }
  }
}

/** A name that can stand in an address. */
export function logicalNameOf(name: string): string {
  if (isLogicalName(name)) return name;
  const made = name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return made === "" ? "service" : made;
}

/** Reports one fact about a text that is converted. */
export type Note = (what: string) => void;

/**
 * The value of a variable: a reference where it holds the host of another service, the environment where the text names
 * it. A secret is never copied: what its name says is one comes from the environment.
 */
export function variableOf(
  key: string,
  text: string,
  hosts: ReadonlyMap<string, string>,
  note: Note,
): ConvertedValue {
  const parts = splitSubstitutions(text);
  const [only] = parts.length === 1 ? parts : [];
  const isSecret = mayBeSecret(key) || hasPassword(text);
  if (typeof only === "object" && (isSecret || mayBeSecret(only.name) || !/[-+]/.test(only.operator))) {
    if (only.operator === "-")
      note("it may be a secret: it is taken from the environment, without a default");
    return { fromEnv: only.name };
  }
  if (hasPassword(text)) note("it holds a password: it is taken from the environment");
  if (isSecret) return { fromEnv: key };
  if (/\/\/(localhost|127\.0\.0\.1)\b/.test(text)) note("localhost is the service itself");
  const isHost = namesHost(key);
  const written = parts.map((part) =>
    typeof part === "string"
      ? escapeTemplate(part)
      : environmentPart(part, note, hosts, isHost && only === part),
  );
  return withHosts(written.join(""), hosts, isHost);
}

/** The same of a text that names no variables. */
export const literalOf = (key: string, text: string): ConvertedValue =>
  mayBeSecret(key) || hasPassword(text) ? { fromEnv: key } : escapeTemplate(text);

/** A text of a configuration, where a variable that may be a secret is left to the shell of the service. */
export const templateOf = (text: string, note: Note): string =>
  splitSubstitutions(text)
    .map((part) => {
      if (typeof part === "string") return escapeTemplate(part);
      if (!mayBeSecret(part.name)) return environmentPart(part, note);
      note(`the secret ${part.name} is read by a shell: it has to be a variable of the service`);
      return `$${part.name}`;
    })
    .join("");

/** Secrets by their names, and names that often hold one: what a compose file shows in the open must not be copied. */
const mayBeSecret = (name: string): boolean =>
  isSecretName(name) || /(^|_)(SALT|PWD|PASS|AUTH|SECRET_KEY_BASE|VAULT_KEY|SECONDARY_KEY)$/i.test(name);

/** A variable of such a name holds a host alone. */
const namesHost = (key: string): boolean =>
  /(^|_)(HOST|HOSTNAME|HOST_ADDR|SERVER|ADDR|ADDRESS|ENDPOINT)$/i.test(key);

/** `${env.NAME:-default}`; a default that names a service of the file is taken as it is. */
function environmentPart(
  { name, operator, operand }: Substitution,
  note: Note,
  hosts: ReadonlyMap<string, string> = new Map(),
  isHost = false,
): string {
  const fallback = operator === "-" ? withDefaults(operand) : undefined;
  const placed = withHosts(fallback ?? "", hosts, isHost);
  if (fallback !== undefined && placed !== fallback) {
    note(`${name} of the environment is not read: its default names a service of this file`);
    return placed;
  }
  if (operator === "+") {
    note(`the text for when ${name} is set has no counterpart`);
    return "";
  }
  const isPlain = fallback !== undefined && !/[{}]/.test(fallback);
  if (operator === "-" && fallback !== operand)
    note(`the default of ${name} names other variables, which are not read`);
  else if (operator === "-" && !isPlain) note(`${name} has to be set: its default is not plain text`);
  return `\${env.${name}${isPlain ? `:-${fallback}` : ""}}`;
}

/** `user:password@` of an address. */
const hasPassword = (text: string): boolean => /\/\/[^/@\s]*:[^/@\s$]+@/.test(text);

/** Puts references in place of the names by which services of the same file reach each other. */
function withHosts(text: string, hosts: ReadonlyMap<string, string>, isHost: boolean): string {
  let written = text;
  for (const [name, address] of hosts) {
    const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const host = new RegExp(`(^|//|@|,)${literal}(?=[:/,]|$)(?!://)`, "g");
    if (written === name && !isHost) continue;
    written = written.replace(host, (_, before: string) => `${before}\${${address}.internalHost}`);
  }
  return written;
}
