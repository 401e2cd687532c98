import { didYouMean } from "../diagnostics/suggest";
import type { ComputedRule, ResourceType } from "../model/resource-type";
import { camelCase, snakeCase, timeoutNames } from "../model/terraform-names";
import { capitalized } from "../model/wording";
import type { Library, ReferableLike } from "./host-library";

export type GivenProps = Readonly<Record<string, unknown>>;

/** A field by its name in Terraform; `fields` are those of a group. */
interface ConstructField {
  readonly name: string;
  /** The kind of token that a reference to it is. */
  readonly token: "string" | "number" | "list" | "json";
  readonly fields?: FieldNames;
}

export type FieldNames = ReadonlyMap<string, ConstructField>;

/** Attributes of Terraform JSON, groups as objects of their own. */
export type Written = Record<string, unknown>;

/** A zod schema, as far as the kind of a field depends on it. */
interface ZodField {
  readonly shape?: Readonly<Record<string, ZodField>>;
  readonly def: { readonly type: string; readonly innerType?: ZodField };
}

/** The fields of the constructs of a type: its attributes, the ids of its parents, `timeouts`. */
export function fieldsOf(type: ResourceType): FieldNames {
  const text = { token: "string" } as const;
  const timeouts = timeoutNames.map((name) => [name, { name, ...text }] as const);
  return new Map<string, ConstructField>([
    ...fieldNames(type.schema.shape as NonNullable<ZodField["shape"]>, type),
    ...type.parents.map(({ attribute }) => [attribute, { name: snakeCase(attribute), ...text }] as const),
    ["timeouts", { name: "timeouts", token: "json", fields: new Map(timeouts) }],
  ]);
}

const fieldNames = (
  shape: NonNullable<ZodField["shape"]>,
  type?: ResourceType,
): readonly (readonly [string, ConstructField])[] =>
  Object.entries(shape).map(([key, schema]) => {
    const inner = innermost(schema);
    const fields = type?.groups.includes(key) ? inner.shape : undefined;
    const token = type?.rules[key]?.secret === true ? "string" : tokenKind(inner.def.type);
    return [key, { name: snakeCase(key), token, fields: fields && new Map(fieldNames(fields)) }];
  });

const innermost = (schema: ZodField): ZodField =>
  schema.def.innerType === undefined ? schema : innermost(schema.def.innerType);

function tokenKind(type: string): ConstructField["token"] {
  if (type === "string" || type === "enum") return "string";
  if (type === "number" || type === "int") return "number";
  return type === "array" ? "list" : "json";
}

/** Returns the value of a map whose names must be known. Throws for a token; `owner` names the map. */
export function knownMap({ Token }: Library, value: unknown, owner: string): GivenProps {
  if (!Token.isUnresolved(value)) return value as GivenProps;
  throw new Error(
    `${owner} is a token, and its names must be known. Write { NAME: value }, where each value may be a token; ` +
      "merge maps in the program: { ...common, ...own }",
  );
}

/** Fields of the program as attributes of Terraform JSON; `others` is not written. Throws for an unknown field. */
export function writeAttributes(
  library: Library,
  props: GivenProps,
  names: FieldNames,
  owner: string,
  others: readonly string[] = [],
): Written {
  const written: Written = {};
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    const field = names.get(key);
    if (field?.fields !== undefined) {
      const text = `${key} of ${owner}`;
      written[field.name] = writeAttributes(library, knownMap(library, value, text), field.fields, text);
    } else if (field !== undefined) written[field.name] = requireFinite(value, `${key} of ${owner}`);
    else if (!others.includes(key)) {
      const hint = didYouMean(key, [...names.keys(), ...others]);
      throw new Error(`${owner} has no field ${JSON.stringify(key)}${hint === undefined ? "" : `: ${hint}`}`);
    }
  }
  return written;
}

