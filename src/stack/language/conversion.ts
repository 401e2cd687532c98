import {
  bool,
  compareText,
  describeType,
  isKnown,
  isListLike,
  isMapLike,
  jsonEncode,
  type ListValue,
  list,
  type MapValue,
  type MembersType,
  map,
  marked,
  number,
  numberText,
  object,
  parseNumber,
  text,
  tuple,
  typeOf,
  type Value,
  type ValueType,
  whenKnown,
} from "./expression-value";
import { ExpressionProblem, unsupported } from "./problem";

/** A value as one of another type, as Terraform converts it; throws `ExpressionProblem` where it does not. */
export function convert(value: Value, type: ValueType): Value {
  if (type === "any" || value.kind === "null") return value;
  if (value.kind === "later")
    return {
      ...(whenKnown([value], ([known]) => convert(known as Value, type)) as typeof value),
      // Text stays text.
      parts: type === "string" ? value.parts : undefined,
    };
  const isMembers = typeof type !== "string" && "entries" in type;
  // Null may stand for the default of an attribute.
  if (!isMembers && typeEqual(typeOf(value), type)) return value;
  return marked(converted(value, type), value.sensitive === true);
}

function converted(value: Value, type: ValueType): Value {
  if (typeof type === "string") return toPrimitive(value, type);
  if ((type.kind === "list" || type.kind === "set") && isListLike(value))
    return toSequence(value, type.kind, type.of);
  if (type.kind === "map" && isMapLike(value)) return toMap(value, type.of);
  if (type.kind === "tuple" && value.kind === "tuple" && value.items.length === type.entries.size)
    return tuple(value.items.map((item, i) => convert(item, type.entries.get(i) as ValueType)));
  if (type.kind !== "object" || !isMapLike(value)) throw mismatch(value, type);
  const members = [...type.entries].map(([key, inner]): readonly [string, Value] => {
    const given = value.entries.get(String(key));
    const isLeftOut = given === undefined || given.kind === "null";
    const member = (isLeftOut && type.optional?.get(String(key))) || given;
    if (member === undefined) throw new ExpressionProblem(`the attribute "${key}" is required`);
    return [String(key), convert(member, inner)];
  });
  return object(members);
}

function mismatch(value: Value, type: ValueType): ExpressionProblem {
  const article = type === "any" || /^[aeiou]/.test(describeType(type)) ? "an" : "a";
  return new ExpressionProblem(
    `${article} ${describeType(type)} is required, found ${describeType(typeOf(value))}`,
  );
}

function toPrimitive(value: Value, type: "any" | "string" | "number" | "bool"): Value {
  if (type === "string" && value.kind === "number") return text(numberText(value.value));
  if (type === "string" && value.kind === "bool") return text(String(value.value));
  if (type === "number" && value.kind === "string") {
    const parsed = parseNumber(value.value);
    if (parsed !== undefined) return number(parsed);
    throw new ExpressionProblem("a number is required, found text that is none");
  }
  if (type === "bool" && value.kind === "string") {
    if (value.value === "true" || value.value === "1") return bool(true);
    if (value.value === "false" || value.value === "0") return bool(false);
    throw new ExpressionProblem('a bool is required, found text that is neither "true" nor "false"');
  }
  throw mismatch(value, type);
}

const primitive =
  <Primitive>(kind: "number" | "bool" | "string", ofNull: string) =>
  (value: Value): Primitive => {
    const found = convert(value, kind);
    if (found.kind !== kind) throw new ExpressionProblem(ofNull);
    return (found as { readonly value: unknown }).value as Primitive;
  };

export const numberOf = primitive<number>("number", "null is no number");
export const boolOf = primitive<boolean>("bool", "null is neither true nor false");
export const textOf = primitive<string>("string", "null is no text");

export function wholeNumber(value: Value): number {
  const found = numberOf(value);
  if (Number.isInteger(found)) return found;
  throw new ExpressionProblem("a whole number is required");
}

function toSequence(value: ListValue, kind: "list" | "set", of: ValueType): Value {
  const found = value.items.map((item) => convert(item, of));
  const element = isOpen(of) ? unifiedType(found.map(typeOf)) : of;
  if (element === undefined) throw new ExpressionProblem(`the items of a ${kind} are all of the same type`);
  const items = found.map((item) => convert(item, element));
  return kind === "list" ? list(items, element) : set(items, element);
}

/** Returns true if a part of a type is only known from the values that have it. */
const isOpen = (type: ValueType): boolean =>
  type === "any" || (typeof type !== "string" && "optional" in type) || innerTypes(type).some(isOpen);

