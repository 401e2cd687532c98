import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { Plain } from "../../model/value";
import type { Message } from "../protocol";
import { decodeObject, dynamicOf } from "../values/codec";
import {
  asObject,
  DynamicValue,
  holdsUnknown,
  isSameValue,
  isUnknown,
  NumberText,
  type TerraformObject,
  type TerraformType,
  type TerraformValue,
  toPlain,
  unknown,
} from "../values/terraform-value";
import type { PathSteps, TerraformShape } from "./terraform-shape";

/**
 * The configuration of a resource with the fields that its `settings` give in the block that they stand for: from here
 * on nothing tells the two forms apart. Undefined where there is none.
 */
export function configIn(
  type: TerraformShape,
  message: Message<"Value"> | null | undefined,
): TerraformObject | undefined {
  const config = decodeObject(type.valueType, message);
  return config && withSettings(type, config);
}

/** A whole value as it is written: nothing where there is none. */
export const writtenIn = (
  type: TerraformShape,
  message: Message<"Value"> | null | undefined,
): TerraformObject => decodeObject(type.valueType, message) ?? {};

/** The same without a block in which something is set: `settings` and such a block are never kept side by side. */
export function writtenEmptyIn(
  type: TerraformShape,
  message: Message<"Value"> | null | undefined,
): TerraformObject {
  const written = writtenIn(type, message);
  const { settings } = type;
  const isFilled = settings !== undefined && Object.keys(writtenFields(settings, written)).length > 0;
  return isFilled ? { ...written, [settings.group]: null } : written;
}

/** The value of `settings`; a null of any type is none. */
const givenIn = ({ settings }: TerraformShape, config: TerraformObject): TerraformValue => {
  const given = settings === undefined ? null : (config[settings.name] ?? null);
  return given instanceof DynamicValue ? given.value : given;
};

export function withSettings(type: TerraformShape, config: TerraformObject): TerraformObject {
  const { settings } = type;
  const given = givenIn(type, config);
  if (settings === undefined || given === null) return config;
  const block = asObject(config[settings.group]) ?? {};
  const written = Object.entries(block).filter(([, value]) => value !== null);
  const merged = { ...block, ...fieldsOf(settings, given), ...Object.fromEntries(written) };
  return { ...config, [settings.group]: merged };
}

/**
 * A value as Terraform keeps it: fields that `settings` give stand there alone, in the form in which they were given. Only
 * there Terraform knows which of them are sensitive; a block that the provider filled would show them. A block that is
 * written beside them, with nothing in it, stays as `written` has it: Terraform wants to find it again.
 */
export function inSettings(
  type: TerraformShape,
  whole: TerraformObject,
  written: TerraformObject = {},
): TerraformObject {
  const isGiven = type.settings !== undefined && givenIn(type, whole) !== null;
  return isGiven ? { ...whole, [type.settings.group]: written[type.settings.group] ?? null } : whole;
}

/** Whether an empty block beside `settings` is new in a configuration, or gone from it. */
export function isEmptyBlockMoved(
  type: TerraformShape,
  written: TerraformObject,
  prior: TerraformObject,
): boolean {
  const { settings } = type;
  if (settings === undefined || givenIn(type, written) === null) return false;
  return ((written[settings.group] ?? null) === null) !== ((prior[settings.group] ?? null) === null);
}

/** The forms of a resource as they are written, in its configuration and in its state before. */
interface WrittenForms {
  readonly written: TerraformObject;
  readonly prior: TerraformObject;
}

/**
 * Fields that a planned block has, and that `settings` no longer give: they go back to what they are by default, and no
 * value of Terraform shows them. Whether `settings` give anything may be known only by the apply.
 */
