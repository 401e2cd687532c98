import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, failure, warning } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { LogicalNames, type ManifestBlock, omitted, writeManifest } from "../manifest/write";
import { addressOf, uuidPattern } from "../model/address";
import type { Catalog } from "../model/catalog";
import { compareTexts } from "../model/collections";
import { isPlacedAs } from "../model/declared-choice";
import type { LiveResource } from "../model/live";
import { entriesNamed, sameName } from "../model/names";
import { isOpenField, ruleAt } from "../model/resource-type";
import { Secret } from "../model/secret";
import { type Mask, type Plain, plainEqual, type Reference, Template } from "../model/value";
import { importableTypes, resourceTypes, typeNamed } from "../resources";
import { type Context, type Outcome, succeeded } from "./context";
import type * as library from "./library/types";
import { connectWithRedaction } from "./load";

export interface ExportRequest extends library.ExportRequest {
  /** Reveals each secret once (audited by the service): a secret that is another resource's address becomes a reference. */
  readonly reveals?: boolean;
}

export interface ExportOutcome extends Outcome {
  readonly text: string;
  readonly count: number;
  readonly references: number;
}

/** `rnv export`: writes the live resources as a manifest whose plan with `--adopt` changes nothing. */
export async function exportManifest(context: Context, request: ExportRequest): Promise<ExportOutcome> {
  // Without a readable state, no earlier write is known.
  const state = await context.backend.read().catch(() => undefined);
  const { reads, mask } = await connectWithRedaction(context, state);
  const catalog = (await reads.catalog()) as Catalog;
  const lists = await Promise.all(importableTypes.map(async (type) => (await type.list(reads)) ?? []));
  // Parents come before their children: lists are in the order of the types.
  const all = lists.flatMap((list) => [...list].sort((a, b) => compareTexts(a.id, b.id)));
  const live = request.project === undefined ? all : withContents(rootNamed(all, request.project), all);
  const names = logicalNames(live);
  const references: FoundReferences =
    request.reveals === true ? await findReferences(live, names, context, reads) : new Map();
  const byId = new Map(live.map((one) => [one.id, one]));
  const blocks = live.flatMap((one) => {
    const place = names.get(one);
    if (place === undefined) return [];
    const parent = one.parentId === null ? undefined : byId.get(one.parentId);
    // Another resource of its type may have the same name, parent and place: then its id names it.
    const isSame = (other: LiveResource): boolean =>
      other.type === one.type &&
      other.parentId === one.parentId &&
      isPlacedAs(typeOf(one.type), other, one.attributes);
    const meta = {
      lifecycle: request.protects ? { preventDestroy: true } : undefined,
      import: entriesNamed(all, one.name).filter(isSame).length > 1 ? one.id : undefined,
    };
    const block = blockOf(one, place, catalog, mask, parent);
    return [{ ...withReferences(block, references.get(one)), meta }];
  });
  const diagnostics: Diagnostic[] = live
    .filter((one) => !names.has(one))
    .map((one) =>
      warning("live.failed", `${one.type} "${one.name}" is left out: the API does not list its parent`),
    );
  const text = writeManifest(blocks, resourceTypes);
  return { ...succeeded, text, count: blocks.length, references: references.size, diagnostics };
}

type FoundReferences = ReadonlyMap<LiveResource, ReadonlyMap<string, Reference>>;

/** Texts that only tell when something was made, or name it by its id. */
const isAddress = (text: unknown): text is string =>
  typeof text === "string" && text.length > 3 && !uuidPattern.test(text) && !/^\d{4}-\d\d-\d\dT/.test(text);

/** Finds secrets whose text is an address of another resource. Texts stay closed: their fingerprints are compared. */
async function findReferences(
  live: readonly LiveResource[],
  names: ReadonlyMap<LiveResource, readonly string[]>,
  { randomBytes }: Context,
  reads: Reads,
): Promise<FoundReferences> {
  const key = randomBytes(32);
  const addresses = new Map<string, Reference | undefined>();
  for (const one of live) {
    const place = names.get(one);
    for (const [attribute, { stable }] of Object.entries(typeOf(one.type).computed)) {
      const text = one.computed.get(attribute);
      if (place === undefined || !stable || !isAddress(text)) continue;
      const print = new Secret(text).fingerprint(key, "");
      // An address that two resources show belongs to neither.
      const isAmbiguous = addresses.has(print);
      addresses.set(print, isAmbiguous ? undefined : { address: addressOf(one.type, ...place), attribute });
    }
  }
  const found = new Map<LiveResource, ReadonlyMap<string, Reference>>();
  await Promise.all(
    live.map(async (one) => {
      const values = (await typeOf(one.type).reveal?.(reads, one)) ?? new Map<string, Secret>();
      const references = [...values].flatMap(([path, value]): [string, Reference][] => {
        const reference = addresses.get(value.fingerprint(key, ""));
        return reference === undefined ? [] : [[path, reference]];
      });
      if (references.length > 0) found.set(one, new Map(references));
    }),
  );
  return found;
}

