import { error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { DesiredAttribute, DesiredResource } from "../model/desired";
import { Secret } from "../model/secret";
import { referencesOf, Template, UnreadSecret } from "../model/value";
import type { Block } from "./block";
import { hintForMiss } from "./findings";
import { isOpenValue, readImport, readLifecycle, readOrder } from "./lifecycle";
import type { LoadContext } from "./load-context";
import { looksSecret } from "./secret-texts";
import { type PendingSecret, readSecret } from "./secrets";
import { partsOf, type SourceNode, scalarNode } from "./tree";
import type { AttributeShape } from "./type-index";
import { readAttribute } from "./values";

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
  const atHand = value instanceof Secret ? [value] : [];
  return { ...attribute, value: new UnreadSecret(reason, referencesOf(value), atHand), isReplaceable: true };
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
    type: block.placed.type.type,
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
  const path = block.placed.type.nameAttribute;
  if (path === undefined || isWritten(block, path)) return;
  const shape = block.placed.paths.get(path);
  const read = shape && readAttribute(shape, scalarNode(block.name, block.range), block, context);
  if (read !== undefined) attributes.set(path, read);
}

function addParent(block: Block, attributes: Map<string, DesiredAttribute>): void {
  const { parent } = block;
  const link = block.placed.type.parents.find(({ type }) => type === parent?.placed.type.type);
  if (parent === undefined || link === undefined) return;
  const reference = { address: parent.address, attribute: "id" };
  attributes.set(link.attribute, { value: new Template([reference], false), range: block.range });
}

function reportMissing(
  block: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
  context: LoadContext,
): void {
  const { placed, address } = block;
  for (const shape of placed.paths.values()) {
    if (!isNeeded(shape, block, attributes) || shape.isName || isWritten(block, shape.path)) continue;
    context.report(
      error("manifest.missing_key", `${address} lacks ${shape.path}`, {
        address,
        attribute: shape.path,
        range: block.range,
        hint: shape.secret ? preserveHint(block, attributes) : meantBlock(block, context),
      }),
    );
  }
}

/** Suggests a block of another file that is meant: a later file overlays it by its name. */
function meantBlock({ placed, name, parent, range }: Block, { blocks, misses }: LoadContext) {
  const isOther = (one: Block): boolean =>
    one.placed === placed && one.parent === parent && one.range.file !== range.file;
  return hintForMiss(misses, name, () => [...blocks.values()].filter(isOther).map((one) => one.name));
}

function preserveHint(
  { placed }: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
): string | undefined {
  const { preservedBy = "" } = placed.type;
  if (!attributes.has(preservedBy)) return undefined;
  return `${preservedBy}: false means that rnv sets it: give it a value, or write ${preservedBy}: true`;
}

/** A secret that a block stands for is needed too, unless its value is preserved. */
function isNeeded(
  shape: AttributeShape,
  block: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
): boolean {
  const isSubject = shape.secret && shape === block.placed.shorthand;
  const { preservedBy = "" } = block.placed.type;
  return isSubject ? attributes.get(preservedBy)?.value !== true : shape.required;
}

const isWritten = ({ written }: Block, path: string): boolean =>
  written.some(({ shape }) => shape.path === path);

function dependencies(
  { parent, written }: Block,
  attributes: ReadonlyMap<string, DesiredAttribute>,
): readonly Address[] {
  const found = new Set<Address>();
  for (const { shape } of written) {
    for (const { address } of referencesOf(attributes.get(shape.path)?.value)) found.add(address);
  }
  if (parent !== undefined) found.add(parent.address);
  return [...found];
}