export function resetIn(
  type: TerraformShape,
  planned: TerraformObject,
  { written, prior }: WrittenForms,
): Readonly<Record<string, Plain>> | undefined {
  const { settings } = type;
  if (settings === undefined) return undefined;
  const given = givenIn(type, planned);
  if (given === null && givenIn(type, prior) === null) return undefined;
  const own = given === null ? writtenFields(settings, written) : fieldsOf(settings, given);
  const block = Object.entries(asObject(planned[settings.group] ?? null) ?? {});
  const reset = block.filter(([name, value]) => value !== null && !holdsUnknown(value) && !(name in own));
  return reset.length === 0
    ? undefined
    : Object.fromEntries(reset.map(([name, value]) => [name, toPlain(value)]));
}

/**
 * Returns what is said of fields that only the block of a state shows, as after an import: to Terraform the block is
 * removed, and the plan shows each of its fields as null.
 */
export function leftInBlock(
  type: TerraformShape,
  planned: TerraformObject,
  { written, prior }: WrittenForms,
): readonly Diagnostic[] {
  const { settings } = type;
  if (settings === undefined || givenIn(type, planned) === null || givenIn(type, prior) !== null) return [];
  const own = fieldsOf(settings, givenIn(type, planned));
  const after = asObject(planned[settings.group] ?? null) ?? {};
  const left = Object.entries(writtenFields(settings, prior)).filter(
    ([name, value]) => !(name in own) && isSameValue(value, after[name] ?? null),
  );
  if (left.length === 0 || Object.keys(writtenFields(settings, written)).length > 0) return [];
  const { name: attribute, group } = settings;
  return [
    warning("plan.retained", `fields that ${attribute} do not give stay as they are`, {
      attribute,
      detail:
        `The block ${group} leaves the state, so this plan shows its fields as null. Nothing is sent for these: ` +
        `${left.map(([name]) => name).join(", ")}.`,
    }),
  ];
}

type Settings = NonNullable<TerraformShape["settings"]>;

/** The fields that are set in the block itself. */
const writtenFields = ({ group }: Settings, written: TerraformObject): TerraformObject =>
  Object.fromEntries(
    Object.entries(asObject(written[group] ?? null) ?? {}).filter(([, value]) => value !== null),
  );

/** A value without what `resetIn` found of it; a block that is not in `written` is gone with it. */
export function withoutReset(
  type: TerraformShape,
  whole: TerraformObject,
  reset: Readonly<Record<string, Plain>> | undefined,
  written: TerraformObject,
): TerraformObject {
  const { settings } = type;
  if (settings === undefined || reset === undefined || givenIn(type, whole) !== null) return whole;
  const block = asObject(whole[settings.group] ?? null) ?? {};
  const kept = { ...block, ...Object.fromEntries(Object.keys(reset).map((name) => [name, null])) };
  return { ...whole, [settings.group]: (written[settings.group] ?? null) === null ? null : kept };
}

/** A planned value whose block has what `resetIn` found of it. */
export function withReset(
  { settings }: TerraformShape,
  planned: TerraformObject | undefined,
  reset: Readonly<Record<string, Plain>> = {},
): TerraformObject | undefined {
  if (planned === undefined || settings === undefined) return planned;
  const fields = Object.entries(reset).flatMap(([name, value]) => {
    const field = settings.fields.get(name);
    const converted = field === undefined ? undefined : convertTo(field, value as TerraformValue);
    return converted !== undefined && "value" in converted ? [[name, converted.value] as const] : [];
  });
  if (fields.length === 0) return planned;
  const block = asObject(planned[settings.group] ?? null) ?? {};
  return { ...planned, [settings.group]: { ...block, ...Object.fromEntries(fields) } };
}

