import type * as z from "zod";
import type { Address } from "../../model/address";
import type { ResourceType } from "../../model/resource-type";
import { isPlain, type Plain } from "../../model/value";
import type { Change } from "../plan";
import { celValue, Money, nothing, Part } from "./members";

/** A CEL type by its name, or an object by its fields. */
export type Shape = string | { readonly [field: string]: Shape };

/** How the resources of a type look to an expression: secrets are no fields of it. */
interface ResourceView {
  /** Its CEL type. */
  readonly name: string;
  readonly shape: Shape;
  /** The classes of its groups of fields and of a resource. */
  readonly classes: readonly ViewClass[];
  readonly of: (values: ResourceValues) => object;
}

interface ViewClass {
  readonly name: string;
  readonly ctor: new (values: ResourceValues) => object;
  /** Each field with its CEL type. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Fields that every resource has besides its own. */
export const commonShape = {
  ...{ address: "string", action: "string", stage: "string", parent: "string", declared: "bool" },
  ...{ effects: "list<string>", unknown: "list<string>" },
  cost: "Money",
  parts: "list<Part>",
} as const;

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
  const own = { ...(isSettled && computedOf(type)), ...fieldsOf(type) };
  const groups = new Map<string, ViewClass>();
  for (const [group, members] of Object.entries(own))
    if (typeof members !== "string")
      groups.set(group, viewClass(`${name}.${group}`, members as Record<string, string>, `${group}.`));
  const fields = Object.fromEntries(
    Object.entries(own).map(([field, one]) => [field, groups.get(field)?.name ?? (one as string)]),
  );
  const whole = viewClass(name, { ...fields, ...commonShape }, "", groups);
  return {
    ...{ name, shape: { ...commonShape, ...own }, classes: [...groups.values(), whole] },
    of: (values) => new whole.ctor(values),
  };
}

/** Makes a class with a getter for each field, which looks its value up when it is read. */
function viewClass(
  name: string,
  fields: Readonly<Record<string, string>>,
  prefix = "",
  groups: ReadonlyMap<string, ViewClass> = new Map(),
): ViewClass {
  class View {
    readonly #values: ResourceValues;
    constructor(values: ResourceValues) {
      this.#values = values;
    }
    static getter(field: string): (this: View) => unknown {
      const group = groups.get(field)?.ctor;
      const path = `${prefix}${field}`;
      if (group !== undefined)
        return function () {
          return new group(this.#values);
        };
      if (path in commonShape)
        return function () {
          return this.#values[path as keyof typeof commonShape];
        };
      return function () {
        return this.#values.at(path);
      };
    }
  }
  for (const field of Object.keys(fields))
    Object.defineProperty(View.prototype, field, { get: View.getter(field), enumerable: true });
  return { name, ctor: View, fields };
}

/** One resource as it is once the plan is applied. */
export class ResourceValues implements Readonly<Record<keyof typeof commonShape, unknown>> {
  readonly #change: Change;
  readonly #parts: () => readonly Change[];
  readonly #computed: ReadonlyMap<string, Plain>;
  readonly stage: string;
  constructor(
    change: Change,
    around: {
      readonly stage: string;
      readonly parts: () => readonly Change[];
      /** What the service computed of it, where that is known. */
      readonly computed?: ReadonlyMap<string, Plain>;
    },
  ) {
    this.#change = change;
    this.#parts = around.parts;
    this.#computed = around.computed ?? new Map();
    this.stage = around.stage;
  }
  get address(): Address {
    return this.#change.address;
  }
  get action() {
    return this.#change.action;
  }
  get effects() {
    return this.#change.effects;
  }
  get parent() {
    const { desired, recorded } = this.#change.instance;
    return desired?.parent ?? recorded?.parent ?? "";
  }
  get declared() {
    return this.#change.instance.desired !== undefined;
  }
  get cost() {
    return new Money(this.#change.cost?.after ?? nothing);
  }
  get unknown() {
    return unknownIn(this.#change);
  }
  get parts() {
    return this.#parts().map((part) => new Part(part));
  }

  /** Returns a field; undefined where it has no value, or it is secret. */
  at(path: string): unknown {
    // Numbers of the service are `double`, whole or not.
    return this.#computed.get(path) ?? celValue(valueAfter(this.#change, path));
  }
}

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

/** The fields of a type without its secrets: no expression may see one, nor tell by its answer what it is. */
function fieldsOf(type: ResourceType): Record<string, Shape> {
  const fields: Record<string, Shape> = {};
  for (const [key, field] of Object.entries(type.schema.shape)) {
    const inner = withoutWrapping(field as z.ZodType);
    const members = inner.def.type === "object" ? (inner as z.ZodObject).shape : undefined;
    if (type.rules[key]?.secret) continue;
    fields[key] = members
      ? Object.fromEntries(
          Object.entries(members)
            .filter(([name]) => !type.rules[`${key}.${name}`]?.secret)
            .map(([name, member]) => [name, celType(member as z.ZodType)]),
        )
      : celType(field as z.ZodType);
  }
  return fields;
}

const computedTypes = { string: "string", number: "double", boolean: "bool", json: "dyn" } as const;

/** What the service computes of a type. */
const computedOf = ({ computed }: ResourceType): Record<string, Shape> =>
  Object.fromEntries(
    Object.entries(computed).map(([name, { valueType }]) => [name, computedTypes[valueType]]),
  );

type Wrapping = { readonly innerType?: z.ZodType };

function withoutWrapping(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as Wrapping;
  return innerType === undefined ? schema : withoutWrapping(innerType);
}

/** Whole numbers are `int`; what has several forms is `dyn`, checked where it is judged. */
function celType(schema: z.ZodType): string {
  const inner = withoutWrapping(schema);
  const { type, format } = inner.def as { readonly type: string; readonly format?: string };
  if (type === "string" || type === "enum") return "string";
  if (type === "boolean") return "bool";
  if (type === "number") return format?.includes("int") ? "int" : "dyn";
  if (type === "array") return "list";
  return "dyn";
}
