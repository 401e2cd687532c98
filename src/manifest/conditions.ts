import * as z from "zod";
import type { Condition, ConditionKind } from "../model/policy";
import { expression, expressionOf } from "./policy-file";
import type { SourceNode } from "./tree";

/** `lifecycle.precondition` and `lifecycle.postcondition`. */
export const conditionsSchema = z.array(
  z.strictObject({
    condition: expression.describe("CEL; false fails it."),
    message: z.string().min(1).describe("What people read where it fails."),
  }),
);

/** What must hold of a resource, with the range of each condition in its list. */
export const conditionsOf = (
  kind: ConditionKind,
  conditions: z.infer<typeof conditionsSchema>,
  items: readonly SourceNode[],
  texts: ReadonlyMap<string, string>,
): readonly Condition[] =>
  conditions.map(({ condition, message }, i): Condition => {
    const item = items[i] as SourceNode;
    const written = item.kind === "map" ? item.entries.get("condition")?.value : undefined;
    return {
      ...{ kind, message, range: item.range },
      condition: expressionOf(texts.get(item.range.file) ?? "", written ?? item, condition),
    };
  });