/** The block with its secrets as references: their values are declared, not preserved. */
function withReferences(
  block: ManifestBlock,
  references: ReadonlyMap<string, Reference> = new Map(),
): ManifestBlock {
  if (references.size === 0) return block;
  const attributes = new Map(block.attributes);
  const { preservedBy } = typeOf(block.type);
  if (preservedBy !== undefined) attributes.delete(preservedBy);
  for (const [path, reference] of references) attributes.set(path, new Template([reference], true));
  return { ...block, attributes };
}

/** The project of that name or id; two of the same name differ by id only. */
function rootNamed(all: readonly LiveResource[], text: string): LiveResource {
  const roots = all.filter(({ type }) => typeOf(type).parents.length === 0);
  const found = roots.filter(({ id, name }) => id === text || sameName(name, text));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only === undefined) {
    const names = roots.map(({ name }) => name);
    const hint = didYouMean(text, names) ?? "rnv export without --project shows all of them";
    throw failure("command.usage", `there is no project "${text}"`, { hint });
  }
  const hint = `use an id: ${found.map(({ id }) => id).join(", ")}`;
  throw failure("live.ambiguous", `${found.length} projects are named "${text}"`, { hint });
}

function withContents(root: LiveResource, all: readonly LiveResource[]): readonly LiveResource[] {
  const found = new Map([[root.id, root]]);
  for (const one of all) if (one.parentId !== null && found.has(one.parentId)) found.set(one.id, one);
  return [...found.values()];
}

/** Returns the block that declares a live resource: attributes that differ from the defaults, secrets preserved. */
export function blockOf(
  { type, attributes }: LiveResource,
  names: readonly string[],
  catalog: Catalog,
  mask: Mask,
  parent?: LiveResource,
): ManifestBlock {
  const resourceType = typeOf(type);
  const { parents, defaults } = resourceType;
  const base = defaults(catalog);
  const parentAttributes = parents.map(({ attribute }) => attribute);
  const written = new Map<string, Plain | typeof omitted>();
  // An unknown field is shown only if the catalog has it.
  const shown = [...attributes].filter(([path]) => !isOpenField(resourceType, path) || base.has(path));
  for (const [path, value] of shown) {
    const isDeclarable = ruleAt(resourceType, path) !== undefined && !parentAttributes.includes(path);
    // The parent's choice where nothing is declared.
    const chosen = (parent?.offers?.[path] ?? []).filter(({ isDefault }) => isDefault);
    const isChosen = chosen.some(({ id, name }) => value === name || value === id);
    const isDefault = plainEqual(value, base.get(path)) || isChosen;
    if (isDeclarable && value !== null && !isDefault)
      written.set(path, mask(value) === value ? value : omitted);
  }
  // A secret stays where it is: its value is never read.
  if (resourceType.preservedBy !== undefined) written.set(resourceType.preservedBy, true);
  return { type, names, attributes: written };
}

const typeOf = (name: string): Resource => typeNamed(name) as Resource;

/**
 * Returns logical names, from the root down, for live resources, made of their own. A resource whose parent is not listed has
 * none.
 */
function logicalNames(live: readonly LiveResource[]): ReadonlyMap<LiveResource, readonly string[]> {
  const names = new Map<LiveResource, readonly string[]>();
  const namesById = new Map<string | null, readonly string[]>([[null, []]]);
  const chosen = new LogicalNames();
  for (const one of live) {
    const outer = namesById.get(one.parentId);
    if (outer === undefined) continue;
    const [, ...own] = chosen.pathIn([one.type, ...outer], one.name, one.type);
    names.set(one, own);
    namesById.set(one.id, own);
  }
  return names;
}
