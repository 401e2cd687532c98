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
 * Confirms in git that resources may be deleted that the stack no longer declares, each by its address.
 * The line may stay: it confirms no other deletion. Throws for a text that is no address.
 * @example
 * confirmRemoved(this, "service.shop.worker", "service.shop.old-site");
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
