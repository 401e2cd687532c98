import type * as z from "zod";
import type { ResourceType } from "../../model/resource-type";
import { isPlain, type Plain } from "../../model/value";
import { type Change, parentOf } from "../plan";
import { celValue, moneyValue, partView } from "./members";
import { defineView, type View, type ViewFields } from "./view";

/** One resource as it is once the plan is applied. */
interface PlannedResource {
  readonly change: Change;
  readonly stage: string;
  readonly parts: readonly Change[];
  /** What the service computed of it, where that is known. */
  readonly computed?: ReadonlyMap<string, Plain>;
}

/** How the resources of a type look to an expression: secrets are no fields of it. */
interface ResourceView extends View<PlannedResource> {
  /** The types of its groups of fields. */
  readonly groups: readonly View<PlannedResource>[];
}

/** Fields that every resource has besides its own. */
export const commonFields: ViewFields<PlannedResource> = {
  address: ["string", ({ change }) => change.address],
  action: ["string", ({ change }) => change.action],
  stage: ["string", ({ stage }) => stage],
  parent: ["string", ({ change }) => parentOf(change) ?? ""],
  declared: ["bool", ({ change }) => change.instance.desired !== undefined],
  effects: ["list<string>", ({ change }) => change.effects],
  unknown: ["list<string>", ({ change }) => unknownIn(change)],
  cost: ["Money", ({ change }) => moneyValue(change.cost?.after)],
  parts: ["list<Part>", ({ parts }) => parts.map(partView.of)],
};

const views = {
  planned: new WeakMap<ResourceType, ResourceView>(),
  settled: new WeakMap<ResourceType, ResourceView>(),
};

/** Returns how a type looks in a plan; once it is applied with what the service computes of it, too. Made once. */
export function viewOf(type: ResourceType, isSettled = false): ResourceView {
  const known = isSettled ? views.settled : views.planned;
  const view = known.get(type) ?? makeView(type, isSettled);
  known.set(type, view);
  return view;
}

function makeView(type: ResourceType, isSettled: boolean): ResourceView {
  const name = `${type.type.charAt(0).toUpperCase()}${type.type.slice(1)}`;
  const groups: View<PlannedResource>[] = [];
  const fields: Record<string, ViewFields<PlannedResource>[string]> = {};
  if (isSettled)
    for (const [key, { valueType }] of Object.entries(type.computed))
      fields[key] = [computedTypes[valueType], valueAt(key)];
  for (const [key, schema] of openFields(type, type.schema.shape)) {
    const inner = withoutWrapping(schema);
    if (inner.def.type !== "object") {
      fields[key] = [celType(inner), valueAt(key)];
      continue;
    }
    const members = openFields(type, (inner as z.ZodObject).shape, `${key}.`).map(
      ([member, one]) => [member, [celType(withoutWrapping(one)), valueAt(`${key}.${member}`)]] as const,
    );
    const group = defineView<PlannedResource>(`${name}.${key}`, Object.fromEntries(members));
    groups.push(group);
    fields[key] = [group.name, group.of];
  }
  return { ...defineView(name, { ...fields, ...commonFields }), groups };
}

/** The fields of a type without its secrets: no expression may see one, nor tell by its answer what it is. */
const openFields = ({ rules }: ResourceType, shape: z.ZodObject["shape"], prefix = "") =>
  Object.entries(shape as Readonly<Record<string, z.ZodType>>).filter(
    ([key]) => !rules[`${prefix}${key}`]?.secret,
  );

/** Numbers of the service are `double`, whole or not. */
const valueAt =
  (path: string) =>
  ({ change, computed }: PlannedResource): unknown =>
    computed?.get(path) ?? celValue(valueAfter(change, path));

/** A field as it is once the plan is applied: planned over declared over live over the default. No secret is returned. */
function valueAfter({ attributes, instance }: Change, path: string): Plain | undefined {
  const { defaults, live, resolved, fingerprints } = instance;
  if (path in fingerprints) return undefined;
  for (const field of attributes) {
    if (field.path !== path) continue;
    if (field.after.kind !== "value") return undefined;
    // Null is a reset.
    return field.after.value ?? defaults.get(path) ?? undefined;
  }
  const declared = resolved.get(path);
  if (declared !== undefined && declared !== null && isPlain(declared)) return declared;
  return live?.attributes.get(path) ?? defaults.get(path) ?? undefined;
}

/** All fields as they are once the plan is applied, and those that only apply can tell. */
export function valuesAfter(change: Change): {
  readonly values: ReadonlyMap<string, Plain>;
  readonly unknown: readonly string[];
} {
  const { attributes, instance } = change;
  const paths = new Set([
    ...[...instance.defaults.keys(), ...(instance.live?.attributes.keys() ?? [])],
    ...[...instance.resolved.keys(), ...attributes.map(({ path }) => path)],
  ]);
  const values = new Map<string, Plain>();
  for (const path of paths) {
    const value = valueAfter(change, path);
    if (value !== undefined) values.set(path, value);
  }
  return { values, unknown: unknownIn(change) };
}

/** Fields that only apply can tell. */
const unknownIn = ({ attributes }: Change): readonly string[] =>
  attributes.flatMap(({ path, after }) => (after.kind === "unknown" ? [path] : []));

const computedTypes = { string: "string", number: "double", boolean: "bool", json: "dyn" } as const;

type Wrapping = { readonly innerType?: z.ZodType };

function withoutWrapping(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as Wrapping;
  return innerType === undefined ? schema : withoutWrapping(innerType);
}

/** Whole numbers are `int`; what has several forms is `dyn`, checked where it is judged. */
function celType(schema: z.ZodType): string {
  const { type, format } = schema.def as { readonly type: string; readonly format?: string };
  if (type === "string" || type === "enum") return "string";
  if (type === "boolean") return "bool";
  if (type === "number") return format?.includes("int") ? "int" : "dyn";
  if (type === "array") return "list";
  return "dyn";
}
