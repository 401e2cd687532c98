import { type Diagnostic, error, type SourceRange, warning } from "../../diagnostics/diagnostic";
import type { Plain } from "../../model/value";
import type { Report } from "../findings";
import { type Substitution, splitSubstitutions, withDefaults } from "../substitution";
import { describeNode, escapeTemplate, isNull, type MapNode, type SourceNode } from "../tree";
import { holdsSecret, mayBeSecret, whyWithheld } from "./secrets";

/** A service of a manifest in the making: text stands as it is, `${…}` included; undefined is not written. */
export interface ConvertedService {
  /** Its keys in the manifest, which no other service has. */
  readonly path: readonly string[];
  readonly name: string;
  readonly kind: string;
  /** The project of the service, and its environment where that is not Production. */
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  /** Addresses of the services that are deployed before it. */
  readonly dependsOn?: readonly string[];
  readonly configuration: Readonly<Record<string, Plain | undefined>>;
  readonly variablesFrom?: readonly Plain[];
  readonly variables?: Readonly<Record<string, Plain>>;
}

export interface ConvertedManifest {
  readonly services: readonly ConvertedService[];
  readonly groups?: Readonly<Record<string, Plain>>;
}

/** The clone around a file: its repository, where it has one, and the folder of the file in it. */
export interface Clone {
  readonly repository?: string;
  readonly folder: string;
}

/** Reads a file of another tool; what has no counterpart is reported. */
export type Converter = (file: Fields, clone: Clone) => ConvertedManifest;

/** Reports a setting that a manifest has no word for, at its location. */
export const dropped = (range: SourceRange, what: string, hint?: string): Diagnostic =>
  warning("manifest.not_converted", what, { range, ...(hint !== undefined && { hint }) });

/** The text of a single value: a number or a flag as text. */
export const textIn = (node: SourceNode | undefined): string | undefined =>
  node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;

/** A mapping of another tool, whose keys are taken one by one; `finish` reports those that were not taken. */
export class Fields {
  readonly #taken = new Set<string>();
  readonly #parts: Fields[] = [];
  /** Variables that its commands read, in place of secrets of the environment. */
  readonly secrets: Record<string, Plain> = {};

  constructor(
    readonly node: MapNode,
    readonly owner: string,
    readonly report: Report,
    /** Changes each text to that of a manifest; undefined where a variable in it has no default. */
    readonly settle: (text: string) => string | undefined,
  ) {}

  /** The value of a key, which counts as taken. */
  take(key: string): SourceNode | undefined {
    this.#taken.add(key);
    const value = this.node.entries.get(key)?.value;
    return value === undefined || isNull(value) ? undefined : value;
  }

  /** Text, or a number or flag as text. */
  text(key: string): string | undefined {
    const written = this.#read(key, "a text", textIn);
    const text = written === undefined ? undefined : this.settle(written);
    if (written !== undefined && text === undefined) this.drop(key, "a variable in it has no default");
    return text;
  }

  /** A number; what is none stays a text, which the manifest then reports. */
  number(key: string): number | string | undefined {
    const text = this.text(key);
    return Number.isFinite(Number(text)) ? Number(text) : text;
  }

  command(key: string): string | undefined {
    return this.#open(key, this.text(key)?.trim());
  }

