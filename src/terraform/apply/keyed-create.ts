import type { Resource } from "../../api/reads";
import type { CreateInput } from "../../model/resource-operations";
import type { Attributes } from "../../model/value";

/** A create of a resource, or another run of one. */
export interface KeyedCreate {
  readonly type: Resource;
  readonly input: CreateInput;
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
  /** Tells what is asked for, besides the body. */
  readonly seed: string;
  /** Tells this instance from every other of the same content; made anew where the plan had none. */
  readonly nonce?: string;
}
