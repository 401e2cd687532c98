import type { Diagnostic } from "../diagnostics/diagnostic";
import type { SourceNode } from "../manifest/tree";
import { readValue } from "../manifest/values";
import type { Address } from "../model/address";
import type { DesiredCondition } from "../model/desired";
import { type ConditionKind, conditionKinds } from "../model/policy";
import type { JsonNode } from "./document";
import { invalid, missingKey, refused } from "./language/problem";
import { type BlockReader, readerOf, refuseOthers } from "./resolve";
import { nestedBlocks, type StackContext } from "./stack";

/**
 * Reads `precondition` and `postcondition` of `lifecycle`; the latter may say `self`. A mistake in one is reported, and it is
 * left out.
 */
export function readConditions(
  block: JsonNode,
  address: Address,
  reader: BlockReader,
  self: readonly string[],
): readonly DesiredCondition[] {
  const { context, owner } = reader;
  const { reading } = context;
  const ofResult = readerOf(context, { owner, address }, self);
  const within = { ...reading, report: (finding: Diagnostic) => reading.report({ ...finding, address }) };
  const readOne = (inner: JsonNode, kind: ConditionKind): readonly DesiredCondition[] => {
    const label = `lifecycle.${kind}`;
    const found = readCondition(inner, label, kind === "precondition" ? reader : ofResult);
    // It may refer to the resource that has it: that is no cycle.
    const read = (node: SourceNode) => readValue(node, { attribute: label }, within);
    const condition = found && read(found.condition);
    const message = found && read(found.message);
    if (found === undefined || condition === undefined || message === undefined) return [];
    return [{ address, owner, kind, condition, message, range: found.condition.range }];
  };
  return nestedBlocks(block, "lifecycle").flatMap((lifecycle) =>
    conditionKinds.flatMap((kind) => nestedBlocks(lifecycle, kind).flatMap((inner) => readOne(inner, kind))),
  );
}

/** `condition` and `error_message` of a block; undefined after a report. */
function readCondition(
  block: JsonNode,
  label: string,
  reader: BlockReader,
): { readonly condition: SourceNode; readonly message: SourceNode } | undefined {
  const read = (key: string, why: string): SourceNode | undefined => {
    const at = block.at(key);
    if (at.isAbsent) reader.refuse(missingKey(`${label} lacks ${key}`), block);
    const node = at.isAbsent ? undefined : reader.readWhole(at);
    if (node?.isSensitive !== true) return node;
    reader.refuse(refused(`${label}.${key} ${why}`), at);
    return undefined;
  };
  refuseOthers(block, ["condition", "error_message"], label, reader);
  const condition = read("condition", "compares a secret, which rnv hands on and never reads");
  const message = read("error_message", "would show a secret");
  return condition && message && { condition, message };
}

/** Checks `validation` of the variables: their values are known when the stack is read. */
export function checkVariables(context: StackContext): void {
  const { stack } = context;
  for (const [name, entry] of stack.variables) {
    const reader = readerOf(context, { owner: `${stack.name}: var.${name}` });
    for (const block of nestedBlocks(entry, "validation")) {
      const read = readCondition(block, "validation", reader);
      const verdict = read && text(read.condition);
      if (read === undefined || verdict === "true") continue;
      const summary =
        verdict === "false"
          ? (text(read.message) ?? "the value is not valid")
          : "validation.condition is true or false, known before anything is made";
      reader.refuse(invalid(summary), read.condition.range);
    }
  }
}

/** The text of a node that refers to nothing. */
function text(node: SourceNode): string | undefined {
  const isKnown = node.kind === "scalar" && (node.parts ?? []).every(({ kind }) => kind === "text");
  return isKnown ? String(node.value) : undefined;
}
