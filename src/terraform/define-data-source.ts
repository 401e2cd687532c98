import type { ZodType } from "zod";
import type { Reads, Resource } from "../api/reads";
import type { Diagnostic } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { LiveResource, ReadResult } from "../model/live";
import { snakeCase } from "../model/text";
import { findResource } from "../resources";
import { idIn } from "./ids";
import { diagnosticError } from "./messages";
import { mostAgeMs, type Session } from "./provider";
import { standingOf } from "./resource/warnings";
import { type Draft, setValue, shownAs, textIn } from "./schema/attributes";
import {
  type AttributeSchema,
  type BlockSchema,
  computed,
  isMixedList,
  type Schema,
  schemaOf,
  typeOf,
} from "./schema/block";
import { type AttributeBinding, shapeOf, type TerraformShape } from "./schema/terraform-shape";
import {
  type ObjectType,
  objectOf,
  type TerraformObject,
  type TerraformType,
} from "./values/terraform-value";

/** Tells people something of what was read, beside it. */
type Tell = (found: readonly Diagnostic[]) => void;

/** Terraform reads a data source and never changes it. */
export interface DataSource extends Schema {
  /** Reads the computed attributes for a configuration whose values are all known. Throws `DiagnosticsError`. */
  readonly read: (session: Session, config: TerraformObject, tell: Tell) => Promise<TerraformObject>;
}

export const dataSource = (name: string, block: BlockSchema, read: DataSource["read"]): DataSource => ({
  ...schemaOf(name, block),
  read,
});

/** One computed attribute for every field of an answer of the service. */
export function fieldsOf(
  answer: ZodType,
  docs: Readonly<Record<string, string>>,
): readonly AttributeSchema[] {
  const type = typeOf(answer);
  const fields = Array.isArray(type) && type[0] === "object" ? (type as ObjectType)[1] : {};
  return Object.entries(fields).map(([name, field]) => computed(name, field, docs[name] ?? ""));
}

/**
 * Bindings that a data source shows of a type: all that can be declared or is computed, secrets left out. A list of
 * resources holds no `dynamic` value: in a mixed list an object is its JSON text.
 */
const shownBindings = ({
  declared,
  computed,
  moving,
  resource,
}: TerraformShape): readonly AttributeBinding[] => [
  ...declared
    .filter(({ path }) => resource.rules[path]?.change !== "local")
    .map((one) => (one.schema && isMixedList(one.schema) ? { ...one, type: typeOf(one.schema) } : one)),
  ...computed,
  ...moving,
];

/** The type of one resource as a data source shows it; groups are nested objects. */
export function shownType(type: TerraformShape): ObjectType {
  const fields: Record<string, TerraformType> = {};
  for (const { steps, type: field } of shownBindings(type)) {
    const [first = "", second] = steps;
    if (second === undefined) fields[first] = field;
    else fields[first] = objectOf({ ...(fields[first] as ObjectType | undefined)?.[1], [second]: field });
  }
  return objectOf(fields);
}

/** One computed attribute for each field of `shownType`, with the words of the resource type. */
function shownAttributes(type: TerraformShape): readonly AttributeSchema[] {
  const described = new Map(type.block.attributes.map(({ name, doc }) => [name, doc]));
  for (const { steps, rule } of type.moving) described.set(steps[0] ?? "", rule.doc);
  // What a block says of its management is not of a data source.
  for (const { name, block } of type.block.groups ?? [])
    described.set(name, block.doc.replace(/(?<=\.) .*$/s, ""));
  return Object.entries(shownType(type)[1]).map(([name, field]) =>
    computed(name, field, described.get(name) ?? ""),
  );
}

/** A live resource in the form of `shownType`. */
export function shownResource(type: TerraformShape, live: LiveResource): TerraformObject {
  const shown: Draft = {};
  for (const binding of shownBindings(type)) {
    const value = live.attributes.get(binding.path) ?? live.computed.get(binding.path);
    setValue(shown, binding.steps, shownAs(binding, value));
  }
  return shown;
}