/** The same for what was read: a field that is another one by now is so in `settings`. */
export function readIntoSettings(
  type: TerraformShape,
  whole: TerraformObject,
  written: TerraformObject,
): TerraformObject {
  const { settings } = type;
  const given = asObject(givenIn(type, whole));
  if (settings === undefined || given === undefined) return inSettings(type, whole, written);
  const block = asObject(whole[settings.group] ?? null) ?? {};
  const moved = Object.entries(fieldsOf(settings, given)).filter(
    ([name, value]) => !isSameValue(value, block[name] ?? null),
  );
  if (moved.length === 0) return inSettings(type, whole, written);
  const now = Object.fromEntries(moved.map(([name]) => [name, block[name] ?? null]));
  const before = whole[settings.name] ?? null;
  const kept = before instanceof DynamicValue ? before.type : "dynamic";
  return inSettings(type, { ...whole, [settings.name]: withFields(kept, given, now) }, written);
}

/** A value with other fields, in its type where they fit: Terraform knows what is sensitive by paths into that type. */
function withFields(type: TerraformType, given: TerraformObject, fields: TerraformObject): DynamicValue {
  if (typeof type === "string" || (type[0] !== "map" && type[0] !== "object"))
    return dynamicOf({ ...given, ...fields });
  const converted = Object.entries(fields).map(([name, value]) => {
    const inner =
      type[0] === "map" ? type[1] : ((type[1] as Record<string, TerraformType>)[name] ?? "dynamic");
    const one = convertTo(inner, value);
    return [name, "value" in one ? one.value : undefined] as const;
  });
  if (converted.some(([, value]) => value === undefined)) return dynamicOf({ ...given, ...fields });
  return new DynamicValue(type, { ...given, ...(Object.fromEntries(converted) as TerraformObject) });
}

/** The fields of `settings` in the types of the block; what does not fit is left out, as validation has told. */
function fieldsOf({ fields }: Settings, given: TerraformValue): TerraformObject {
  // Nobody knows yet which of them are given.
  if (isUnknown(given)) return Object.fromEntries([...fields.keys()].map((name) => [name, unknown]));
  const converted = Object.entries(asObject(given) ?? {}).flatMap(([name, value]) => {
    const field = fields.get(name);
    const one = field === undefined ? undefined : convertTo(field, value);
    return one !== undefined && "value" in one && one.value !== null ? [[name, one.value] as const] : [];
  });
  return Object.fromEntries(converted);
}

/** Returns where the value at `steps` is written: in the block, or in `settings`. */
export function writtenAt(
  type: TerraformShape,
  config: TerraformObject | undefined,
): (steps: PathSteps) => PathSteps {
  const { settings } = type;
  const isGiven = settings !== undefined && config !== undefined && givenIn(type, config) !== null;
  // Terraform finds the line of the attribute, and of nothing within it.
  return (steps) => (isGiven && steps[0] === settings.group ? [settings.name] : steps);
}

/** Returns where an attribute path is written. */
export function stepsIn(
  type: TerraformShape,
  config: TerraformObject | undefined,
): (path: string) => PathSteps | undefined {
  const stepsOf = writtenAt(type, config);
  return (path) => {
    const steps = type.stepsOf(path);
    return steps && stepsOf(steps);
  };
}

/** Returns the error of `settings` beside a block in which something is set; `isIgnoring`: no such two are written. */
export function bothFormsFindings(
  type: TerraformShape,
  config: TerraformObject,
  isIgnoring = false,
): readonly Diagnostic[] {
  const { settings } = type;
  const given = givenIn(type, config);
  if (settings === undefined || given === null || isUnknown(given)) return [];
  if (Object.keys(writtenFields(settings, config)).length === 0) return [];
  const { name: attribute, group } = settings;
  return [
    error("plan.invalid_combination", `both ${attribute} and the block ${group} are set`, {
      attribute,
      ...(isIgnoring
        ? {
            detail: "ignore_changes keeps the one that is not written any more beside the other.",
            hint: `take ${attribute} and ${group} out of ignore_changes for this plan`,
          }
        : { hint: `keep one of the two: \`${attribute} = …\` is the block as one value` }),
    }),
  ];
}

