import { error, type SourceRange } from "../diagnostics/diagnostic";
import { type Address, addressOf, isLogicalName, nameOf } from "../model/address";
import type { Report } from "./findings";
import { hintForKeys, hintForUnknown, hintForUnseen, keyOfBlock } from "./findings";
import { isValueOf } from "./merge";
import {
  describeKind,
  describeNode,
  isNull,
  type MapEntry,
  type MapNode,
  quoteShort,
  type SourceNode,
} from "./tree";
import {
  type AttributeShape,
  blockKeys,
  isFreeKey,
  openShape,
  type PlacedType,
  sensitiveKey,
  type TypeIndex,
  unknownField,
} from "./type-index";

/** One attribute as written: its shape, its key and its value. */
export interface WrittenAttribute {
  readonly shape: AttributeShape;
  readonly entry: MapEntry;
}

/** The keys of a block. Most have no `lifecycle`: no map is made for these. */
interface Content {
  /** Its attributes, in the order of the text. */
  readonly written: WrittenAttribute[];
  /** `lifecycle`, `import`, `dependsOn` and `sensitive`. */
  meta?: Map<string, MapEntry>;
  /** False when the block is not what its type expects, or has a wrong key: what it lacks is then not reported. */
  isReadable: boolean;
}

/** One resource as it stands in the tree, before its values are read. */
export interface Block extends Readonly<Content> {
  readonly placed: PlacedType;
  readonly address: Address;
  readonly name: string;
  readonly names: readonly string[];
  readonly parent?: Block;
  /** The key that opens it; for an implicit block that of its parent. */
  readonly range: SourceRange;
}

interface Walk {
  readonly index: TypeIndex;
  readonly report: Report;
  readonly blocks: Map<Address, Block>;
}

/** Every block of the tree by address, in the order of the text; reports unknown keys and bad names. */
export function walkBlocks(root: MapNode, index: TypeIndex, report: Report): Map<Address, Block> {
  const walk = { index, report, blocks: new Map<Address, Block>() };
  walkChildren(root, index.root, undefined, walk);
  return walk.blocks;
}

function walkChildren(
  node: MapNode | undefined,
  children: ReadonlyMap<string, PlacedType>,
  parent: Block | undefined,
  walk: Walk,
): void {
  for (const [key, placed] of children) {
    const entry = node?.entries.get(key);
    if (entry !== undefined) walkPlace(placed, entry, parent, walk);
    else if (placed.place.implicit === true && parent !== undefined) addImplicit(placed, parent, walk);
  }
}

function addImplicit(placed: PlacedType, parent: Block, walk: Walk): void {
  const nothing: SourceNode = { kind: "scalar", value: null, range: parent.range };
  const entry = { key: placed.place.key, keyRange: parent.range, value: nothing };
  addBlock(placed, entry, parent, parent.names, walk);
}

function walkPlace(placed: PlacedType, entry: MapEntry, parent: Block | undefined, walk: Walk): void {
  if (placed.place.shape === "single") {
    addBlock(placed, entry, parent, parent?.names ?? [], walk);
    return;
  }
  const { value } = entry;
  if (value.kind !== "map") {
    if (isNull(value)) return;
    const { keyRange: range } = entry;
    const summary = `${entry.key} maps names to ${placed.type.type} blocks, found ${describeKind(value)}`;
    const hint = hintForKeys(value, [], placed.shorthand?.secret);
    walk.report(error("manifest.invalid_type", summary, { range, hint }));
    return;
  }
  for (const named of value.entries.values()) {
    // The mistakes in the block are reported too.
    addBlock(placed, named, parent, [...(parent?.names ?? []), named.key], walk);
    if (isLogicalName(named.key)) continue;
    const summary = `${quoteShort(named.key)} cannot name a ${placed.type.type}`;
    const detail = "Names hold letters, digits, _ and -, and do not begin with -.";
    walk.report(error("manifest.invalid_name", summary, { range: named.keyRange, detail }));
  }
}

function addBlock(
  placed: PlacedType,
  entry: MapEntry,
  parent: Block | undefined,
  names: readonly string[],
  walk: Walk,
): void {
  const address = addressOf(placed.type.type, ...names);
  const content = readContent(placed, entry, address, walk);
  const name = names[names.length - 1] ?? placed.type.type;
  const block: Block = { placed, address, name, names, parent, range: entry.keyRange, ...content };
  walk.blocks.set(address, block);
  walkChildren(entry.value.kind === "map" ? entry.value : undefined, placed.children, block, walk);
}