/** JSON has null for NaN, which is a field that is left out. */
function requireFinite(value: unknown, about: string): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${about} is ${value}`);
  return value;
}

/** The construct of a resource or a data source, as its fields are read and set. */
export interface FieldOwner extends ReferableLike {
  /** Returns the value that the program gave, by the attribute's name in Terraform. */
  givenField(name: string): unknown;
  /** Sets an attribute; undefined takes it away. */
  giveField(name: string, value: unknown): void;
}

/**
 * Defines the members that bindings of the libraries have for each field. For a group: `putConfiguration()`, and an
 * object with the members of its fields.
 */
export function defineFields(library: Library, prototype: object, names: FieldNames): void {
  for (const [key, { name, token, fields }] of names)
    if (fields !== undefined) defineGroupMembers(library, prototype, key, name, fields);
    else
      defineMembers<FieldOwner>(prototype, key, {
        get: (owner) => tokenOf(owner, name, token),
        read: (owner) => owner.givenField(name),
        write: (owner, value) => owner.giveField(name, value),
      });
}

function defineGroupMembers(
  library: Library,
  prototype: object,
  key: string,
  name: string,
  fields: FieldNames,
): void {
  const Group = defineGroup(name, fields);
  const read = (owner: FieldOwner): GivenProps | undefined => {
    const given = owner.givenField(name) as Written | undefined;
    const fieldsGiven = Object.entries(given ?? {}).map(([field, value]) => [camelCase(field), value]);
    return given && Object.fromEntries(fieldsGiven);
  };
  const put = (owner: FieldOwner, value: unknown): void => {
    const text = `${key} of ${owner.terraformResourceType} ${owner.node.path}`;
    owner.giveField(name, writeAttributes(library, knownMap(library, value, text), fields, text));
  };
  Object.defineProperties(prototype, {
    [key]: getterOnce(key, (owner: FieldOwner) => new Group(owner)),
    [`${key}Input`]: getter(read),
    [`put${capitalized(key)}`]: method(put),
    [`reset${capitalized(key)}`]: method((owner: FieldOwner) => owner.giveField(name, undefined)),
  });
}

/** The class of a group of one resource: `service.configuration`. */
function defineGroup(name: string, fields: FieldNames): new (owner: FieldOwner) => object {
  class Group {
    constructor(readonly owner: FieldOwner) {
      const spread = `the ${name} of ${owner.node.path} is a reference, and its fields cannot be spread`;
      const write = `Write { ...${name}Input, … } with what the program gave, or name its fields`;
      Object.defineProperties(this, {
        // The library walks through an object that is given as a value; it must not reach the construct.
        owner: { value: owner, enumerable: false },
        // `{ ...service.configuration }` would be empty.
        [Symbol("fields")]: {
          enumerable: true,
          get: () => {
            throw new Error(`${spread}. ${write}`);
          },
        },
      });
    }

    get given(): Written {
      return (this.owner.givenField(name) ?? {}) as Written;
    }

    /** The group as one value is a reference to all of it. */
    resolve(): unknown {
      return this.owner.interpolationForAttribute(name);
    }

    toString(): string {
      return this.owner.getStringAttribute(name);
    }

    get creationStack(): readonly string[] {
      return [];
    }
  }
  for (const [key, field] of fields)
    defineMembers<Group>(Group.prototype, key, {
      get: ({ owner }) => tokenOf(owner, `${name}.${field.name}`, field.token),
      read: ({ given }) => given[field.name],
      write: ({ owner, given: { [field.name]: _before, ...others } }, value) => {
        const next = value === undefined ? others : { ...others, [field.name]: value };
        owner.giveField(name, Object.keys(next).length === 0 ? undefined : next);
      },
    });
  return Group;
}

interface Access<Self> {
  readonly get: (self: Self) => unknown;
  readonly read: (self: Self) => unknown;
  readonly write: (self: Self, value: unknown) => void;
}

/** Defines the members of a field: a token getter, a setter, `nameInput` with the given value, `resetName()`. */
export function defineMembers<Self>(
  prototype: object,
  key: string,
  { get, read, write }: Access<Self>,
): void {
  Object.defineProperties(prototype, {
    [key]: {
      ...getter(get),
      set(this: Self, value: unknown) {
        write(this, requireFinite(value, key) ?? undefined);
      },
    },
    [`${key}Input`]: getter(read),
    [`reset${capitalized(key)}`]: method((self: Self) => write(self, undefined)),
  });
}

const getter = <Self>(read: (self: Self) => unknown): PropertyDescriptor => ({
  configurable: true,
  get(this: Self) {
    return read(this);
  },
});

const getterOnce = <Self extends object>(name: string, make: (self: Self) => unknown): PropertyDescriptor =>
  getter((self: Self) => {
    const value = make(self);
    Object.defineProperty(self, name, { value });
    return value;
  });

const method = <Self>(run: (self: Self, given?: unknown) => void): PropertyDescriptor => ({
  configurable: true,
  writable: true,
  value(this: Self, given?: unknown) {
    run(this, given);
  },
});

function tokenOf(of: ReferableLike, path: string, kind: ConstructField["token"]): unknown {
  if (kind === "string") return of.getStringAttribute(path);
  if (kind === "number") return of.getNumberAttribute(path);
  return kind === "list" ? of.getListAttribute(path) : of.interpolationForAttribute(path);
}

export type ComputedTypes = Readonly<Record<string, Pick<ComputedRule, "valueType">>>;

/** Defines a getter for each computed attribute: a token of its type, the same each time. `note` is called with each `id`. */
export function defineTokens(
  prototype: object,
  computed: ComputedTypes,
  note: (id: unknown, owner: FieldOwner) => void,
): void {
  for (const [name, { valueType }] of Object.entries(computed)) {
    const read = (owner: FieldOwner): unknown => {
      const value = tokenOf(owner, snakeCase(name), tokenKind(valueType));
      if (name === "id") note(value, owner);
      return value;
    };
    Object.defineProperty(prototype, name, getterOnce(name, read));
  }
}
