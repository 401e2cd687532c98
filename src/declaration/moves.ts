import * as z from "zod";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { type Address, typeOf } from "../model/address";
import type { Desired } from "../model/desired";
import type { LoadContext } from "./load-context";
import { addressSchema } from "./references";
import { judgeItems } from "./schema-issues";
import type { SourceNode } from "./tree";
import type { TypeIndex } from "./type-index";

export const moveSchema = (index: TypeIndex) =>
  z.strictObject({ from: addressSchema(index), to: addressSchema(index) });

export const removalSchema = (index: TypeIndex) => {
  const address = addressSchema(index);
  return z.union([address, z.strictObject({ address, consumers: z.literal(true) })]);
};

/** `moved`: where a recorded resource is declared now. */
export function readMoved(node: SourceNode | undefined, context: LoadContext): Desired["moved"] {
  const moved: { from: Address; to: Address; range: SourceRange }[] = [];
  const seen = new Set<string>();
  const found = judgeItems(moveSchema(context.index), "moved", node, context.report, {
    code: "manifest.moved",
    hintFor: () => "moved: [{ from: service.shop.web, to: service.shop.api }]",
  });
  for (const { item, at } of found) {
    const { range } = at;
    const [from, to] = [item.from as Address, item.to as Address];
    const refuse = (summary: string): void => context.report(error("manifest.moved", summary, { range }));
    if (typeOf(from) !== typeOf(to)) refuse(`${from} and ${to} are of different types`);
    else if (context.blocks.has(from)) refuse(`${from} is still declared`);
    else if (!context.blocks.has(to) && !context.isPartial) refuse(`${to} is not declared`);
    else if (seen.has(`from ${from}`) || seen.has(`to ${to}`)) refuse(`${from} or ${to} is moved twice`);
    else moved.push({ from, to, range });
    seen.add(`from ${from}`).add(`to ${to}`);
  }
  return moved;
}

/** `removed`: deletions confirmed by name, in the text that is reviewed. */
export function readRemoved(node: SourceNode | undefined, context: LoadContext): Desired["removed"] {
  const removed = new Map<Address, Desired["removed"][number]>();
  const found = judgeItems(removalSchema(context.index), "removed", node, context.report, {
    code: "manifest.removed",
    hintFor: () => "removed: [service.shop.worker]",
  });
  for (const { item, at } of found) {
    const { range } = at;
    const address = (typeof item === "string" ? item : item.address) as Address;
    const consumers = typeof item !== "string";
    if (context.blocks.has(address))
      context.report(
        error("manifest.removed", `${address} is declared and cannot be removed`, { address, range }),
      );
    else removed.set(address, { address, range, ...(consumers && { consumers }) });
  }
  return [...removed.values()];
}