/** The data source of one resource, found by its id, or by its name in its parent. */
export function lookupOf(resource: Resource): DataSource {
  const type = shapeOf(resource);
  const nameAttribute = snakeCase(resource.nameAttribute ?? "name");
  const keys = ["id", nameAttribute, ...resource.parents.map(({ attribute }) => snakeCase(attribute))];
  const attributes = shownAttributes(type).map((one) =>
    keys.includes(one.name)
      ? { ...one, optional: true as const, doc: `${one.doc} Looked up by it when it is given.` }
      : one,
  );
  const [parent] = resource.parents;
  const where = parent === undefined ? "" : `, in every ${parent.type} unless one is named`;
  const doc = `One ${resource.type}, found by its id or by its ${nameAttribute}${where}.`;
  return dataSource(type.name, { doc, attributes }, async (session, config, tell) => {
    const live = await lookUp(session, type, config, nameAttribute);
    tell(standingOf(resource, live));
    return shownResource(type, live);
  });
}

async function lookUp(
  session: Session,
  { resource, name: typeName }: TerraformShape,
  config: TerraformObject,
  nameAttribute: string,
): Promise<LiveResource> {
  const id = idIn(config, "id");
  const name = textIn(config, nameAttribute) ?? "";
  if (id === undefined && name === "")
    throw diagnosticError("manifest.missing_key", `${typeName} needs an id or a ${nameAttribute}`, {
      attribute: nameAttribute,
    });
  const [parent] = resource.parents;
  const parentId = parent && idIn(config, snakeCase(parent.attribute));
  const isAnywhere = id === undefined && parent !== undefined && parentId === undefined;
  session.reads.invalidate(mostAgeMs);
  const read = isAnywhere
    ? await findAnywhere(session.reads, resource, name)
    : await findResource(session.reads, resource, { id, name, parentId });
  if (read.kind === "found") return read.live;
  const what = id === undefined ? `"${name}"` : `of the id ${id}`;
  if (read.kind === "ambiguous")
    throw diagnosticError("live.ambiguous", `${read.ids.length} of ${typeName} are called ${what}`, {
      attribute: nameAttribute,
      hint: `choose one by its id: ${read.ids.join(", ")}${isAnywhere ? `, or name its ${parent?.type}` : ""}`,
    });
  if (read.kind === "unchecked")
    throw diagnosticError("live.unchecked", `the ${resource.type} ${what} could not be looked up`, {
      detail: `${read.reason}.`,
    });
  const listed = id === undefined ? await resource.list(session.reads, parentId).catch(() => []) : [];
  const beside = (listed ?? []).filter((live) => parentId === undefined || live.parentId === parentId);
  const besides = [
    ...(id === undefined || name === "" ? [] : [` called "${name}"`]),
    ...(parentId === undefined ? [] : [` in the ${parent?.type} ${parentId}`]),
  ];
  throw diagnosticError("live.import_missing", `there is no ${resource.type} ${what}${besides.join("")}`, {
    attribute: id === undefined ? nameAttribute : "id",
    hint: didYouMean(
      name,
      beside.map((live) => live.name),
    ),
  });
}

/** Finds the one of that name, whatever it lies in. */
async function findAnywhere(reads: Reads, resource: Resource, name: string): Promise<ReadResult> {
  const listed = await resource.list(reads);
  const [found, ...others] = (listed ?? []).filter((live) => live.name === name);
  if (found === undefined)
    return listed === undefined || !(await reads.servicesAreComplete())
      ? { kind: "unchecked", reason: "there are too many services to list those outside of projects" }
      : { kind: "absent" };
  if (others.length === 0) return { kind: "found", live: found };
  return { kind: "ambiguous", ids: [found, ...others].map(({ id }) => id) };
}
