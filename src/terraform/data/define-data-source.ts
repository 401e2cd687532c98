import type { ZodType } from "zod";
import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Session } from "../provider";
import { type Draft, setValue, shownAs } from "../schema/attributes";
import {
  type AttributeSchema,
  type BlockSchema,
  computed,
  type Schema,
  schemaOf,
  typeOf,
} from "../schema/block";
import type { AttributeBinding, TerraformShape } from "../schema/terraform-shape";
import {
  type ObjectType,
  objectOf,
  type TerraformObject,
  type TerraformType,
} from "../values/terraform-value";

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

/** Bindings that a data source shows of a type: all that can be declared or is computed, secrets left out. */
const shownBindings = ({
  declared,
  computed,
  moving,
  resource,
}: TerraformShape): readonly AttributeBinding[] => [
  ...declared.filter(({ path }) => resource.rules[path]?.change !== "local"),
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
export function shownAttributes(type: TerraformShape): readonly AttributeSchema[] {
  const described = new Map(type.block.attributes.map(({ name, doc }) => [name, doc]));
  for (const { steps, rule } of type.moving) described.set(steps[0] ?? "", rule.doc);
  for (const { name, block } of type.block.groups ?? []) described.set(name, block.doc);
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
