import * as z from "zod";
import { error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { DesiredResource } from "../model/desired";
import { append } from "../model/graph";
import type { Block } from "./blocks";
import type { ReadContext } from "./context";
import { addressSchema } from "./meta";
import { reportUndeclared } from "./references";
import { judgeItems } from "./schema-issues";
import { orderKey, type TypeIndex } from "./type-index";

/** `dependsOn: [service.shop.migrate]`: addresses of the type that the block has. */
export const orderSchema = (index: Pick<TypeIndex, "byType">, type: string) =>
  z
    .array(addressSchema(index, type))
    .describe(`Each ${type} that is created, deployed and settled before this one, and deleted after it.`);

/** Returns the declared addresses that `dependsOn` of a block names; the others are reported. */
export function readOrder({ address, meta, placed }: Block, context: ReadContext): readonly Address[] {
  const schema = addressSchema(context.index, placed.type.type);
  const named = judgeItems(schema, orderKey, meta.get(orderKey)?.value, context.report, { address });
  return named.flatMap(({ item, at: { range } }) => {
    const on = item as Address;
    if (on === address)
      context.report(
        error("manifest.reference_cycle", `${address} depends on itself`, {
          ...{ address, attribute: orderKey, range },
        }),
      );
    else if (context.blocks.has(on)) return [on];
    else reportUndeclared(on, placed, range, { address, attribute: orderKey }, context);
    return [];
  });
}

/**
 * Returns the resources, each waiting for the parts of those that its `dependsOn` names too, such as their deployment;
 * undefined where none names any.
 */
export function waitForParts(
  built: readonly { readonly resource: DesiredResource; readonly order: readonly Address[] }[],
  resources: ReadonlyMap<Address, DesiredResource>,
): ReadonlyMap<Address, DesiredResource> | undefined {
  const ordered = built.filter(({ order }) => order.length > 0);
  if (ordered.length === 0) return undefined;
  const parts = new Map<Address, Address[]>();
  for (const { address, parent } of resources.values()) if (parent) append(parts, parent, address);
  const waiting = new Map(resources);
  for (const { resource, order } of ordered) {
    const found = resources.get(resource.address) as DesiredResource;
    const further = order.flatMap((on) => parts.get(on) ?? []);
    waiting.set(found.address, { ...found, dependsOn: [...found.dependsOn, ...further] });
  }
  return waiting;
}