  /** A text of a configuration that names variables of the environment. */
  template(key: string, text: string): string | undefined {
    const parts = splitSubstitutions(this.#open(key, text) ?? "").map((part) => {
      if (typeof part === "string") return escapeTemplate(part);
      return mayBeSecret(part.name)
        ? this.#secret(key, part.name)
        : environmentPart(part, (what) => this.note(key, what));
    });
    return parts.join("") || undefined;
  }

  /** A text that anybody may read: one with a secret is left out. */
  #open(key: string, text = ""): string | undefined {
    if (holdsSecret(text)) {
      this.drop(key, "it may hold a secret and is left out: write $PASSWORD, a variable of the service");
      return undefined;
    }
    if (text.includes("\n")) this.drop(key, "the command has several lines, which the service may not take");
    return text || undefined;
  }

  /** In place of a secret of the environment in a command: a variable of the service. */
  #secret(key: string, name: string): string {
    if (!(name in this.secrets))
      this.note(key, `the secret ${name} becomes a variable of the service, which a shell reads`);
    this.secrets[name] = { fromEnv: name };
    return `$${name}`;
  }

  map(key: string): Fields | undefined {
    return this.#read(key, "a mapping", (value) => this.#partOf(value, `${this.owner}.${key}`));
  }

  /** Items of a list; a single value is a list of one. */
  items(key: string): readonly SourceNode[] {
    const value = this.take(key);
    if (value === undefined) return [];
    return value.kind === "list" ? value.items : [value];
  }

  texts(key: string): readonly string[] {
    return this.items(key).flatMap((item) => this.settle(textIn(item) ?? "") || []);
  }

  /** The mappings of a list. */
  maps(key: string): readonly Fields[] {
    return this.items(key).flatMap((item) => this.#partOf(item, key.replace(/s$/, "")) ?? []);
  }

  /** Reads the value of a key, where it has one; one of another kind is an error. */
  #read<T>(key: string, expected: string, read: (value: SourceNode) => T | undefined): T | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const found = read(value);
    const what = `${this.owner}.${key} is ${expected}, found ${describeNode(value)}`;
    if (found === undefined) this.report(error("manifest.invalid_type", what, { range: value.range }));
    return found;
  }

  #partOf(node: SourceNode, owner: string): Fields | undefined {
    if (node.kind !== "map") return undefined;
    const part = new Fields(node, owner, this.report, this.settle);
    this.#parts.push(part);
    return part;
  }

  /** Reports a fact about a key at its value, or at a part of that. */
  note(key: string, what: string, part?: { readonly range: SourceRange }): void {
    const { range } = part ?? this.node.entries.get(key)?.value ?? this.node;
    this.report(dropped(range, `${this.owner}.${key}: ${what}`));
  }

  /** Reports a key that was looked at and has no counterpart. */
  drop(key: string, why: string): void {
    this.take(key);
    const entry = this.node.entries.get(key);
    if (entry !== undefined) this.note(key, why, { range: entry.keyRange });
  }

  /** Reports the keys that were not taken, here and in the mappings inside, each once. */
  finish(why?: string): void {
    for (const { key, keyRange } of this.node.entries.values()) {
      if (this.#taken.has(key) || key.startsWith("x-")) continue;
      this.#taken.add(key);
      const what = why === undefined ? " has no counterpart" : `: ${why}`;
      const hint = why === undefined ? hints.get(key) : undefined;
      this.report(dropped(keyRange, `${this.owner}.${key}${what}`, hint));
    }
    for (const part of this.#parts) part.finish(why);
  }
}

/** What a manifest has in place of keys without a counterpart. */
const hints = new Map([
  ["healthcheck", "configuration: { healthCheckPath: /healthz }"],
  ["plan", "configuration: { plan: … }"],
  ["previews", "stages: { preview: { each: true } }"],
  ["region", "configuration: { region: … }"],
  ["resources", "configuration: { plan: … }"],
]);

/** Logical names of services, by the hosts by which they reach each other. */
export type Hosts = ReadonlyMap<string, string>;

/**
 * The value of a variable: a reference where it holds the host of another service, the environment where the text names
 * it. A secret is never copied: what its name says is one comes from the environment.
 */
export function variableOf(key: string, text: string, hosts: Hosts, note: (what: string) => void): Plain {
  const parts = splitSubstitutions(text);
  const [only] = parts.length === 1 ? parts : [];
  const value = withDefaults(text);
  const why = whyWithheld(key, text, value);
  const isOpen = (one: Substitution) => /[-+]/.test(one.operator) && !mayBeSecret(one.name, value);
  if (typeof only === "object" && (why !== undefined || !isOpen(only))) {
    if (only.operator === "-")
      note("it may be a secret: it is taken from the environment, without a default");
    return { fromEnv: only.name };
  }
  if (why) note(`${why}: it is taken from the environment`);
  if (why !== undefined) return { fromEnv: key };
  if (/\/\/(localhost|127\.0\.0\.1)\b/.test(text)) note("localhost is the service itself");
  // A variable of such a name holds a host alone.
  const isHost = /(^|_)(HOST|HOSTNAME|HOST_ADDR|SERVER|ADDR|ADDRESS|ENDPOINT)$/i.test(key);
  const written = parts.map((part) => {
    if (typeof part === "string") return escapeTemplate(part);
    const fallback = part.operator === "-" ? withDefaults(part.operand) : undefined;
    const placed = withHosts(fallback ?? "", hosts, isHost && only === part);
    if (placed === (fallback ?? "")) return environmentPart(part, note);
    note(`${part.name} of the environment is not read: its default names a service of this file`);
    return placed;
  });
  return withHosts(written.join(""), hosts, isHost);
}

/** `${env.NAME:-default}` */
function environmentPart({ name, operator, operand }: Substitution, note: (what: string) => void): string {
  if (operator === "+") {
    note(`the text for when ${name} is set has no counterpart`);
    return "";
  }
  const fallback = operator === "-" ? withDefaults(operand) : undefined;
  const isSecret = mayBeSecret(name, fallback);
  const isPlain = fallback !== undefined && !/[{}]/.test(fallback) && !isSecret;
  if (operator === "-" && fallback !== operand)
    note(`the default of ${name} names other variables, which are not read`);
  else if (operator === "-" && !isPlain)
    note(`${name} has to be set: its default ${isSecret ? "may be a secret" : "is not plain text"}`);
  return `\${env.${name}${isPlain ? `:-${fallback}` : ""}}`;
}

/** A name at the beginning, or behind `//`, `@` or a comma, that is not the scheme of an address. */
const namesInText = /(?<=^|\/\/|@|,)[^/@:,]+(?=[:/,]|$)(?!:\/\/)/g;

/** Puts references in place of the names by which services of the same file reach each other. */
function withHosts(text: string, hosts: Hosts, isHost: boolean): string {
  if (hosts.has(text) && !isHost) return text;
  return text.replace(namesInText, (name) =>
    hosts.has(name) ? `\${service.${hosts.get(name)}.internalHost}` : name,
  );
}
