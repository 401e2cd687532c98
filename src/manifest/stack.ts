import type { Diagnostic } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";
import type { SourceNode } from "./source-tree";
import { isObject, type Json, type JsonObject, type Place, type StackDocument } from "./stack-document";
import type { PlacedType } from "./type-index";

/** One named thing of a stack: a variable, a local, an output. */
export interface Entry {
  readonly value: Json;
  readonly place: Place;
}

/** One `resource` of a stack. */
export interface StackResource {
  readonly terraformType: string;
  readonly name: string;
  readonly body: JsonObject;
  readonly place: Place;
  /** `shop/api`; undefined in JSON that no construct wrote. */
  readonly constructPath?: string;
}

/** One stack as its JSON declares it, with the parts by name. */
export interface Stack {
  readonly document: StackDocument;
  /** Path of its construct, or the name of the file. */
  readonly name: string;
  readonly resources: readonly StackResource[];
  readonly variables: ReadonlyMap<string, Entry>;
  readonly locals: ReadonlyMap<string, Entry>;
  readonly outputs: ReadonlyMap<string, Entry>;
  readonly data: ReadonlyMap<string, Entry>;
}

/** Everything that is read in one run: the stacks in the order of their dependencies. */
export interface Program {
  readonly stacks: readonly Stack[];
  /** Resource types by their name in Terraform. */
  readonly types: ReadonlyMap<string, PlacedType>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Secrets are read; without that, variables may have no value. */
  readonly fillIn: boolean;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Names that are not declared, and characters of locals and outputs that were read, each time they were. */
  readonly spent: { misses: number; characters: number };
}

/** Where an expression stands: the value that it is part of, and its text. */
export interface Site {
  readonly stack: Stack;
  readonly place: Place;
  /** `${…}`; empty when the value as a whole is meant. */
  readonly source: string;
  /** Locals and outputs that are being looked up: one that meets itself is a cycle. */
  readonly busy: ReadonlySet<string>;
}

export const rangeOf = ({ place, source }: Site): SourceRange =>
  source === "" ? place : place.within(source);

/** Works a JSON value out; handed down to what looks names up. */
export type ReadJson = (value: Json, site: Site, program: Program) => SourceNode;

/** The prefix of what the library declares for references across stacks. */
export const crossStackOutput = "cross-stack-output-";
export const crossStackInput = "cross-stack-reference-input-";

/** `//`.`metadata`.`path`: where the construct stands in the program. */
export function constructPathOf(body: JsonObject): string | undefined {
  const metadata = commentOf(body, "metadata");
  return typeof metadata?.path === "string" ? metadata.path : undefined;
}

/** A part of the comment of a block, which Terraform does not read. */
export function commentOf(body: JsonObject, key: string): JsonObject | undefined {
  const comment = body["//"];
  const part = isObject(comment) ? comment[key] : undefined;
  return isObject(part) ? part : undefined;
}
