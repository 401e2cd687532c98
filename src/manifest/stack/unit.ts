import type { Plain } from "../../model/value";

/** A stack as a unit of its own: what is read of an app of several, and what its state belongs to. */
export interface StackUnit {
  /** Its name in the manifest.json of the app, unique in it. */
  readonly name: string;
  readonly crossValues: CrossValues;
  /** A value of another stack that is not there yet is a mistake; else it is known later. */
  readonly needsValues: boolean;
  /** Ids of what the states of the other stacks record. */
  readonly ownedElsewhere: ReadonlySet<string>;
}

/** Outputs of the stacks that a stack depends on, by stack and output. */
export type CrossValues = ReadonlyMap<string, ReadonlyMap<string, CrossValue>>;

/** An output of another stack as its plan or its state has it. */
export type CrossValue =
  | { readonly kind: "value"; readonly value: Plain }
  /** Known once that stack is applied. */
  | { readonly kind: "unknown" };
