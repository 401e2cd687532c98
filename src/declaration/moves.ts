import * as z from "zod";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { type Address, nameOf, typeOf } from "../model/address";
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

/** Reads `moved`: the new addresses of recorded resources, in steps of one release each. */
export function readMoved(node: SourceNode | undefined, context: LoadContext): Desired["moved"] {
  const moved = new Map<Address, Desired["moved"][number]>();
  const found = judgeItems(moveSchema(context.index), "moved", node, context.report, {
    code: "manifest.moved",
    hintFor: () => "moved: [{ from: service.shop.web, to: service.shop.api }]",
  });
  const refuse = (summary: string, range: SourceRange): void =>
    context.report(error("manifest.moved", summary, { range }));
  for (const { item, at } of found) {
    const { range } = at;
    const [from, to] = [item.from as Address, item.to as Address];
    if (typeOf(from) !== typeOf(to)) refuse(`${from} and ${to} are of different types`, range);
    else if (context.blocks.has(from)) refuse(`${from} is still declared: remove it, or the move`, range);
    else if (moved.has(from)) refuse(`${from} is moved twice`, range);
    else moved.set(from, { from, to, range });
  }
  for (const { from, to, range } of moved.values()) {
    if (context.blocks.has(to) || context.isPartial) continue;
    if (isInRing(from, moved)) refuse(`the moves of ${from} lead back to it`, range);
    else if (![...moved.keys()].some((other) => `${nameOf(to)}.`.startsWith(`${nameOf(other)}.`)))
      refuse(`${to} is not declared`, range);
  }
  return [...moved.values()];
}

function isInRing(from: Address, moved: ReadonlyMap<Address, { readonly to: Address }>): boolean {
  let at = moved.get(from)?.to;
  for (let steps = moved.size; at !== undefined && at !== from && steps > 0; steps -= 1)
    at = moved.get(at)?.to;
  return at === from;
}

const stillDeclared = "to destroy it, delete its block too; to keep it, delete this entry";

/** `removed`: deletions confirmed by address, in the text that is reviewed. */
export function readRemoved(node: SourceNode | undefined, context: LoadContext): Desired["removed"] {
  const removed = new Map<Address, Desired["removed"][number]>();
  const found = judgeItems(removalSchema(context.index), "removed", node, context.report, {
    code: "manifest.removed",
    hintFor: () => "removed: [service.shop.worker] deletes it; rnv state rm service.shop.worker keeps it",
  });
  for (const { item, at } of found) {
    const { range } = at;
    const address = (typeof item === "string" ? item : item.address) as Address;
    const consumers = typeof item === "string" ? undefined : item.consumers;
    if (context.blocks.has(address))
      context.report(
        error("manifest.removed", `${address} is still declared`, { address, range, hint: stillDeclared }),
      );
    else removed.set(address, { address, range, consumers });
  }
  return [...removed.values()];
}
