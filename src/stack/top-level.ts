import { error, type SourceRange } from "../diagnostics/diagnostic";
import { readMoved, readRemoved } from "../manifest/meta";
import type { MapEntry, SourceNode } from "../manifest/tree";
import { readValue } from "../manifest/values";
import { type Address, isLogicalName } from "../model/address";
import { crossStackOutput, type Desired, type DesiredAttribute, hiddenOutput } from "../model/desired";
import { variablesResource } from "../model/text";
import type { JsonNode } from "./document";
import { invalid, refused, unknownReference } from "./language/problem";
import { type BlockReader, readerOf, refuseOthers } from "./resolve";
import { movedFrom, resourceNamed, type StackBlock } from "./resources";
import { nestedBlocks, type Stack, type StackContext } from "./stack";
import { entryNode, isMadeByApply, listNode, mapNode, scalarNode } from "./values";

interface TopBlock {
  readonly block: JsonNode;
  readonly reader: BlockReader;
}

/** The blocks of a kind at the top level of stacks; refuses keys besides `known`. */
const topBlocks = (
  kind: string,
  known: readonly string[],
  stacks: readonly Stack[],
  context: StackContext,
): readonly TopBlock[] =>
  stacks.flatMap((stack) => {
    const reader = readerOf(stack, context, { owner: stack.name });
    const blocks = nestedBlocks(stack.root, kind);
    for (const block of blocks) refuseOthers(block, known, kind, reader);
    return blocks.map((block) => ({ block, reader }));
  });

/** `import` blocks by the address that they name. */
export function readImports(stack: Stack, context: StackContext): ReadonlyMap<Address, MapEntry> {
  const imports = new Map<Address, MapEntry>();
  for (const { block, reader } of topBlocks("import", ["to", "id"], [stack], context)) {
    const to = resourceNamed(block.at("to"), reader);
    const id = reader.read(block.at("id"));
    if (to === undefined || id === undefined) continue;
    const name = String(block.at("to").value);
    if (stack.named.has(name)) imports.set(to, entryNode("import", id, block));
    else reader.refuse(unknownReference(`import names ${name}, which is not declared`), block.at("to"));
  }
  return imports;
}

/** The items of several blocks as a list of a manifest; undefined where there are none. */
const listOf = (items: readonly SourceNode[]): SourceNode | undefined =>
  items[0] && listNode(items, items[0].range);

const moveNode = (from: SourceNode, to: string, range: SourceRange): SourceNode =>
  mapNode(Object.entries({ from, to: scalarNode(to, range) }), range);

/** `moved` blocks, and the addresses of a manifest that constructs say they had; checked like those of a manifest. */
export function readStackMoves(context: StackContext, blocks: readonly StackBlock[]): Desired["moved"] {
  const items: SourceNode[] = [];
  for (const { block, reader } of topBlocks("moved", ["from", "to"], context.stacks, context)) {
    // The variables of a map have addresses of their own, and go with their service.
    if (String(block.at("to").value).startsWith(`${variablesResource}.`)) continue;
    const from = resourceNamed(block.at("from"), reader);
    const to = resourceNamed(block.at("to"), reader);
    if (from !== undefined && to !== undefined)
      items.push(moveNode(scalarNode(from, block.at("from")), to, block));
  }
  for (const { block, source } of blocks)
    for (const from of movedFrom(source)) {
      // The same address as before is no move: a program may keep the line.
      if (from.kind === "scalar" && from.value === block.address) continue;
      items.push(moveNode(from, block.address, from.range));
    }
  return readMoved(listOf(items), context.reading);
}

/** `removed` blocks: deletions confirmed by name; with `destroy = false` the platform keeps the resource. */
export function readStackRemovals(context: StackContext): Desired["removed"] {
  const items: SourceNode[] = [];
  const kept = new Set<Address>();
  for (const { block, reader } of topBlocks("removed", ["from", "lifecycle"], context.stacks, context)) {
    const from = resourceNamed(block.at("from"), reader);
    if (from === undefined) continue;
    items.push(scalarNode(from, block.at("from")));
    if (nestedBlocks(block, "lifecycle").some((lifecycle) => lifecycle.at("destroy").value === false))
      kept.add(from);
  }
  const removed = readRemoved(listOf(items), context.reading);
  return removed.map((one) => ({ ...one, isKept: kept.has(one.address) }));
}

/**
 * `output` blocks. Those that only carry a value from stack to stack are outputs where each stack has its own state, unless
 * the other stack reads them from the program: they hold no reference.
 */
export function readStackOutputs(context: StackContext): Desired["outputs"] {
  const { reading } = context;
  const outputs = new Map<string, DesiredAttribute>();
  for (const stack of context.stacks)
    for (const [name, block] of stack.outputs) {
      const isCrossing = name.startsWith(crossStackOutput);
      if (isCrossing && context.unit === undefined) continue;
      const reader = readerOf(stack, context, { owner: `${stack.name}: output.${name}` });
      const at = block.at("value");
      const isHidden = block.at("sensitive").value === true && !isCrossing;
      const node = reader.readWhole(at);
      if (node === undefined || (isCrossing && !isMadeByApply(node))) continue;
      if (node.isSensitive && !isHidden) reader.refuse(secretOutput, at);
      else if (!isLogicalName(name))
        reader.refuse(invalid(`${JSON.stringify(name)} cannot name an output`), at);
      else if (outputs.has(name))
        reading.report(
          error("stack.duplicate", `two stacks have an output ${name}`, { range: block.keyRange }),
        );
      else {
        const value = node.isSensitive
          ? hiddenOutput
          : readValue(node, { attribute: `outputs.${name}` }, reading);
        if (value !== undefined) outputs.set(name, { value: isHidden ? hiddenOutput : value, range: at });
      }
    }
  return outputs;
}

const secretOutput = refused(
  "outputs are shown and recorded, so they hold no secrets",
  "make it a sensitive one (sensitive: true): it is listed, and its value is neither shown nor recorded",
);
