import { type Block, isValueOf, type WrittenAttribute } from "../declaration/declared-block";
import { hintForKeys, hintForUnknown, meantKey, type Report } from "../declaration/findings";
import {
  describeKind,
  entriesIn,
  entryNode,
  isNull,
  type MapEntry,
  type MapNode,
  quoteShort,
  type SourceNode,
  scalarNode,
} from "../declaration/tree";
import {
  type AttributeShape,
  type BlockType,
  blockKeys,
  isFreeKey,
  openShape,
  sensitiveKey,
  type TypeIndex,
  unknownField,
} from "../declaration/type-index";
import { error } from "../diagnostics/diagnostic";
import { type Address, addressOf, isLogicalName, nameOf } from "../model/address";
import type { AbsentParts } from "../model/desired";

interface OpenBlock extends Block {
  readonly written: WrittenAttribute[];
  meta?: Map<string, MapEntry>;
  absent?: AbsentParts | undefined;
  isReadable: boolean;
}

interface Walk {
  readonly report: Report;
  readonly blocks: Map<Address, Block>;
}

/** Every block of the tree by address, in the order of the text; reports unknown keys and bad names. */
export function walkBlocks(root: MapNode, index: TypeIndex, report: Report): Map<Address, Block> {
  const walk = { report, blocks: new Map<Address, Block>() };
  walkChildren(root, index.root, undefined, walk);
  return walk.blocks;
}

function walkChildren(
  node: SourceNode,
  children: ReadonlyMap<string, BlockType>,
  parent: OpenBlock | undefined,
  walk: Walk,
): void {
  for (const [key, blockType] of children) {
    const entry = entriesIn(node).get(key);
    if (entry === undefined && blockType.form.implicit === true && parent !== undefined)
      addBlock(blockType, entryNode(key, scalarNode(null, parent.range)), parent, walk);
    else if (entry !== undefined && blockType.form.shape === "single")
      addBlock(blockType, entry, parent, walk);
    else if (entry !== undefined) walkNames(blockType, entry, parent, walk);
  }
}

const pairHint = "write KEY: VALUE, with a space after the colon";

function walkNames(
  blockType: BlockType,
  { key, keyRange, value }: MapEntry,
  parent: OpenBlock | undefined,
  walk: Walk,
): void {
  if (value.kind !== "map") {
    if (isNull(value)) return;
    const summary = `${key} maps names to ${blockType.type.type} blocks, found ${describeKind(value)}`;
    const isSecret = blockType.shorthand?.secret === true && value.kind === "scalar";
    const hint = isSecret ? pairHint : hintForKeys(value, []);
    walk.report(error("manifest.invalid_type", summary, { range: keyRange, hint }));
    return;
  }
  const { type, removedWithParent, nameAttribute = "" } = blockType.type;
  const others = new Map<unknown, string>();
  const { absent } = value;
  if (parent !== undefined) parent.absent ??= absent;
  for (const named of value.entries.values()) {
    const own = entriesIn(named.value).get(nameAttribute)?.value;
    const name = own?.kind === "scalar" ? (own.value ?? named.key) : named.key;
    const other = others.get(name);
    if (removedWithParent && other !== undefined) {
      const duplicate = `${type} ${quoteShort(named.key)} has the ${nameAttribute} of ${type} ${quoteShort(other)}`;
      walk.report(error("manifest.duplicate_address", duplicate, { range: own?.range ?? named.keyRange }));
    }
    others.set(name, named.key);
    // The key of a secret may hold its value: `{ PASSWORD:x }`.
    const isValue = blockType.shorthand?.secret === true && /[:=]/.test(named.key);
    if (!isValue)
      addBlock(blockType, named, parent, walk, absent?.below.has(named.key) ? absent.reason : undefined);
    if (isLogicalName(named.key)) continue;
    const summary = `${isValue ? "this key" : quoteShort(named.key)} cannot name a ${type}`;
    const detail = "Names hold letters, digits, _ and -, and do not begin with -.";
    const plain = named.key.replace(/^-+|[^\w-]+/g, "_").slice(0, 80);
    const renamed = `${plain}: { ${nameAttribute}: ${quoteShort(named.key)}, … }`;
    const hint = isValue ? pairHint : renamed;
    walk.report(error("manifest.invalid_name", summary, { range: named.keyRange, detail, hint }));
  }
}

