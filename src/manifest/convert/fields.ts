import { type Diagnostic, error, type SourceRange, warning } from "../../diagnostics/diagnostic";
import { isLogicalName } from "../../model/address";
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
  readonly configuration: Readonly<Record<string, ConvertedValue | undefined>>;
  readonly variablesFrom?: readonly ConvertedValue[];
  readonly variables?: Readonly<Record<string, ConvertedValue>>;
}

export interface ConvertedManifest {
  readonly services: readonly ConvertedService[];
  readonly groups?: Readonly<Record<string, Readonly<Record<string, ConvertedValue>>>>;
}

/** Reads a file of another tool; what has no counterpart is reported. */
export type Converter = (root: MapNode, report: Report) => ConvertedManifest;

/** Reports a setting that a manifest has no word for, at its location. */
export const dropped = (range: SourceRange, what: string, hint?: string): Diagnostic =>
  warning("manifest.not_converted", what, { range, ...(hint !== undefined && { hint }) });

/** A mapping of another tool, whose keys are taken one by one; `finish` reports those that nobody took. */
export class Fields {
  readonly #taken = new Set<string>();

  constructor(
    readonly node: MapNode,
    readonly owner: string,
    readonly report: Report,
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
  text(key: string): string | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (value.kind === "scalar" && value.value !== null) return String(value.value);
    this.wrong(value, key, "a text");
    return undefined;
  }

  number(key: string): number | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const number = value.kind === "scalar" ? Number(value.value) : Number.NaN;
    if (Number.isFinite(number)) return number;
    this.wrong(value, key, "a number");
    return undefined;
  }

  map(key: string): Fields | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (value.kind === "map") return new Fields(value, `${this.owner}.${key}`, this.report);
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
    const items = this.items(key).flatMap((item) =>
      item.kind === "scalar" && item.value !== null ? [String(item.value)] : [],
    );
    return items.length === 0 ? undefined : items;
  }

  /** Reports a key that was looked at and has no counterpart. */
  drop(key: string, why: string, hint?: string): void {
    this.#taken.add(key);
    const entry = this.node.entries.get(key);
    if (entry !== undefined) this.report(dropped(entry.keyRange, `${this.owner}.${key}: ${why}`, hint));
  }

  wrong(node: SourceNode, key: string, expected: string): void {
    this.report(
      error("manifest.invalid_type", `${this.owner}.${key} is ${expected}, found ${describeNode(node)}`, {
        range: node.range,
      }),
    );
  }

  finish(): void {
    for (const { key, keyRange } of this.node.entries.values())
      if (!this.#taken.has(key) && !key.startsWith("x-"))
        this.report(dropped(keyRange, `${this.owner}.${key} has no counterpart`));
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

/** `${NAME}`, `${NAME:-default}` and `$NAME` of a shell, as the whole of a text. */
const whole = /^\$(?:\{([A-Za-z_]\w*)(?::?[-?][^}]*)?\}|([A-Za-z_]\w*))$/;
const each = /\$\$|\$\{([A-Za-z_]\w*)(?::?([-?])([^}]*))?\}|\$([A-Za-z_]\w*)/g;

/**
 * The value of a variable: a reference where it holds the host of another service, the environment where the text names
 * it. A secret is never copied: what its name says is one comes from the environment.
 */
export function variableOf(
  key: string,
  text: string,
  { hosts, interpolates }: { readonly hosts: ReadonlyMap<string, string>; readonly interpolates: boolean },
): ConvertedValue {
  const named = interpolates ? whole.exec(text) : null;
  const [, braced, bare] = named ?? [];
  const name = braced ?? bare;
  if (name !== undefined && (isSecretName(name) || isSecretName(key) || !text.includes("-")))
    return { fromEnv: name };
  if (isSecretName(key) || hasPassword(text)) return { fromEnv: key };
  const kept = interpolates ? text.replace(each, environmentPart) : escapeTemplate(text);
  return withHosts(kept, hosts, namesHost(key));
}

/** A variable of such a name holds a host alone. */
const namesHost = (key: string): boolean => /(^|_)(HOST|HOSTNAME|SERVER|ADDR|ADDRESS|ENDPOINT)$/i.test(key);

function environmentPart(
  found: string,
  name: string | undefined,
  operator: string | undefined,
  operand: string | undefined,
  bare: string | undefined,
): string {
  if (found === "$$") return "$";
  const fallback = operator === "-" ? `:-${operand ?? ""}` : "";
  return `\${env.${name ?? bare}${fallback}}`;
}

/** `user:password@` of an address. */
const hasPassword = (text: string): boolean => /\/\/[^/@\s]*:[^/@\s$]+@/.test(text);

/** Puts references in place of the names by which services of the same file reach each other. */
function withHosts(text: string, hosts: ReadonlyMap<string, string>, isHost: boolean): string {
  let written = text;
  for (const [name, address] of hosts) {
    const host = new RegExp(`(^|//|@)${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?=[:/]|$)`, "g");
    if (written === name && !isHost) continue;
    written = written.replace(host, (_, before: string) => `${before}\${${address}.internalHost}`);
  }
  return written;
}
