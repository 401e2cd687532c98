import type { Resource } from "../../api/reads";
import { failure } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { canonicalId, uuidPattern } from "../../model/address";
import type { LiveResource } from "../../model/live";
import { terraformNameOf } from "../../model/terraform-names";
import { plainEqual } from "../../model/value";
import { typeNamed } from "../../resources";
import { decodeObject, decodeState, encodeMessage, setValue, type TerraformValue, valueAt } from "../codec";
import { writePrivate } from "../private-data";
import { type RpcAnswer, requireNamed, resourceSchemas, type Session } from "../provider";
import { emptyValue } from "../schema/block";
import { shapeOf, type TerraformShape } from "../schema/terraform-shape";
import { variablesSchema } from "../schema/variables-schema";
import { importIdOf } from "./identity";
import { isEqualAs } from "./plan-change";

/**
 * UpgradeResourceState: a stored state in the schema of now. Attributes that are no more are dropped, new ones are
 * null until the next read. A state of a newer version never comes here: core refuses it.
 */
export const upgradeResourceState: RpcAnswer<"UpgradeResourceState"> = async (_provider, request) => {
  const { valueType } = requireNamed(resourceSchemas, request.typeName, "resource type");
  return { value: encodeMessage(valueType, decodeState(valueType, request.rawState?.json)) };
};

/** GenerateResourceConfig: an imported state, reduced to the arguments of a configuration (protocol 6.11). */
export const generateResourceConfig: RpcAnswer<"GenerateResourceConfig"> = async (provider, request) => {
  const { typeName, state } = request;
  const type = typeName === variablesSchema.name ? undefined : provider.typeNamed(typeName);
  const { valueType, block } = type ?? variablesSchema;
  const whole = decodeObject(valueType, state) ?? {};
  const computed = block.attributes.filter(({ required, optional }) => !required && !optional);
  const config = { ...whole, ...Object.fromEntries(computed.map(({ name }) => [name, null])) };
  if (type === undefined) return { value: encodeMessage(valueType, config) };
  const draft = type.draftOf(config);
  const defaults = type.defaultsIn(await provider.session?.reads.catalog());
  for (const { path, steps, required } of type.declared) {
    const initial = defaults.get(path);
    if (!required && initial !== undefined && isEqualAs(plainEqual, valueAt(draft, steps), initial as never))
      setValue(draft, steps, null);
  }
  return { value: encodeMessage(valueType, draft) };
};

/** MoveResourceState: a `moved` block from another type, of any provider, is refused. */
export const moveResourceState: RpcAnswer<"MoveResourceState"> = async (_provider, request) => {
  const { sourceTypeName, sourceProviderAddress, targetTypeName } = request;
  const summary = `a moved block cannot turn ${sourceTypeName} into ${targetTypeName}`;
  throw failure("plan.invalid_combination", summary, {
    detail: `It is a resource of ${sourceProviderAddress}; moved blocks rename resources of one type.`,
    hint:
      "stop managing it with a removed block and destroy = false, and add an import block for its new address: see " +
      'guides/adopt-what-exists, "Stop managing something"',
  });
};

/** ImportResourceState: by id, or by the names on the way to it: `shop/api`, `shop/api/LOG_LEVEL`. */
export const importResourceState: RpcAnswer<"ImportResourceState"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const session = provider.requireSession();
  const importId = importIdOf(session, request);
  const state = importedState(type, await locateImport(session, type.resource, importId));
  const kept = writePrivate({ workspace: session.workspaceId });
  return { importedResources: [{ typeName: type.name, state, private: kept }] };
};

/** Returns a state as an import leaves it: names and IDs, the rest is filled in by the next read. */
export function importedState(type: TerraformShape, { id, name, parentId }: Located) {
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
  const { nameAttribute, removedWithParent, parents } = resource;
  const [parent] = parents;
  const parentType = parent && typeNamed(parent.type);
  const asked = `the import id "${importId}" of ${terraformNameOf(wanted)}`;
  const hint = `give ${importIds(wanted)}, or the names ${importForm(wanted)}`;
  const unreadable = (what: string) => failure("live.import_missing", `${asked} has ${what}`, { hint });
  if (segments.includes("")) throw unreadable("an empty part");
  if (parent === undefined && segments.length > 1) throw unreadable("too many parts");
  const above = nameAttribute === undefined ? segments : segments.slice(0, -1);
  const name = segments[above.length] ?? "";
  if (removedWithParent && above.length === 0) throw unreadable("too few parts");
  const outer =
    parentType && above.length > 0
      ? await locateImport(session, parentType, importId, above, wanted)
      : undefined;
  const declared = new Map(outer === undefined ? [] : [[parent?.attribute ?? "", outer.id]]);
  const reasons = new Set<string>();
  for (const id of [undefined, ...(uuidPattern.test(name) ? [canonicalId(name)] : [])]) {
    const target = { name, declared, id, parentId: outer?.id, isAnywhere: true } as const;
    const read = await shapeOf(resource).read(session.reads, target);
    if (read.kind === "ambiguous") {
      const ids = read.ids.join(", ");
      const byItsId = `give the id of the ${resource.type} in place of its name: ${ids}`;
      const summary = `${read.ids.length} ${terraformNameOf(resource)} resources are called "${name}"`;
      throw failure("live.ambiguous", summary, {
        detail: `${asked.replace("the", "The")} does not say which.`,
        hint: resource === wanted ? `import one by its id: ${ids}` : byItsId,
      });
    }
    if (read.kind === "unchecked") reasons.add(read.reason);
    if (read.kind !== "found" || (outer === undefined && id === undefined && name === "")) continue;
    const { live } = read;
    return { id: live.id, name: live.name, parentId: live.parentId ?? outer?.id ?? null };
  }
  if (reasons.size > 0)
    throw failure("live.unchecked", `the ${resource.type} "${name}" could not be looked up`, {
      detail: `${[...reasons].join("; ")}.`,
      hint,
    });
  const missing = nameAttribute === undefined ? `${resource.type} to import` : `${resource.type} "${name}"`;
  const where = outer && parentType ? `the ${parentType.type} "${outer.name}" has` : "there is";
  const beside = (await resource.list(session.reads, outer?.id).catch(() => [])) ?? [];
  const inParent = beside.filter(({ parentId }) => parentId === (outer?.id ?? null));
  const names = inParent.map((live) => live.name);
  // Most services lie in a project: of those that do not, the only one is not meant by itself.
  const only = outer && names.length === 1 ? `did you mean "${names[0]}"?` : undefined;
  const nearest = didYouMean(name, names) ?? only;
  throw failure("live.import_missing", `${where} no ${missing}`, {
    detail: `Nothing is found for ${asked}.`,
    hint: nearest ?? hint,
  });
}

/** Names the ids that an import id may be made of: the service finds some resources by their own ids alone. */
export function importIds({ type, nameAttribute, parents: [parent], removedWithParent }: Resource): string {
  if (parent === undefined) return "its id";
  if (nameAttribute === undefined) return `the id of its ${parent.type}`;
  return removedWithParent ? `the ids ${parent.type.toUpperCase()}/${type.toUpperCase()}` : "its id";
}

/** Returns the form of an import ID: `PROJECT/SERVICE`. */
export function importForm(resource: Resource): string {
  const [parent] = resource.parents;
  const parentType = parent && typeNamed(parent.type);
  const own = resource.nameAttribute === undefined ? [] : [resource.type.toUpperCase()];
  return [...(parentType ? [importForm(parentType)] : []), ...own].join("/");
}
