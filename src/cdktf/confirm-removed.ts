import type { Construct } from "constructs";
import { parseAddress } from "../model/address";
import { terraformPrefix } from "../model/terraform-names";

/** A stack of cdktf or cdktn. */
export interface StackLike extends Construct {
  /** Writes a value at a path of the JSON. */
  addOverride(path: string, value: unknown): void;
}

/**
 * Confirms in git that resources may be deleted that the stack no longer declares, each by its address. The line may
 * stay: it confirms no other deletion. Throws for a text that is no address. Write it after
 * `stack.addOverride("removed", …)`, which replaces earlier confirmations.
 * @example
 * confirmRemoved(this, "service.shop.worker", "service.shop.old-site");
 */
export function confirmRemoved(stack: StackLike, ...addresses: readonly string[]): void {
  const confirmed = addresses.map((text) => {
    const address = parseAddress(text);
    if (address === undefined)
      throw new Error(`${JSON.stringify(text)} is no address: one looks like service.shop.worker`);
    const [type = "", ...rest] = address.split(".");
    return { from: `${terraformPrefix}_${type}.${rest.join("__")}`, lifecycle: { destroy: true } };
  });
  // An override replaces the former override, so it repeats the entries of the stack.
  const { rawOverrides } = stack as unknown as {
    readonly rawOverrides: { readonly removed?: readonly unknown[] };
  };
  stack.addOverride("removed", [...(rawOverrides.removed ?? []), ...confirmed]);
}