/** Returns what is wrong with `settings` by itself: both forms at once, a field that is none, a value of another type. */
export function settingsFindings(type: TerraformShape, config: TerraformObject): readonly Diagnostic[] {
  const { settings } = type;
  const given = givenIn(type, config);
  // What is not known may yet be null, or another value.
  if (settings === undefined || given === null || isUnknown(given)) return [];
  const { name: attribute, fields } = settings;
  const both = bothFormsFindings(type, config);
  const object = asObject(given);
  if (object === undefined)
    return [...both, error("manifest.invalid_value", `${attribute}: expected an object`, { attribute })];
  return [
    ...both,
    ...Object.entries(object).flatMap(([name, value]) => fieldFindings(attribute, fields, name, value)),
  ];
}

function fieldFindings(
  attribute: string,
  fields: ReadonlyMap<string, TerraformType>,
  name: string,
  value: TerraformValue,
): readonly Diagnostic[] {
  const at = `${attribute}.${name}`;
  const field = fields.get(name);
  if (field === undefined)
    return [
      error("manifest.unknown_key", `there is no field "${name}" in ${attribute}`, {
        attribute,
        hint:
          didYouMean(name, fields.keys()) ??
          `its fields are those of the block: ${[...fields.keys()].join(", ")}`,
      }),
    ];
  if (holdsUnknown(value)) return [];
  const converted = convertTo(field, value);
  if ("value" in converted) return [];
  return [error("manifest.invalid_value", `${at}: expected ${converted.expected}`, { attribute })];
}

/** A value in the type that was wanted, or what was wanted in words. */
type Converted = { readonly value: TerraformValue } | { readonly expected: string };

const words: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  bool: "true or false",
  list: "a list",
  set: "a list",
  tuple: "a list",
  map: "a map",
  object: "an object",
};

/** Converts a value that bears its own type, as Terraform converts what it assigns to an attribute of `type`. */
export function convertTo(type: TerraformType, value: TerraformValue): Converted {
  if (value instanceof DynamicValue) return convertTo(type, value.value);
  if (value === null || isUnknown(value)) return { value };
  if (type === "dynamic") return { value: dynamicOf(value) };
  const kind = typeof type === "string" ? type : type[0];
  const converted = typeof type === "string" ? scalarOf(type, value) : collectionOf(type, value);
  return converted ?? { expected: words[kind] ?? kind };
}

function scalarOf(type: string, value: TerraformValue): Converted | undefined {
  const isText = typeof value === "string";
  switch (type) {
    case "string":
      if (value instanceof NumberText) return { value: value.text };
      return typeof value === "object" ? undefined : { value: String(value) };
    case "number":
      if (typeof value === "number" || value instanceof NumberText) return { value };
      return isText && /^-?\d+(\.\d+)?$/.test(value) ? { value: Number(value) } : undefined;
    default:
      if (typeof value === "boolean") return { value };
      return value === "true" || value === "false" ? { value: value === "true" } : undefined;
  }
}

function collectionOf(type: Exclude<TerraformType, string>, value: TerraformValue): Converted | undefined {
  if (type[0] === "list" || type[0] === "set")
    return Array.isArray(value)
      ? all(
          value.map((item) => convertTo(type[1], item)),
          // A set holds nothing twice.
          (items) => (type[0] === "set" ? [...new Set(items)] : items),
        )
      : undefined;
  const object = asObject(value);
  if (object === undefined || type[0] === "tuple") return undefined;
  const fields =
    type[0] === "object" ? type[1] : Object.fromEntries(Object.keys(object).map((name) => [name, type[1]]));
  const names = Object.keys(fields);
  return all(
    names.map((name) => convertTo(fields[name] ?? "dynamic", object[name] ?? null)),
    (values) => Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
  );
}

function all(
  converted: readonly Converted[],
  combine: (values: readonly TerraformValue[]) => TerraformValue,
): Converted {
  const wrong = converted.find((one) => "expected" in one);
  if (wrong !== undefined) return wrong;
  return { value: combine(converted.map((one) => ("value" in one ? one.value : null))) };
}
