import type { Resource } from "../../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { LiveResource } from "../../model/live";
import { canonicalId, terraformNameOf } from "../../model/text";
import { typeNamed } from "../../resources";
import { diagnosticError } from "../messages";
import { writePrivate } from "../private-data";
import type { Message, RequestOf } from "../protocol";
import { type RpcAnswer, requireNamed, resourceSchemas, type Session } from "../provider";
import { emptyValue, type Schema, withoutEmptyBlocks } from "../schema/block";
import { shapeOf, type TerraformShape } from "../schema/terraform-shape";
import { asObject, decodeState, encodeMessage, setValue, type TerraformValue } from "../values";

/**
 * UpgradeResourceState: a stored state in the schema of now. Attributes that are no more are dropped, new ones are
 * null until the next read. A state of a newer version never comes here: core refuses it.
 */
export const upgradeResourceState: RpcAnswer<"UpgradeResourceState"> = async (
  _provider,
  { typeName, version, rawState },
) => {
  const type = requireNamed(resourceSchemas, typeName, "resource type");
  return { upgradedState: encodeMessage(type.valueType, stateOf(type, version, rawState?.json)) };
};

/** Decodes a stored state. Up to version 1 a block was always there, with nulls where nobody wrote it. */
function stateOf(type: Schema, version: unknown, json: Uint8Array | undefined): TerraformValue {
  const state = decodeState(type.valueType, json);
  const whole = asObject(state);
  if (whole === undefined) return state;
  return Number(version) > 1 ? whole : withoutEmptyBlocks(type, whole);
}

/** Returns true if the state of a move comes from this provider, whatever registry it was installed from. */
export const isFromHere = ({ sourceProviderAddress }: RequestOf<"MoveResourceState">): boolean =>
  /\/rnv$/.test(sourceProviderAddress);

/** MoveResourceState: the same type under another address of this provider. Runs before ConfigureProvider. */
export const moveResourceState: RpcAnswer<"MoveResourceState"> = async (provider, request) => {
  const type = provider.typeNamed(request.targetTypeName);
  const { sourceTypeName, sourceSchemaVersion, sourceState, sourcePrivate } = request;
  if (isFromHere(request) && sourceTypeName === type.name) {
    const state = stateOf(type, sourceSchemaVersion, sourceState?.json);
    return { targetState: encodeMessage(type.valueType, state), targetPrivate: sourcePrivate };
  }
  throw diagnosticError("manifest.moved", `a ${sourceTypeName} cannot become a ${type.name}`, {
    hint: "import it under the new type, and take the old one out of the state with a removed block",
  });
};

/** ImportResourceState: by id, or by the names on the way to it: `shop/api`, `shop/api/LOG_LEVEL`. */
export const importResourceState: RpcAnswer<"ImportResourceState"> = async (provider, { typeName, id }) => {
  const type = provider.typeNamed(typeName);
  const session = provider.requireSession();
  const state = importedState(type, await locateImport(session, type.resource, id));
  const kept = writePrivate({ workspace: session.workspaceId });
  return { importedResources: [{ typeName: type.name, state, private: kept }] };
};

/** Returns a state as an import leaves it: names and IDs, the rest is filled in by the next read. */
export function importedState(type: TerraformShape, { id, name, parentId }: Located): Message<"Value"> {
  const { nameAttribute = "", parents } = type.resource;
  const state = { ...emptyValue(type), id };
  const parentIds = parents.map(({ attribute }): [string, TerraformValue] => [attribute, parentId ?? null]);
  for (const [attribute, value] of new Map([[nameAttribute, name], ...parentIds])) {
    const steps = type.stepsOf(attribute);
    if (steps !== undefined) setValue(state, steps, value);
  }
  return encodeMessage(type.valueType, state);
}

type Located = Pick<LiveResource, "id" | "name"> & Partial<Pick<LiveResource, "parentId">>;

