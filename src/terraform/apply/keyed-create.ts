import { ApiError } from "../../api/api-error";
import type { Resource } from "../../api/reads";
import { isRefusal } from "../../apply/journaled-send";
import type { AppliableValue, CreateInput } from "../../model/resource-operations";
import { type Attributes, canonicalJson } from "../../model/value";
import { type TerraformObject, toPlain } from "../values/terraform-value";

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

/** Returns the attributes that tell one request from another: what is read here alone is not sent, nor is null. */
export const attributesSent = ({
  type,
  input,
}: Pick<KeyedCreate, "type" | "input">): readonly (readonly [string, AppliableValue])[] =>
  [...input.attributes].filter(([path, value]) => value !== null && type.rules[path]?.change !== "local");

export const triggersText = ({ triggers }: TerraformObject): string =>
  canonicalJson(toPlain(triggers ?? null));

/** Whether a write was refused. A read that is refused after it says nothing of what it did. */
export const isRefusedWrite = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.method !== "GET" && isRefusal(failure);