function toMap(value: MapValue, of: ValueType): Value {
  const found = [...value.entries].map(([key, inner]) => [key, convert(inner, of)] as const);
  const element = isOpen(of) ? unifiedType(found.map(([, inner]) => typeOf(inner))) : of;
  if (element === undefined) throw new ExpressionProblem("the values of a map are all of the same type");
  return map(
    found.map(([key, inner]) => [key, convert(inner, element)] as const),
    element,
  );
}

/** A set: each item once, in the order of their values. */
export function set(items: readonly Value[], of: ValueType): Value {
  if (!items.every(isKnown)) return whenKnown(items, (known) => set(known, of));
  const unique = new Map([...items].sort(compareItems).map((item) => [jsonEncode(item), item]));
  return { ...list([...unique.values()], of), kind: "set" };
}

function compareItems(a: Value, b: Value): number {
  if (a.kind === "null" || b.kind === "null") return Number(a.kind === "null") - Number(b.kind === "null");
  if (a.kind === "number" && b.kind === "number") return a.value - b.value;
  if (a.kind === "bool" && b.kind === "bool") return Number(a.value) - Number(b.value);
  if (a.kind === "string" && b.kind === "string") return compareText(a.value, b.value);
  throw unsupported("a set of other values than texts, numbers and bools");
}

export const equal = (a: Value, b: Value): boolean =>
  typeEqual(typeOf(a), typeOf(b)) && jsonEncode(a) === jsonEncode(b);

function typeEqual(a: ValueType, b: ValueType): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b || a === "any" || b === "any";
  if ("of" in a && "of" in b) return a.kind === b.kind && typeEqual(a.of, b.of);
  if ("of" in a || "of" in b || a.kind !== b.kind || a.entries.size !== b.entries.size) return false;
  return [...a.entries].every(([key, inner]) => {
    const other = b.entries.get(key);
    return other !== undefined && typeEqual(inner, other);
  });
}

/** The type that values of all of them can be converted to; undefined where there is none. */
export function unifiedType(types: readonly ValueType[]): ValueType | undefined {
  const known = types.filter((type) => type !== "any");
  const [first] = known;
  if (first === undefined) return "any";
  if (known.every((type) => typeEqual(type, first))) return first;
  if (known.every((type) => typeof type === "string")) return known.includes("string") ? "string" : undefined;
  if (known.some((type) => typeof type === "string")) return undefined;
  const kinds = new Set((known as Exclude<ValueType, string>[]).map(({ kind }) => kind));
  const isOpen = known.length < types.length;
  // Something unknown among tuples or objects leaves them as they are.
  if (isOpen && (kinds.has("tuple") || kinds.has("object"))) return "any";
  const within = (kinds_: readonly string[]): boolean => [...kinds].every((kind) => kinds_.includes(kind));
  if (within(["tuple"])) return unifiedMembers("tuple", known as MembersType[]);
  if (within(["object"])) return unifiedMembers("object", known as MembersType[]);
  if (within(["list", "tuple"])) return collectionOf("list", known);
  if (within(["set", "tuple"])) return known.find((type) => typeof type !== "string" && type.kind === "set");
  if (within(["set", "list"])) return collectionOf("set", known);
  return within(["map", "object"]) ? collectionOf("map", known) : undefined;
}

function collectionOf(kind: "list" | "set" | "map", types: readonly ValueType[]): ValueType | undefined {
  const of = unifiedType(types.flatMap(innerTypes));
  return of === undefined ? undefined : { kind, of };
}

function innerTypes(type: ValueType): readonly ValueType[] {
  if (typeof type === "string") return [];
  if ("of" in type) return [type.of];
  return [...type.entries.values()];
}

/** The type of tuples or objects: of the same members, each of a type that fits all; else that of a list or a map. */
function unifiedMembers(kind: MembersType["kind"], types: readonly MembersType[]): ValueType | undefined {
  const keys = [...(types[0]?.entries.keys() ?? [])];
  if (types.some(({ entries }) => entries.size !== keys.length || !keys.every((key) => entries.has(key))))
    return collectionOf(kind === "tuple" ? "list" : "map", types);
  const entries = new Map<string | number, ValueType>();
  for (const key of keys) {
    const unified = unifiedType(types.map((type) => type.entries.get(key) as ValueType));
    if (unified === undefined) return undefined;
    entries.set(key, unified);
  }
  return { kind, entries };
}
