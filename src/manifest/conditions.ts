import * as z from "zod";
import { type Condition, conditionKinds } from "../model/policy";
import type { Block } from "./blocks";
import type { ReadContext } from "./context";
import { expression, expressionOf } from "./policy-file";
import { judgeValue } from "./schema-issues";
import { plainOfNode, type SourceNode } from "./tree";

/** `lifecycle.precondition` and `lifecycle.postcondition`. */
export const conditionsSchema = z.array(
  z.strictObject({
    condition: expression.describe("CEL; false fails it."),
    message: z.string().min(1).describe("What people read where it fails."),
  }),
);

/** Reads what must hold of a resource. Nothing of a list with a mistake is returned; each mistake is reported. */
export function readConditions({ meta, address }: Block, context: ReadContext): readonly Condition[] {
  const lifecycle = meta.get("lifecycle")?.value;
  if (lifecycle?.kind !== "map") return [];
  return conditionKinds.flatMap((kind) => {
    const list = lifecycle.entries.get(kind)?.value;
    if (list === undefined) return [];
    const shape = { path: `lifecycle.${kind}`, schema: conditionsSchema };
    const found = judgeValue(
      shape,
      plainOfNode(list, () => true),
      list,
      address,
      context,
    );
    if (found === undefined || list.kind !== "list") return [];
    return (found as z.infer<typeof conditionsSchema>).map(({ condition, message }, i): Condition => {
      const item = list.items[i] as SourceNode;
      const written = item.kind === "map" ? item.entries.get("condition")?.value : undefined;
      return {
        ...{ kind, message, range: item.range },
        condition: expressionOf(context.texts.get(item.range.file) ?? "", written ?? item, condition),
      };
    });
  });
}
