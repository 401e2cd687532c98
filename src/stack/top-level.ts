import { readMoved, readRemoved } from "../declaration/moves";
import { readValue } from "../declaration/read-value";
import {
  entryNode,
  listNode,
  type MapEntry,
  mapNode,
  type SourceNode,
  scalarNode,
} from "../declaration/tree";
import type { SourceRange } from "../diagnostics/diagnostic";
import { type Address, isLogicalName } from "../model/address";
import { type Desired, type DesiredAttribute, hiddenOutput, isCrossStackOutput } from "../model/desired";
import { variablesResource } from "../model/terraform-names";
import { referencesOf } from "../model/value";
import { protectionOf, unknownKey } from "./block-attributes";
import type { JsonNode } from "./document";
import { invalid, refused, StackProblem, unknownReference } from "./language/problem";
import { type BlockReader, readerOf, refuseOthers } from "./resolve";
import { movedFrom, resourceNamed, type StackBlock } from "./resources";
import { nestedBlocks, type StackContext } from "./stack";

/** The blocks of a kind at the top level; refuses keys besides `known`. */
function topBlocks(kind: string, known: readonly string[], context: StackContext) {
  const { root, name } = context.stack;
  const reader = readerOf(context, { owner: name });
  const blocks = nestedBlocks(root, kind);
  for (const block of blocks) refuseOthers(block, known, kind, reader);
  return blocks.map((block) => ({ block, reader }));
}

export function readImports(context: StackContext): ReadonlyMap<Address, MapEntry> {
  const imports = new Map<Address, MapEntry>();
  for (const { block, reader } of topBlocks("import", ["to", "id"], context)) {
    const to = resourceNamed(block.at("to"), reader);
    const id = reader.read(block.at("id"));
    if (to === undefined || id === undefined) continue;
    const name = String(block.at("to").value);
    if (context.stack.named.has(name)) imports.set(to, entryNode("import", id, block.range));
    else reader.refuse(unknownReference(`import names ${name}, which is not declared`), block.at("to").range);
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
  for (const { block, reader } of topBlocks("moved", ["from", "to"], context)) {
    // The variables of a map have addresses of their own, and go with their service.
    if (String(block.at("to").value).startsWith(`${variablesResource}.`)) continue;
    const from = resourceNamed(block.at("from"), reader);
    const to = resourceNamed(block.at("to"), reader);
    if (from !== undefined && to !== undefined)
      items.push(moveNode(scalarNode(from, block.at("from").range), to, block.range));
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
  for (const { block, reader } of topBlocks("removed", ["from", "lifecycle"], context)) {
    const from = resourceNamed(block.at("from"), reader);
    if (from === undefined) continue;
    items.push(scalarNode(from, block.at("from").range));
    if (nestedBlocks(block, "lifecycle").some((lifecycle) => lifecycle.at("destroy").value === false))
      kept.add(from);
  }
  const removed = readRemoved(listOf(items), context.reading);
  return removed.map((one) => ({ ...one, isKept: kept.has(one.address) }));
}

/**
 * `output` blocks. Those that only carry a value from stack to stack are outputs, unless the other stack reads them from
 * the program: they hold no reference.
 */
export function readStackOutputs(context: StackContext): Desired["outputs"] {
  const { stack, reading } = context;
  const outputs = new Map<string, DesiredAttribute>();
  for (const [name, block] of stack.outputs) {
    const isCrossing = isCrossStackOutput(name);
    const reader = readerOf(context, { owner: `${stack.name}: output.${name}` });
    const at = block.at("value");
    const isHidden = block.at("sensitive").value === true && !isCrossing;
    const node = reader.readWhole(at);
    if (node === undefined || (isCrossing && node.isSensitive)) continue;
    if (node.isSensitive && !isHidden) reader.refuse(secretOutput, at.range);
    else if (!isLogicalName(name))
      reader.refuse(invalid(`${JSON.stringify(name)} cannot name an output`), at.range);
    else {
      const value = node.isSensitive
        ? hiddenOutput
        : readValue(node, { context: reading, attribute: `outputs.${name}` });
      const isInProgram = isCrossing && referencesOf(value).length === 0;
      if (value !== undefined && !isInProgram)
        outputs.set(name, { value: isHidden ? hiddenOutput : value, range: at.range });
    }
  }
  return outputs;
}

const secretOutput = refused(
  "outputs are shown and recorded, so they hold no secrets",
  "make it a sensitive one (sensitive: true): it is listed, and its value is neither shown nor recorded",
);

/** Reads one setting; true where it says that nothing may be deleted. */
type ReadSetting = (at: JsonNode, reader: BlockReader) => boolean;

/**
 * Checks the configurations of the provider; returns those that refuse deletions, as `provider` names them. A run goes where its
 * environment says: a stack that names another service or workspace must not be applied there.
 */
export function readProviders(context: StackContext): ReadonlySet<string> {
  const { stack } = context;
  const protecting = new Set<string>();
  for (const [name, block] of stack.providers) {
    const reader = readerOf(context, { owner: `${stack.name}: provider.${name}` });
    for (const [key, at] of block.entries) {
      if (key === "alias" || at.isAbsent) continue;
      const read = settings[key];
      if (read?.(at, reader)) protecting.add(name);
      else if (read === undefined) reader.refuse(unknownKey(key, Object.keys(settings)), at.keyRange);
    }
  }
  return protecting;
}

const sameAs =
  (variable: string): ReadSetting =>
  (at, reader) => {
    const node = reader.read(at);
    const found = node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
    const wanted = reader.context.reading.environment[variable];
    if (found === undefined || wanted === undefined || isSameSetting(found, wanted)) return false;
    const hint = `this run is for ${wanted}; put what belongs elsewhere into a stack of its own`;
    reader.refuse(
      new StackProblem("config.invalid", `the setting is not what ${variable} says`, hint),
      at.range,
    );
    return false;
  };

const isSameSetting = (a: string, b: string): boolean =>
  a.replace(/\/+$/, "").toLowerCase() === b.trim().replace(/\/+$/, "").toLowerCase();

/** A key by a sensitive variable is for Terraform: rnv has its own from its environment. */
const readKey: ReadSetting = (at, reader) => {
  const [, name = ""] = /^\$\{var\.([\w-]+)\}$/.exec(String(at.value)) ?? [];
  if (reader.context.stack.variables.get(name)?.at("sensitive").value === true) return false;
  const hint =
    'write apiKey: fromEnv("RNV_API_KEY"), or leave it out and set RNV_API_KEY or RNV_API_KEY_FILE';
  reader.refuse(refused("a key does not belong into a stack", hint), at.keyRange);
  return false;
};

const forTerraform: ReadSetting = () => false;

const settings: Readonly<Record<string, ReadSetting>> = {
  base_url: sameAs("RNV_BASE_URL"),
  workspace_id: sameAs("RNV_WORKSPACE_ID"),
  api_key: readKey,
  max_concurrency: forTerraform,
  deletion_protection: (at, reader) => protectionOf(at, true, reader),
  accept_missing: forTerraform,
};
