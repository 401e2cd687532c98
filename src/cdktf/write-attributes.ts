import { didYouMean } from "../diagnostics/suggest";
import type { ResourceType } from "../model/resource-type";
import { snakeCase } from "../model/terraform-name";

export type GivenProps = Readonly<Record<string, unknown>>;

/** Attributes of one type by their name in the program. */
interface Names {
  readonly attributes: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Turns the fields that a program gave into the attributes of Terraform JSON: snake_case, groups nested. */
export function attributeWriter(
  type: ResourceType,
  others: ReadonlySet<string>,
): (props: GivenProps, owner: string) => Record<string, unknown> {
  const names = namesOf(type);
  const known = [...names.attributes.keys(), ...names.groups.keys(), ...others];
  return (props, owner) => {
    const written: Record<string, unknown> = {};
    for (const key of Object.keys(props)) {
      const value = props[key];
      if (value === undefined || value === null) continue;
      const name = names.attributes.get(key);
      const group = names.groups.get(key);
      if (name !== undefined) written[name] = value;
      else if (group !== undefined)
        written[snakeCase(key)] = writeGroup(value as GivenProps, group, `${key} of ${owner}`);
      else if (!others.has(key)) throw unknownField(owner, key, known);
    }
    return written;
  };
}

function writeGroup(props: GivenProps, names: ReadonlyMap<string, string>, owner: string): GivenProps {
  const written: Record<string, unknown> = {};
  for (const key of Object.keys(props)) {
    const value = props[key];
    if (value === undefined || value === null) continue;
    const name = names.get(key);
    if (name === undefined) throw unknownField(owner, key, [...names.keys()]);
    written[name] = value;
  }
  return written;
}

function unknownField(owner: string, key: string, known: readonly string[]): Error {
  const hint = didYouMean(key, known);
  return new Error(`${owner} has no field ${JSON.stringify(key)}${hint === undefined ? "" : `: ${hint}`}`);
}

function namesOf({ schema, groups }: ResourceType): Names {
  const attributes = new Map<string, string>();
  const nested = new Map<string, ReadonlyMap<string, string>>();
  for (const [key, field] of Object.entries(schema.shape)) {
    const fields = groups.includes(key) ? shapeOf(field) : undefined;
    if (fields === undefined) attributes.set(key, snakeCase(key));
    else nested.set(key, new Map(Object.keys(fields).map((name) => [name, snakeCase(name)])));
  }
  return { attributes, groups: nested };
}

/** The fields of an object schema below `optional` and `nullable`. */
function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const { shape, def } = schema as { shape?: Record<string, unknown>; def: { innerType?: unknown } };
  if (shape !== undefined) return shape;
  return def.innerType === undefined ? undefined : shapeOf(def.innerType);
}
