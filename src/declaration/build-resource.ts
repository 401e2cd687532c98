import { warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { DesiredAttribute, DesiredResource } from "../model/desired";
import { Secret } from "../model/secret";
import { referencesOf, Template, UnreadSecret } from "../model/value";
import type { Block } from "./declared-block";
import { hintForMiss } from "./findings";
import { isOpenValue, readImport, readLifecycle, readOrder } from "./lifecycle";
import { type LoadContext, refuse } from "./load-context";
import { readAttribute } from "./read-value";
import { type PendingSecret, readSecret } from "./secret-sources";
import { looksSecret } from "./secret-texts";
import { partsOf, type SourceNode, scalarNode } from "./tree";
import type { AttributeShape } from "./type-index";

export interface BuiltResource {
  readonly resource: DesiredResource;
  readonly attributes: Map<string, DesiredAttribute>;
  readonly sources: readonly PendingSecret[];
  readonly order: readonly Address[];
}

export function buildResource(block: Block, context: LoadContext): BuiltResource {
  const attributes = new Map<string, DesiredAttribute>();
  const sources: PendingSecret[] = [];
  const isOpen = isOpenValue(block, context);
  addName(block, attributes, context);
  for (const { shape, entry } of block.written) {
    if (!isOpen) noteSecrets(shape, entry.value, block, context);
    if (!shape.secret || isOpen) {
      const read = readAttribute(shape, entry.value, block, context);
      if (read !== undefined) attributes.set(shape.path, read);
      continue;
    }
    const read = readSecret(shape, entry, block, context);
    if (read === undefined) continue;
    attributes.set(
      shape.path,
      block.unread === undefined ? read.attribute : unreadAs(block.unread, read.attribute),
    );
    const isRead = context.reach !== "skip" || read.source?.kind === "file";
    if (read.source !== undefined && isRead && block.unread === undefined) sources.push(read.source);
  }
  if (block.isReadable) reportMissing(block, attributes, context);
  addParent(block, attributes);
  const order = readOrder(block, context);
  return { resource: assemble(block, attributes, order, context), attributes, sources, order };
}

/** The attribute without its value, which another source may replace. */
function unreadAs(reason: string, attribute: DesiredAttribute): DesiredAttribute {
  const { value } = attribute;
  const environmentTexts = value instanceof Secret ? [value] : [];
  return {
    ...attribute,
    value: new UnreadSecret(reason, referencesOf(value), environmentTexts),
    isReplaceable: true,
  };
}

const openHint =
  "plans and the state show it: take it out, such as into a variable of the service, and replace it";

/** Warns of a text that is a secret by its name or form. The values of stacks and dotenv files have parts. */
function noteSecrets(shape: AttributeShape, node: SourceNode, block: Block, context: LoadContext): void {
  const { address, name } = block;
  if (node.kind !== "scalar") {
    // A source of a secret holds names.
    if (!shape.secret) for (const [, part] of partsOf(node)) noteSecrets(shape, part, block, context);
    return;
  }
  const { value, parts, range } = node;
  const isOpen = typeof value === "string" && (parts === undefined || !shape.secret);
  if (!isOpen || !looksSecret(value, shape.secret ? name : "")) return;
  const [subject, hint] = shape.secret
    ? [address, `write { fromEnv: ${name} }; if it is no secret: { value: …, sensitive: false }`]
    : [`${address}: ${shape.path}`, openHint];
  const summary = `${subject} looks like a secret and is written in the manifest`;
  context.report(warning("manifest.plain_secret", summary, { address, attribute: shape.path, range, hint }));
}

function assemble(
  block: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
  order: readonly Address[],
  context: LoadContext,
): DesiredResource {
  return {
    address: block.address,
    type: block.blockType.type.type,
    attributes,
    parent: block.parent?.address,
    dependsOn: [...new Set([...dependencies(block, attributes), ...order])],
    ...readLifecycle(block, context),
    importId: readImport(block, context),
    absent: block.absent,
    range: block.range,
  };
}

function addName(block: Block, attributes: Map<string, DesiredAttribute>, context: LoadContext): void {
  const path = block.blockType.type.nameAttribute;
  if (path === undefined || isWritten(block, path)) return;
  const shape = block.blockType.paths.get(path);
  const read = shape && readAttribute(shape, scalarNode(block.name, block.range), block, context);
  if (read !== undefined) attributes.set(path, read);
}

function addParent(block: Block, attributes: Map<string, DesiredAttribute>): void {
  const { parent } = block;
  const link = block.blockType.type.parents.find(({ type }) => type === parent?.blockType.type.type);
  if (parent === undefined || link === undefined) return;
  const reference = { address: parent.address, attribute: "id" };
  attributes.set(link.attribute, { value: new Template([reference], false), range: block.range });
}

function reportMissing(
  block: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
  context: LoadContext,
): void {
  const { blockType, address } = block;
  for (const shape of blockType.paths.values()) {
    if (!isNeeded(shape, block, attributes) || shape.isName || isWritten(block, shape.path)) continue;
    refuse({ context, address, attribute: shape.path }, block.range, {
      code: "manifest.missing_key",
      summary: `${address} lacks ${shape.path}`,
      hint: shape.secret ? preserveHint(block, attributes) : meantBlock(block, context),
    });
  }
}

/** Suggests a block of another file that is meant: a later file overlays it by its name. */
function meantBlock({ blockType, name, parent, range }: Block, { blocks, misses }: LoadContext) {
  const isOther = (block: Block): boolean =>
    block.blockType === blockType && block.parent === parent && block.range.file !== range.file;
  return hintForMiss(misses, name, () => [...blocks.values()].filter(isOther).map((block) => block.name));
}

function preserveHint(
  { blockType }: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
): string | undefined {
  const { preservedBy = "" } = blockType.type;
  if (!attributes.has(preservedBy)) return undefined;
  return `${preservedBy}: false means that rnv sets it: give it a value, or write ${preservedBy}: true`;
}

/** A secret that a block stands for is needed too, unless its value is preserved. */
function isNeeded(
  shape: AttributeShape,
  block: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
): boolean {
  const isSubject = shape.secret && shape === block.blockType.shorthand;
  const { preservedBy = "" } = block.blockType.type;
  return isSubject ? attributes.get(preservedBy)?.value !== true : shape.required;
}

const isWritten = ({ written }: Block, path: string): boolean =>
  written.some(({ shape }) => shape.path === path);

function dependencies(
  { parent, written }: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
): readonly Address[] {
  const found = new Set<Address>();
  for (const { shape } of written)
    for (const { address } of referencesOf(attributes.get(shape.path)?.value)) found.add(address);
  if (parent !== undefined) found.add(parent.address);
  return [...found];
}
