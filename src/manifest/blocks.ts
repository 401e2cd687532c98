import { type Block, isValueOf, type WrittenAttribute } from "../declaration/block";
import { hintForKeys, hintForUnknown, meantKey, type Report } from "../declaration/findings";
import {
  describeKind,
  describeNode,
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
  blockKeys,
  isFreeKey,
  openShape,
  type PlacedType,
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
  children: ReadonlyMap<string, PlacedType>,
  parent: OpenBlock | undefined,
  walk: Walk,
): void {
  for (const [key, placed] of children) {
    const entry = node.kind === "map" ? node.entries.get(key) : undefined;
    if (entry === undefined && placed.place.implicit === true && parent !== undefined)
      addBlock(placed, entryNode(key, scalarNode(null, parent.range)), parent, walk);
    else if (entry !== undefined && placed.place.shape === "single") addBlock(placed, entry, parent, walk);
    else if (entry !== undefined) walkNames(placed, entry, parent, walk);
  }
}

function walkNames(
  placed: PlacedType,
  { key, keyRange, value }: MapEntry,
  parent: OpenBlock | undefined,
  walk: Walk,
): void {
  if (value.kind !== "map") {
    if (isNull(value)) return;
    const summary = `${key} maps names to ${placed.type.type} blocks, found ${describeKind(value)}`;
    const hint = hintForKeys(value, [], placed.shorthand?.secret);
    walk.report(error("manifest.invalid_type", summary, { range: keyRange, hint }));
    return;
  }
  const { type, removedWithParent, nameAttribute = "" } = placed.type;
  const others = new Map<unknown, string>();
  const { absent } = value;
  if (parent !== undefined) parent.absent ??= absent;
  for (const named of value.entries.values()) {
    const own = named.value.kind === "map" ? named.value.entries.get(nameAttribute)?.value : undefined;
    const name = own?.kind === "scalar" ? (own.value ?? named.key) : named.key;
    const twin = `${type} ${quoteShort(named.key)} has the ${nameAttribute} of ${type} ${others.get(name)}`;
    if (removedWithParent && others.has(name))
      walk.report(error("manifest.duplicate_address", twin, { range: own?.range ?? named.keyRange }));
    others.set(name, quoteShort(named.key));
    addBlock(placed, named, parent, walk, absent?.below.has(named.key) && absent.reason);
    if (isLogicalName(named.key)) continue;
    const summary = `${quoteShort(named.key)} cannot name a ${type}`;
    const detail = "Names hold letters, digits, _ and -, and do not begin with -.";
    const plain = named.key.replace(/^-+|[^\w-]+/g, "_").slice(0, 80);
    const hint = `${plain}: { ${nameAttribute}: ${quoteShort(named.key)}, … }`;
    walk.report(error("manifest.invalid_name", summary, { range: named.keyRange, detail, hint }));
  }
}

function addBlock(
  placed: PlacedType,
  entry: MapEntry,
  parent: OpenBlock | undefined,
  walk: Walk,
  unread?: string | false,
): void {
  const { type } = placed.type;
  const above = parent?.names ?? [];
  const names = placed.place.shape === "single" ? above : [...above, entry.key];
  const block: OpenBlock = {
    ...{ placed, address: addressOf(type, ...names), name: names[names.length - 1] ?? type, names, parent },
    ...(unread && { unread }),
    from: entry.from,
    ...{ range: entry.keyRange, written: [], isReadable: true },
  };
  readContent(entry, block, walk.report);
  walk.blocks.set(block.address, block);
  walkChildren(entry.value, placed.children, block, walk);
}

function readContent(entry: MapEntry, block: OpenBlock, report: Report): void {
  const { placed, address, written } = block;
  const { shorthand } = placed;
  const { value } = entry;
  if (value.kind === "map" && !isValueOf(placed, value)) readKeys(value, block, report);
  else if (shorthand !== undefined && (!isNull(value) || shorthand.secret))
    written.push({ shape: shorthand, entry });
  else if (!isNull(value)) {
    block.isReadable = false;
    const summary = `${address} must be a block of keys, not ${describeNode(value)}`;
    const hint = hintForKeys(value, blockKeys(placed));
    report(error("manifest.invalid_type", summary, { address, range: value.range, hint }));
  }
}

function readKeys(node: MapNode, block: OpenBlock, report: Report): void {
  const { placed, written } = block;
  for (const [key, entry] of node.entries) {
    const shape = placed.attributes.get(key);
    const group = placed.groups.get(key);
    if (shape !== undefined) written.push({ shape, entry });
    else if (group !== undefined) readGroup(group, entry, block, report);
    else if (placed.children.has(key) || isFreeKey(key)) continue;
    else if (isMetaKey(key, placed)) {
      block.meta ??= new Map();
      block.meta.set(key, entry);
    } else noteUnknown(entry, undefined, block, report);
  }
}

const isMetaKey = (key: string, { place, shorthand }: PlacedType): boolean =>
  key === sensitiveKey ? shorthand?.secret === true : place.meta?.some((one) => one === key) === true;

function readGroup(
  group: ReadonlyMap<string, AttributeShape>,
  { key: groupKey, value }: MapEntry,
  block: OpenBlock,
  report: Report,
): void {
  const { placed, address, written } = block;
  if (value.kind !== "map") {
    if (isNull(value)) return;
    const summary = `${address}: ${groupKey} must be a mapping, not ${describeNode(value)}`;
    const at = { address, attribute: groupKey, range: value.range, hint: hintForKeys(value, []) };
    report(error("manifest.invalid_type", summary, at));
    return;
  }
  for (const [key, entry] of value.entries) {
    const known = group.get(key);
    const meant = known === undefined ? meantKey(key, placed, groupKey) : undefined;
    const isOfBlock = meant !== undefined && meant.level === undefined;
    // A key that a group does not have is for the catalog to decide, where the group is open.
    const shape = known ?? (isOfBlock || isFreeKey(key) ? undefined : openShape(placed, groupKey, key));
    if (shape !== undefined) written.push({ shape, entry });
    else if (!isFreeKey(key)) noteUnknown(entry, groupKey, block, report);
    if (shape !== undefined && known === undefined)
      report(unknownField(address, shape.path, entry.keyRange, unknownHint(key, block, groupKey)));
  }
}

function noteUnknown(entry: MapEntry, group: string | undefined, block: OpenBlock, report: Report): void {
  const { address } = block;
  const owner = group === undefined ? address : `${address}: ${group}`;
  const summary = `${owner} has no attribute ${quoteShort(entry.key)}`;
  const hint = unknownHint(entry.key, block, group);
  report(error("manifest.unknown_key", summary, { address, range: entry.keyRange, hint }));
  block.isReadable = false;
}

const unknownHint = (key: string, block: Block, group: string | undefined): string | undefined =>
  misplacedIn(block) ?? hintForUnknown(key, block.placed, group);

/** `services` beside the projects in place of in one, `configuration` beside the services: taken for a name. */
function misplacedIn({ address, placed }: Block): string | undefined {
  const name = nameOf(address).split(".").at(-1) ?? "";
  if (!placed.children.has(name) && !placed.groups.has(name) && !isMetaKey(name, placed)) return undefined;
  return `"${name}" is read as the name of a ${placed.type.type} here: indent it deeper, into the one it belongs to`;
}
