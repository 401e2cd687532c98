import type { SourceRange } from "../diagnostics/source-range";
import type { ScalarNode, SourceNode } from "./source-tree";
import { jsonEncode } from "./stack-json-text";
import { StackProblem, unsupported } from "./stack-problem";
import { joinNodes, markSensitive, plainOf } from "./stack-text";

/** The functions that the library writes for plain TypeScript. */
export function callFunction(name: string, args: readonly SourceNode[], range: SourceRange): SourceNode {
  const [first, ...others] = args;
  if (name === "sensitive" && first !== undefined && others.length === 0)
    return markSensitive({ ...first, range });
  if (name === "join" && first !== undefined && others.length > 0) {
    const items = others.flatMap((list) => {
      if (list.kind === "list") return list.items;
      throw new StackProblem("manifest.invalid_type", "join takes a separator and lists");
    });
    const joined = joinNodes(items, String(plainOf(first, "join")), range);
    return args.some((node) => node.isSensitive) ? markSensitive({ ...joined, value: "" }) : joined;
  }
  if (name === "jsonencode" && first !== undefined && others.length === 0) {
    const text = jsonEncode(plainOf(first, "jsonencode"));
    const isMarked = first.isSensitive === true;
    const encoded: ScalarNode = {
      kind: "scalar",
      value: isMarked ? "" : text,
      parts: [{ kind: "text", text }],
      range,
    };
    return isMarked ? markSensitive(encoded) : encoded;
  }
  throw unsupported(`the function ${name}`);
}