function addBlock(
  blockType: BlockType,
  entry: MapEntry,
  parent: OpenBlock | undefined,
  walk: Walk,
  unread?: string,
): void {
  const { type } = blockType.type;
  const above = parent?.names ?? [];
  const names = blockType.form.shape === "single" ? above : [...above, entry.key];
  const block: OpenBlock = {
    blockType,
    address: addressOf(type, ...names),
    name: names[names.length - 1] ?? type,
    names,
    parent,
    unread,
    from: entry.from,
    range: entry.keyRange,
    written: [],
    isReadable: true,
  };
  readContent(entry, block, walk.report);
  walk.blocks.set(block.address, block);
  walkChildren(entry.value, blockType.children, block, walk);
}

function readContent(entry: MapEntry, block: OpenBlock, report: Report): void {
  const { blockType, address, written } = block;
  const { shorthand } = blockType;
  const { value } = entry;
  if (value.kind === "map" && !isValueOf(blockType, value)) readKeys(value, block, report);
  else if (shorthand !== undefined && (!isNull(value) || shorthand.secret))
    written.push({ shape: shorthand, entry });
  else if (!isNull(value)) {
    block.isReadable = false;
    const summary = `${address} must be a block of keys, not ${describeKind(value)}`;
    const hint = hintForKeys(value, blockKeys(blockType));
    report(error("manifest.invalid_type", summary, { address, range: value.range, hint }));
  }
}

function readKeys(node: MapNode, block: OpenBlock, report: Report): void {
  const { blockType, written } = block;
  for (const [key, entry] of node.entries) {
    const shape = blockType.attributes.get(key);
    const group = blockType.groups.get(key);
    if (shape !== undefined) written.push({ shape, entry });
    else if (group !== undefined) readGroup(group, entry, block, report);
    else if (blockType.children.has(key) || isFreeKey(key)) continue;
    else if (isMetaKey(key, blockType)) {
      block.meta ??= new Map();
      block.meta.set(key, entry);
    } else noteUnknown(entry, undefined, block, report);
  }
}

const isMetaKey = (key: string, { form, shorthand }: BlockType): boolean =>
  key === sensitiveKey ? shorthand?.secret === true : form.meta?.some((known) => known === key) === true;

function readGroup(
  group: ReadonlyMap<string, AttributeShape>,
  { key: groupKey, value }: MapEntry,
  block: OpenBlock,
  report: Report,
): void {
  const { blockType, address, written } = block;
  if (value.kind !== "map") {
    if (isNull(value)) return;
    const summary = `${address}: ${groupKey} must be a mapping, not ${describeKind(value)}`;
    const at = { address, attribute: groupKey, range: value.range, hint: hintForKeys(value, []) };
    report(error("manifest.invalid_type", summary, at));
    return;
  }
  for (const [key, entry] of value.entries) {
    const known = group.get(key);
    const meant = known === undefined ? meantKey(key, blockType, groupKey) : undefined;
    const isOfBlock = meant !== undefined && meant.level === undefined;
    // A key that a group does not have is for the catalog to decide, where the group is open.
    const shape = known ?? (isOfBlock || isFreeKey(key) ? undefined : openShape(blockType, groupKey, key));
    if (shape !== undefined) written.push({ shape, entry });
    else if (!isFreeKey(key)) noteUnknown(entry, groupKey, block, report);
    if (shape !== undefined && known === undefined)
      report(unknownField(address, shape.path, entry.keyRange, unknownHint(key, block, groupKey)));
  }
}

function noteUnknown(entry: MapEntry, group: string | undefined, block: OpenBlock, report: Report): void {
  const { address } = block;
  const owner = group === undefined ? address : `${address}: ${group}`;
  // `{x}` in place of "x": a secret.
  const isValue = block.blockType.shorthand?.secret === true && isNull(entry.value);
  const summary = `${owner} has no attribute ${isValue ? "of this name" : quoteShort(entry.key)}`;
  const hint = unknownHint(entry.key, block, group);
  report(error("manifest.unknown_key", summary, { address, range: entry.keyRange, hint }));
  block.isReadable = false;
}

const unknownHint = (key: string, block: Block, group: string | undefined): string | undefined =>
  misplacedIn(block) ?? hintForUnknown(key, block.blockType, group);

/** `services` beside the projects in place of in one, `configuration` beside the services: read as a name. */
function misplacedIn({ address, blockType }: Block): string | undefined {
  const name = nameOf(address).split(".").at(-1) ?? "";
  if (!blockType.children.has(name) && !blockType.groups.has(name) && !isMetaKey(name, blockType))
    return undefined;
  return `"${name}" is read as the name of a ${blockType.type.type} here: indent it deeper, into the one it belongs to`;
}
