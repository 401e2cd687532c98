import * as z from "zod";
import type { PolicyExpression } from "../model/policy";
import type { SourceNode } from "./tree";

/** Characters; CEL is read in one piece. */
const longest = 4000;

export const expression = z.string().min(1, "expected an expression of CEL").max(longest);

/** The expression that a scalar of a file holds. A text that stands in the file as it is keeps its offsets. */
export function expressionOf({ range }: SourceNode, text: string): PolicyExpression {
  const at = range.source?.text?.slice(range.start, range.end).indexOf(text) ?? -1;
  return { text, range, start: at === -1 ? undefined : range.start + at };
}
