import * as cdktf from "cdktf";
import type { Construct } from "constructs";
import { defineStack } from "./define-constructs";

// The build writes `generated/cdktn.ts` from this file, with the name of the other library.

/**
 * A stack of the library with methods of rnv. Any other stack works as well.
 * @example
 * class Shop extends RnvStack {}
 * const shop = new Shop(this.node.root, "shop");
 * new RnvProvider(shop, "rnv");
 * shop.confirmRemoved("service.shop.worker");
 */
export const RnvStack = defineStack(cdktf) as unknown as Omit<typeof cdktf.TerraformStack, "prototype"> & {
  new (scope: Construct, id: string): RnvStack;
};

/** A stack with methods of rnv. */
export interface RnvStack extends cdktf.TerraformStack {
  /**
   * Confirms in git that resources may be deleted that the stack declares no longer, each by its address:
   * `stack.confirmRemoved("service.shop.worker")`. It is what the function `confirmRemoved` does for any stack.
   */
  confirmRemoved(...addresses: readonly string[]): void;
}

export { confirmRemoved } from "./confirm-removed";
export type { VariableValue } from "./constructs";
export * from "./generated/classes-cdktf";
export type {
  ServiceConfiguration,
  ServiceConfigurationOutputReference,
  Timeouts,
} from "./generated/props";
export { fromCommand, fromEnv, fromFile, generate, type SecretSource as Secret } from "./secrets";
