import type { Diagnostic } from "../diagnostics/diagnostic";
import type { ReadContext } from "../manifest/context";
import type { SourceNode } from "../manifest/tree";
import { readValue } from "../manifest/values";
import type { Address } from "../model/address";
import type { DesiredCondition } from "../model/desired";
import { type ConditionKind, conditionKinds } from "../model/policy";
import type { JsonNode } from "./document";
import { StackProblem } from "./language/problem";
import { type BlockReader, readerOf } from "./resolve";
import { nestedBlocks, type Stack, type StackContext } from "./stack";

/** A condition whose expressions are read, and whose references are not looked up yet. */
export interface FoundCondition {
  readonly address: Address;
  readonly owner: string;
  readonly kind: ConditionKind;
  readonly condition: SourceNode;
  readonly message: SourceNode;
}

/** Reads `precondition` and `postcondition` of `lifecycle`; the latter may say `self`. */
export function readConditions(
  entry: JsonNode,
  of: Pick<FoundCondition, "address" | "owner">,
  readers: { readonly [Kind in ConditionKind]: BlockReader },
): readonly FoundCondition[] {
  return nestedBlocks(entry, "lifecycle").flatMap((lifecycle) =>
    conditionKinds.flatMap((kind) =>
      nestedBlocks(lifecycle, kind).flatMap((block) => {
        const read = readCondition(block, `lifecycle.${kind}`, readers[kind]);
        return read === undefined ? [] : [{ ...of, kind, ...read }];
      }),
    ),
  );
}

/** `condition` and `error_message` of a block; undefined after a report. */
function readCondition(
  block: JsonNode,
  label: string,
  reader: BlockReader,
): Pick<FoundCondition, "condition" | "message"> | undefined {
  const read = (key: string): SourceNode | undefined => {
    const at = block.at(key);
    if (at.isAbsent) {
      reader.refuse(new StackProblem("stack.missing_key", `${label} lacks ${key}`), block);
      return undefined;
    }
    const node = reader.readWhole(at);
    if (node?.isSensitive !== true) return node;
    const why =
      key === "condition" ? "compares a secret, which rnv hands on and never reads" : "would show a secret";
    reader.refuse(new StackProblem("stack.unsupported", `${label}.${key} ${why}`), at);
    return undefined;
  };
  for (const [key, { keyRange }] of block.entries)
    if (key !== "condition" && key !== "error_message")
      reader.refuse(
        new StackProblem("stack.unknown_key", `${label} has no ${JSON.stringify(key)}`),
        keyRange,
      );
  const condition = read("condition");
  const message = read("error_message");
  return condition && message && { condition, message };
}

/** Conditions with their references; a mistake in one is reported, and it is left out. */
export const buildConditions = (
  found: readonly FoundCondition[],
  reading: ReadContext,
): readonly DesiredCondition[] =>
  found.flatMap(({ address, owner, kind, condition, message }) => {
    // It may refer to what it stands on: that is no cycle.
    const at = { attribute: `lifecycle.${kind}` };
    const within = { ...reading, report: (finding: Diagnostic) => reading.report({ ...finding, address }) };
    const value = readValue(condition, at, within);
    const said = readValue(message, at, within);
    if (value === undefined || said === undefined) return [];
    return [{ address, owner, kind, condition: value, message: said, range: condition.range }];
  });

/** Checks `validation` of the variables: their values are known when the stack is read. */
export function checkVariables(stack: Stack, context: StackContext): void {
  for (const [name, entry] of stack.variables) {
    const reader = readerOf(stack, context, `${stack.name}: var.${name}`);
    for (const block of nestedBlocks(entry, "validation")) {
      const read = readCondition(block, "validation", reader);
      if (read === undefined) continue;
      const { condition, message } = read;
      const verdict =
        condition.kind === "scalar" && condition.parts === undefined ? condition.value : text(condition);
      if (verdict === true || verdict === "true") continue;
      const isFalse = verdict === false || verdict === "false";
      reader.refuse(
        isFalse
          ? new StackProblem("stack.invalid_value", text(message) ?? "the value is not valid")
          : new StackProblem(
              "stack.invalid_value",
              "validation.condition is true or false, known before anything is made",
            ),
        condition.range,
      );
    }
  }
}

/** The text of a node that refers to nothing. */
function text(node: SourceNode): string | undefined {
  const isKnown = node.kind === "scalar" && (node.parts ?? []).every(({ kind }) => kind === "text");
  return isKnown ? String(node.value) : undefined;
}
