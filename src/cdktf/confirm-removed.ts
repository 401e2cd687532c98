import type { Construct } from "constructs";
import { parseAddress } from "../model/address";
import { terraformPrefix } from "../model/text";
import { sharedMark } from "./shared";

/** A stack of cdktf or cdktn. */
export interface StackLike extends Construct {
  /** Writes a value at a path of the JSON. */
  addOverride(path: string, value: unknown): void;
}

/**
 * Confirms in git that resources may be deleted that the stack declares no longer, each by its address:
 * `confirmRemoved(stack, "service.shop.worker")`. Leave the line for as long as you like: it says nothing of others.
 * Throws for a text that is no address.
 */
export function confirmRemoved(stack: StackLike, ...addresses: readonly string[]): void {
  const names = sharedMark<string[]>(stack, "confirmed", () => []);
  for (const text of addresses) {
    const address = parseAddress(text);
    if (address === undefined)
      throw new Error(`${JSON.stringify(text)} is no address: one looks like service.shop.worker`);
    const [type = "", ...rest] = address.split(".");
    names.push(`${terraformPrefix}_${type}.${rest.join("__")}`);
  }
  stack.addOverride(
    "removed",
    names.map((from) => ({ from, lifecycle: { destroy: true } })),
  );
}
