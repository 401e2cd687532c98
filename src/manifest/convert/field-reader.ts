import type { Report } from "../../declaration/findings";
import { holdsSecret } from "../../declaration/secret-texts";
import { describeKind, escapeTemplate, isNull, type MapNode, type SourceNode } from "../../declaration/tree";
import { type Diagnostic, error, type SourceRange, warning } from "../../diagnostics/diagnostic";
import type { Plain } from "../../model/value";

/** A service of a manifest in the making: text stands as it is, `${…}` included; undefined is not written. */
export interface ConvertedService {
  /** Its keys in the manifest, which no other service has. */
  readonly path: readonly string[];
  readonly name: string;
  readonly kind: string;
  /** The project of the service, and its environment where that is not Production. */
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
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

/** Reads a file of another tool; a setting without counterpart is reported. */
export type Converter = (file: Fields, clone: Clone) => ConvertedManifest;

export const dropped = (range: SourceRange, summary: string, hint?: string): Diagnostic =>
  warning("manifest.not_converted", summary.replaceAll("$${", "${"), { range, hint });

/** A mapping of another tool, whose keys are read one by one; `finish` reports the unread keys. */
export class Fields {
  readonly #read = new Set<string>();
  readonly #parts: Fields[] = [];

  constructor(
    readonly node: MapNode,
    readonly owner: string,
    readonly report: Report,
    /** The text of the file, at the offsets of its ranges. */
    readonly source: string,
  ) {}

  take(key: string): SourceNode | undefined {
    this.#read.add(key);
    const value = this.node.entries.get(key)?.value;
    return value === undefined || isNull(value) ? undefined : value;
  }

  text(key: string): string | undefined {
    const value = this.take(key);
    return value && this.#textOf(value, `${this.owner}.${key}`);
  }

  /** A text that has to be there; without it nothing is converted. */
  required(key: string): string {
    const text = this.text(key);
    if (text) return text;
    const { range } = this.node;
    this.report(error("manifest.missing_key", `${this.owner}.${key} is missing`, { range }));
    return "";
  }

  /** A whole number; any other value stays a text, which the manifest then reports. */
  number(key: string): number | string | undefined {
    const text = this.text(key);
    return isWhole(text) ? Number(text) : text;
  }

  /** A command, which anybody may read: one with a secret is left out. */
  command(key: string): string | undefined {
    const text = this.text(key)?.trim() ?? "";
    if (holdsSecret(text)) {
      this.drop(key, "it may hold a secret and is left out: write $PASSWORD, a variable of the service");
      return undefined;
    }
    if (text.includes("\n")) this.drop(key, "the command has several lines, which the platform may not take");
    return text || undefined;
  }

  map(key: string): Fields | undefined {
    const value = this.take(key);
    return value && this.#partOf(value, `${this.owner}.${key}`);
  }

  texts(key: string): readonly string[] {
    return this.#items(key).flatMap((item) => this.#textOf(item, `${this.owner}.${key}`) || []);
  }

  maps(key: string): readonly Fields[] {
    return this.#items(key).flatMap((item) => this.#partOf(item, key.replace(/s$/, "")) ?? []);
  }

  #items(key: string): readonly SourceNode[] {
    const value = this.take(key);
    if (value === undefined || value.kind === "list") return value?.items ?? [];
    return this.#refuse(value, `${this.owner}.${key}`, "a list") ?? [];
  }

  #textOf(node: SourceNode, owner: string): string | undefined {
    if (node.kind !== "scalar") return this.#refuse(node, owner, "a text");
    const { value, range } = node;
    const isText = value === null || typeof value === "string";
    return escapeTemplate(isText ? (value ?? "") : this.source.slice(range.start, range.end));
  }

  #partOf(node: SourceNode, owner: string): Fields | undefined {
    if (node.kind !== "map") return this.#refuse(node, owner, "a mapping");
    const part = new Fields(node, owner, this.report, this.source);
    this.#parts.push(part);
    return part;
  }

  /** Reports a value of another kind, which may be a secret: nothing is converted. */
  #refuse(node: SourceNode, owner: string, expected: string): undefined {
    const summary = `${owner} is ${expected}, found ${describeKind(node)}`;
    this.report(error("manifest.invalid_type", summary, { range: node.range }));
  }

  note(key: string, summary: string, part?: { readonly range: SourceRange }): void {
    const { range } = part ?? this.node.entries.get(key)?.value ?? this.node;
    this.report(dropped(range, `${this.owner}.${key}: ${summary}`));
  }

  drop(key: string, why: string): void {
    this.take(key);
    const entry = this.node.entries.get(key);
    if (entry !== undefined) this.note(key, why, { range: entry.keyRange });
  }

  finish(): void {
    for (const { key, keyRange } of this.node.entries.values())
      if (!this.#read.has(key) && !key.startsWith("x-"))
        this.report(dropped(keyRange, `${this.owner}.${key} has no counterpart`, hints.get(key)));
    for (const part of this.#parts) part.finish();
  }
}

/** Returns true if a text is a whole number as JSON writes it, small enough to be kept exactly. */
export const isWhole = (text: string | undefined): boolean =>
  /^(?:0|[1-9]\d*)$/.test(text ?? "") && Number.isSafeInteger(Number(text));

const hints = new Map([
  ["autoDeploy", "configuration: { autoDeploy: … }"],
  ["autoDeployTrigger", "configuration: { autoDeploy: … }"],
  ["plan", "configuration: { plan: … }"],
  ["previews", "stages: { preview: { each: true } }"],
  ["region", "configuration: { region: … }"],
]);