/** Finds a resource by an import id; a type without a name of its own by its parent alone. Throws `DiagnosticsError`. */
export async function locateImport(
  session: Session,
  resource: Resource,
  importId: string,
  segments: readonly string[] = importId.split("/"),
  wanted: Resource = resource,
): Promise<Located> {
  const [parent] = resource.parents;
  const parentType = parent && typeNamed(parent.type);
  if (segments.some((segment) => segment === ""))
    throw new DiagnosticsError([unreadable(wanted, importId, "an empty part")]);
  if (parent === undefined && segments.length > 1)
    throw new DiagnosticsError([unreadable(wanted, importId, "too many parts")]);
  const hasName = resource.nameAttribute !== undefined;
  const above = hasName ? segments.slice(0, -1) : segments;
  const last = hasName ? (segments.at(-1) ?? "") : "";
  const outer =
    parentType && above.length > 0
      ? await locateImport(session, parentType, importId, above, wanted)
      : undefined;
  const declared = new Map(outer === undefined ? [] : [[parent?.attribute ?? "", outer.id]]);
  const address = shapeOf(resource).addressOf(last);
  for (const id of [undefined, canonicalId(last) || undefined]) {
    const subject = { address, name: last, declared, id, parentId: outer?.id };
    const read = await resource.read(session.reads, subject);
    if (read.kind === "ambiguous")
      throw new DiagnosticsError([ambiguous(wanted, importId, { resource, name: last, ids: read.ids })]);
    if (read.kind !== "found" || (outer === undefined && id === undefined && last === "")) continue;
    const { id: found, name, parentId } = read.live;
    return { id: found, name, parentId: parentId ?? outer?.id ?? null };
  }
  const missing = hasName ? `${resource.type} "${last}"` : `${resource.type} to import`;
  const where = outer && parentType && `the ${parentType.type} "${outer.name}"`;
  const beside = (await resource.list(session.reads, outer?.id).catch(() => [])) ?? [];
  const names = beside.filter(({ parentId }) => parentId === (outer?.id ?? null)).map(({ name }) => name);
  throw new DiagnosticsError([
    notFound(wanted, importId, missing, { where, meant: didYouMean(last, names) }),
  ]);
}

const unreadable = (wanted: Resource, importId: string, what: string): Diagnostic =>
  error("live.import_missing", `the import id "${importId}" of ${terraformNameOf(wanted)} has ${what}`, {
    hint: importHint(wanted),
  });

const notFound = (
  wanted: Resource,
  importId: string,
  missing: string,
  { where, meant }: { readonly where: string | undefined; readonly meant: string | undefined },
): Diagnostic =>
  error(
    "live.import_missing",
    where === undefined ? `there is no ${missing}` : `${where} has no ${missing}`,
    {
      detail: `Nothing is found for the import id "${importId}" of ${terraformNameOf(wanted)}.`,
      hint: meant ?? importHint(wanted),
    },
  );

const importHint = (resource: Resource): string =>
  `give ${importIds(resource)}, or the names ${importForm(resource)}`;

/** Names the ids that an import id may be made of: the service finds some resources by their own ids alone. */
export function importIds({ type, nameAttribute, parents: [parent], removedWithParent }: Resource): string {
  if (parent === undefined) return "its id";
  if (nameAttribute === undefined) return `the id of its ${parent.type}`;
  return removedWithParent ? `the ids ${parent.type.toUpperCase()}/${type.toUpperCase()}` : "its id";
}

interface Namesakes {
  readonly resource: Resource;
  readonly name: string;
  readonly ids: readonly string[];
}

const ambiguous = (wanted: Resource, importId: string, { resource, name, ids }: Namesakes): Diagnostic =>
  error("live.ambiguous", `${ids.length} of ${terraformNameOf(resource)} are called "${name}"`, {
    detail: `The import id "${importId}" of ${terraformNameOf(wanted)} does not say which.`,
    hint:
      resource === wanted
        ? `import one by its id: ${ids.join(", ")}`
        : `give the id of the ${resource.type} in place of its name: ${ids.join(", ")}`,
  });

/** Returns what an import id looks like: `PROJECT/SERVICE`. */
export function importForm(resource: Resource): string {
  const [parent] = resource.parents;
  const parentType = parent && typeNamed(parent.type);
  const own = resource.nameAttribute === undefined ? [] : [resource.type.toUpperCase()];
  return [...(parentType ? [importForm(parentType)] : []), ...own].join("/");
}