/** A block that is being read. */
interface Reading {
  readonly content: Content;
  readonly placed: PlacedType;
  readonly address: Address;
  readonly walk: Walk;
}

function readContent(placed: PlacedType, entry: MapEntry, address: Address, walk: Walk): Content {
  const { shorthand } = placed;
  const { value } = entry;
  const content: Content = { written: [], isReadable: true };
  if (value.kind === "map" && !isValueOf(placed, value)) readBlock(value, { content, placed, address, walk });
  else if (shorthand !== undefined && (!isNull(value) || shorthand.secret))
    content.written.push({ shape: shorthand, entry });
  else if (!isNull(value)) {
    content.isReadable = false;
    walk.report(
      error("manifest.invalid_type", `${address} must be a block of keys, not ${describeNode(value)}`, {
        address,
        range: value.range,
        hint: hintForKeys(value, blockKeys(placed)),
      }),
    );
  }
  return content;
}

function readBlock(node: MapNode, reading: Reading): void {
  const { placed, content } = reading;
  for (const [key, entry] of node.entries) {
    const shape = placed.attributes.get(key);
    const group = placed.groups.get(key);
    if (shape !== undefined) content.written.push({ shape, entry });
    else if (group !== undefined) readGroup(group, entry, reading);
    else if (placed.children.has(key) || isFreeKey(key)) continue;
    else if (isMetaKey(key, placed)) {
      content.meta ??= new Map();
      content.meta.set(key, entry);
    } else noteUnknown(entry, undefined, reading);
  }
}

const isMetaKey = (key: string, { place, shorthand }: PlacedType): boolean =>
  key === sensitiveKey ? shorthand?.secret === true : place.meta?.some((one) => one === key) === true;

function readGroup(
  group: ReadonlyMap<string, AttributeShape>,
  { key: groupKey, value }: MapEntry,
  reading: Reading,
): void {
  const { address, walk, content } = reading;
  if (value.kind !== "map") {
    if (isNull(value)) return;
    const summary = `${address}: ${groupKey} must be a mapping, not ${describeNode(value)}`;
    const hint = hintForKeys(value, []);
    const { range } = value;
    walk.report(error("manifest.invalid_type", summary, { address, attribute: groupKey, range, hint }));
    return;
  }
  for (const [key, entry] of value.entries) {
    const shape = group.get(key);
    if (shape !== undefined) content.written.push({ shape, entry });
    else if (!isFreeKey(key)) readFurther(entry, groupKey, reading);
  }
}

/** A key that a group does not have: for the catalog to decide, where the group is open. */
function readFurther(entry: MapEntry, groupKey: string, reading: Reading): void {
  const { placed, address, walk, content } = reading;
  const isOpen = keyOfBlock(entry.key, placed) === undefined;
  const shape = isOpen ? openShape(placed, groupKey, entry.key) : undefined;
  if (shape === undefined) {
    noteUnknown(entry, groupKey, reading);
    return;
  }
  const hint = unknownHint(entry.key, address, placed, groupKey);
  walk.report(unknownField(address, shape.path, entry.keyRange, hint));
  content.written.push({ shape, entry });
}

/** Reports a key that a block or a group does not have. */
function noteUnknown(entry: MapEntry, groupKey: string | undefined, reading: Reading): void {
  const { placed, address, walk, content } = reading;
  const hint = unknownHint(entry.key, address, placed, groupKey);
  const owner = groupKey === undefined ? address : `${groupKey} of ${address}`;
  walk.report(
    error("manifest.unknown_key", `${owner} has no attribute ${quoteShort(entry.key)}`, {
      address,
      range: entry.keyRange,
      hint,
    }),
  );
  content.isReadable = false;
}

const unknownHint = (
  key: string,
  address: Address,
  placed: PlacedType,
  group: string | undefined,
): string | undefined =>
  misplacedIn(address, placed) ?? hintForUnseen(key) ?? hintForUnknown(key, placed, group);

/** `services` beside the projects in place of in one: taken for the name of a project. */
function misplacedIn(address: Address, placed: PlacedType): string | undefined {
  const name = nameOf(address).split(".").at(-1) ?? "";
  if (!placed.children.has(name)) return undefined;
  return `"${name}" is read as the name of a ${placed.type.type} here: indent it into one`;
}
