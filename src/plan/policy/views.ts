import type * as z from "zod";
import type { Money, ResourceType } from "../../model/resource-type";
import { isPlain, type Plain } from "../../model/value";
import { free } from "../change";
import {
  type AttributeChange,
  type Change,
  type Plan,
  type PlannedInstance,
  type ShownValue,
  unknownIn,
} from "../plan";

/** Fields by name: the CEL type of each, and how it is read. */
type ViewFields<Source> = Readonly<
  Record<string, readonly [celType: string, read: (source: Source) => unknown]>
>;

/** A CEL type. Its objects read a field when an expression asks for it: a policy reads few fields of many resources. */
export interface View<Source> {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The library knows the type of an object by its class alone: without one `changes[0]` would be refused when it is judged. */
  readonly ctor: new (
    source: Source,
  ) => object;
  readonly of: (source: Source) => object;
}

function defineView<Source>(name: string, fields: ViewFields<Source>): View<Source> {
  class Viewed {
    readonly #source: Source;
    constructor(source: Source) {
      this.#source = source;
    }
    static addField(field: string, read: (source: Source) => unknown): void {
      Object.defineProperty(Viewed.prototype, field, {
        enumerable: true,
        get(this: Viewed) {
          return read(this.#source);
        },
      });
    }
  }
  for (const [field, [, read]] of Object.entries(fields)) Viewed.addField(field, read);
  return {
    name,
    fields: Object.fromEntries(Object.entries(fields).map(([field, [celType]]) => [field, celType])),
    ctor: Viewed,
    of: (source) => new Viewed(source),
  };
}

const amounts = defineView<Money>("Money", {
  usd: ["double", ({ usd }) => usd],
  ngn: ["double", ({ ngn }) => ngn],
});

const moneyValue = (money: Money | null | undefined): object => amounts.of(money ?? free);

const cost = defineView<Change["cost"]>("Cost", {
  before: ["Money", (found) => moneyValue(found?.before)],
  after: ["Money", (found) => moneyValue(found?.after)],
});

const field = defineView<AttributeChange>("Field", {
  path: ["string", ({ path }) => path],
  cause: ["string", (change) => change.cause],
  before: ["dyn", ({ before }) => sideValue(before)],
  after: ["dyn", ({ after }) => sideValue(after)],
});

export interface Planned {
  readonly change: Change;
  readonly instance: PlannedInstance;
  readonly stage: string;
}

const identity: ViewFields<Planned> = {
  address: ["string", ({ change }) => change.address],
  type: ["string", ({ change }) => change.type],
  name: ["string", ({ change }) => change.liveName],
  action: ["string", ({ change }) => change.action],
};

/** A part of a resource, as far as a plan shows it: no value of a secret. */
const partView = defineView<Planned>("Part", { ...identity, source: ["string", sourceOf] });

export const changeView = defineView<Planned>("Change", {
  ...identity,
  stage: ["string", ({ stage }) => stage],
  declared: ["bool", isDeclared],
  removed: ["bool", ({ change }) => change.removalDeclared === true],
  reason: ["string", ({ change }) => change.reason ?? ""],
  effects: ["list<string>", ({ change }) => change.effects],
  cost: ["Cost", ({ change }) => cost.of(change.cost)],
  fields: ["list<Field>", ({ change }) => change.attributes.map(field.of)],
});

const summary = defineView<Plan["summary"]>("Summary", {
  add: ["int", ({ add }) => BigInt(add)],
  change: ["int", ({ change }) => BigInt(change)],
  destroy: ["int", ({ destroy }) => BigInt(destroy)],
  adopt: ["int", ({ adopt }) => BigInt(adopt)],
  forget: ["int", ({ forget }) => BigInt(forget)],
});

const totalCost = defineView<Plan["cost"]>("TotalCost", {
  before: ["Money", ({ before }) => moneyValue(before)],
  after: ["Money", ({ after }) => moneyValue(after)],
  increase: [
    "Money",
    ({ before, after }) => moneyValue({ usd: after.usd - before.usd, ngn: after.ngn - before.ngn }),
  ],
});

export const planView = defineView<{
  readonly plan: Plan;
  readonly stage: string;
  readonly changes: readonly object[];
}>("Plan", {
  mode: ["string", ({ plan }) => plan.options.mode],
  stage: ["string", ({ stage }) => stage],
  workspace: ["string", ({ plan }) => plan.binding.workspaceId],
  summary: ["Summary", ({ plan }) => summary.of(plan.summary)],
  cost: ["TotalCost", ({ plan }) => totalCost.of(plan.cost)],
  changes: ["list<Change>", ({ changes }) => changes],
  unmanaged: ["int", ({ plan }) => BigInt(plan.unmanaged.length)],
});

/** The objects that an expression finds in lists and fields of any scope, those that others hold first. */
export const memberViews = [
  amounts,
  cost,
  field,
  partView,
  changeView,
  summary,
  totalCost,
  planView,
] as const;

function sourceOf({ instance: { desired, document } }: Planned): string {
  if (document !== undefined) return failUnshown("source");
  for (const { source } of desired?.attributes.values() ?? []) if (source !== undefined) return source;
  return "";
}

function isDeclared({ instance: { desired, document } }: Planned): boolean {
  return document === undefined ? desired !== undefined : (document.isDeclared ?? failUnshown("declared"));
}

/** Fails the policy that asks for a field which the document of a plan leaves out. */
function failUnshown(field: string): never {
  const summary = `the saved plan does not hold \`${field}\``;
  throw Object.assign(new Error(summary), { summary });
}

const sideValue = (side: ShownValue): unknown =>
  side.kind === "value" ? celValue(side.value) : side.kind === "absent" ? null : `(${side.kind})`;

/** Whole numbers are whole in CEL, too. */
function celValue(value: Plain | undefined): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(celValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member as Plain)]));
}

interface PlannedResource extends Planned {
  readonly parts: readonly Planned[];
  readonly computed?: ReadonlyMap<string, Plain>;
}

/** The view that an expression has of the resources of a type, without their secrets. */
interface ResourceView extends View<PlannedResource> {
  readonly groups: readonly View<PlannedResource>[];
}

export const commonFields: ViewFields<PlannedResource> = {
  address: ["string", ({ change }) => change.address],
  action: ["string", ({ change }) => change.action],
  stage: ["string", ({ stage }) => stage],
  parent: ["string", ({ change }) => change.parent ?? ""],
  declared: ["bool", isDeclared],
  effects: ["list<string>", ({ change }) => change.effects],
  unknown: ["list<string>", ({ change }) => unknownIn(change)],
  cost: ["Money", ({ change }) => moneyValue(change.cost?.after)],
  parts: ["list<Part>", ({ parts }) => parts.map(partView.of)],
};

const views = {
  planned: new WeakMap<ResourceType, ResourceView>(),
  settled: new WeakMap<ResourceType, ResourceView>(),
};

/** Returns the view of a type in a plan, or after its apply, with computed fields. Made once. */
export function viewOf(type: ResourceType, when: keyof typeof views = "planned"): ResourceView {
  const known = views[when];
  const view = known.get(type) ?? makeView(type, when);
  known.set(type, view);
  return view;
}

function makeView(type: ResourceType, when: keyof typeof views): ResourceView {
  const name = `${type.type.charAt(0).toUpperCase()}${type.type.slice(1)}`;
  const groups: View<PlannedResource>[] = [];
  const fields: Record<string, ViewFields<PlannedResource>[string]> = {};
  if (when === "settled")
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

/** Returns the fields of a type without its secrets: no expression may see or reveal a secret. */
const openFields = ({ rules }: ResourceType, shape: z.ZodObject["shape"], prefix = "") =>
  Object.entries(shape as Readonly<Record<string, z.ZodType>>).filter(
    ([key]) => !rules[`${prefix}${key}`]?.secret,
  );

/** Numbers of the service are `double`, whole or not. */
const valueAt =
  (path: string) =>
  ({ change, instance, computed }: PlannedResource): unknown =>
    computed?.get(path) ?? celValue(valueAfter(change, instance, path));

/** A field as it is once the plan is applied: planned over declared over live over the default. No secret is returned. */
export function valueAfter(
  { attributes }: Change,
  { defaults, live, resolved, fingerprints, document }: PlannedInstance,
  path: string,
): Plain | undefined {
  const byDefault = () => defaults.get(path) ?? (document && failUnshown(path));
  if (path in fingerprints) return undefined;
  for (const field of attributes) {
    if (field.path !== path) continue;
    if (field.after.kind !== "value") return undefined;
    // Null is a reset.
    return field.after.value ?? byDefault() ?? undefined;
  }
  const declared = resolved.get(path);
  if (declared !== undefined && declared !== null && isPlain(declared)) return declared;
  return live?.attributes.get(path) ?? byDefault() ?? undefined;
}

const computedTypes = { string: "string", number: "double", boolean: "bool", json: "dyn" } as const;

function withoutWrapping(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType };
  return innerType === undefined ? schema : withoutWrapping(innerType);
}

/** Returns the type in CEL: `int` for whole numbers, `dyn` for values of several forms, which are checked later. */
function celType(schema: z.ZodType): string {
  const { type, format } = schema.def as { readonly type: string; readonly format?: string };
  if (type === "string" || type === "enum") return "string";
  if (type === "boolean") return "bool";
  if (type === "number") return format?.includes("int") ? "int" : "dyn";
  if (type === "array") return "list";
  return "dyn";
}
