import { convert, equal, set, unifiedType } from "./conversion";
import {
  bool,
  compareText,
  describeType,
  graphemes,
  isListLike,
  isMapLike,
  type ListValue,
  list,
  type MapValue,
  map,
  marked,
  membersOf,
  nothing,
  object,
  text,
  number as toNumber,
  tuple,
  typeOf,
  type Value,
  type ValueType,
} from "./expression-value";
import {
  any,
  deep,
  type FunctionRule,
  nullable,
  number,
  type Parameter,
  shallow,
  string,
} from "./function-rule";
import { boolOf, numberOf, textOf, wholeNumber } from "./operators";
import { ExpressionProblem } from "./problem";

const collection: Parameter = { type: "collection" };
const strings: Parameter = { type: { kind: "list", of: "string" } };

const texts: ValueType = { kind: "list", of: "string" };
const numbers: ValueType = { kind: "list", of: "number" };
const anySet: ValueType = { kind: "set", of: "any" };

const wrong = (wanted: string, found: Value): ExpressionProblem =>
  new ExpressionProblem(`${wanted} is required, found ${describeType(typeOf(found))}`);

/** A list or a tuple; `orSet` takes a set too. */
function itemsOf(value: Value | undefined, orSet = false): readonly Value[] {
  if (value !== undefined && isListLike(value) && (orSet || value.kind !== "set")) return value.items;
  throw wrong("a list", value ?? nothing);
}

function entriesOf(value: Value | undefined): ReadonlyMap<string, Value> {
  if (value !== undefined && isMapLike(value)) return value.entries;
  throw wrong("a map", value ?? nothing);
}

/** Items as a list where all are of one type, else as a tuple. */
const sameKind = (like: Value, items: readonly Value[]): Value =>
  like.kind === "tuple" ? tuple(items) : list(items, (like as ListValue).of);

function element([value, at]: readonly Value[]): Value {
  const items = itemsOf(value);
  const index = wholeNumber(at as Value);
  if (items.length === 0) throw new ExpressionProblem("the list is empty");
  if (index < 0) throw new ExpressionProblem("the index is negative");
  return items[index % items.length] as Value;
}

function lookup([value, key, fallback]: readonly Value[]): Value {
  const entries = entriesOf(value);
  const name = textOf(key as Value);
  const found = entries.get(name);
  const of = value?.kind === "map" ? (value as MapValue).of : "any";
  const other = fallback && convert(fallback, of);
  if (found !== undefined) return found;
  if (other !== undefined) return other;
  throw new ExpressionProblem(
    `there is no ${JSON.stringify(name)} in the map, and no default`,
    "stack.reference_unknown",
  );
}

function merge(maps: readonly Value[]): Value {
  const given = maps.filter(({ kind }) => kind !== "null");
  const entries = new Map<string, Value>();
  let isSecret = false;
  for (const one of given) {
    isSecret ||= one.sensitive === true;
    for (const [key, value] of entriesOf(one)) entries.set(key, value);
  }
  const of = given.every(({ kind }) => kind === "map")
    ? unifiedType(given.map((one) => (one as MapValue).of))
    : undefined;
  const merged =
    given.length > 0 && of !== undefined && isSameType(given) ? map(entries, of) : object(entries);
  return marked(merged, isSecret);
}

const isSameType = (maps: readonly Value[]): boolean =>
  maps.every((one) => describeType((one as MapValue).of) === describeType((maps[0] as MapValue).of));

function concat(lists: readonly Value[]): Value {
  const items = lists.flatMap((one) => itemsOf(one));
  if (!lists.every(({ kind }) => kind === "list")) return tuple(items);
  const of = unifiedType(lists.map((one) => (one as ListValue).of));
  return of === undefined
    ? tuple(items)
    : list(
        items.map((item) => convert(item, of)),
        of,
      );
}

function coalesce(values: readonly Value[]): Value {
  const type = unifiedType(values.map(typeOf));
  if (type === undefined) throw new ExpressionProblem("all arguments must have the same type");
  for (const value of values) {
    const found = convert(value, type);
    if (found.kind !== "null" && !(found.kind === "string" && found.value === "")) return found;
  }
  throw new ExpressionProblem("every argument is null or empty");
}

function coalesceList(values: readonly Value[]): Value {
  const found = values.find((value) => itemsOf(value, true).length > 0);
  if (found === undefined) throw new ExpressionProblem("every list is empty");
  return found;
}

function length([value]: readonly Value[]): Value {
  if (value?.kind === "string") return toNumber(graphemes(value.value).length);
  if (value !== undefined && (isListLike(value) || isMapLike(value)))
    return toNumber(membersOf(value).length);
  throw wrong("text, a list or a map", value ?? nothing);
}

function join([separator, ...lists]: readonly Value[]): Value {
  const items = lists.flatMap((one) => itemsOf(one, true));
  if (items.some(({ kind }) => kind === "null"))
    throw new ExpressionProblem("an item is null and cannot be joined");
  return text(items.map(textOf).join(textOf(separator as Value)));
}

function contains([value, wanted]: readonly Value[]): Value {
  return bool(itemsOf(value, true).some((item) => equal(item, wanted as Value)));
}

function position([value, wanted]: readonly Value[]): Value {
  const found = itemsOf(value).findIndex((item) => equal(item, wanted as Value));
  if (found === -1) throw new ExpressionProblem("the item is not in the list", "stack.reference_unknown");
  return toNumber(found);
}

function distinct([value]: readonly Value[]): Value {
  const { items, of } = convert(value as Value, { kind: "list", of: "any" }) as ListValue;
  const unique: Value[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    // Texts are compared by a set: comparing each with each takes long.
    if (item.kind === "string" ? seen.has(item.value) : unique.some((other) => equal(other, item))) continue;
    if (item.kind === "string") seen.add(item.value);
    unique.push(item);
  }
  return list(unique, of);
}

const flattened = (items: readonly Value[]): readonly Value[] =>
  items.flatMap((item) =>
    isListLike(item) ? flattened(item.items).map((one) => marked(one, item.sensitive === true)) : [item],
  );

function sort([value]: readonly Value[]): Value {
  const items = itemsOf(value, true);
  const texts = items.map(textOf).sort(compareText);
  return list(texts.map(text), "string");
}

function slice([value, from, to]: readonly Value[]): Value {
  const items = itemsOf(value);
  const [start, end] = [wholeNumber(from as Value), wholeNumber(to as Value)];
  if (start < 0 || end > items.length || start > end)
    throw new ExpressionProblem(`${start} to ${end} is no part of ${items.length} items`);
  return sameKind(value as Value, items.slice(start, end));
}

const mostNumbers = 1024;

function range(args: readonly Value[]): Value {
  const [first, second, third] = args.map(numberOf);
  const start = second === undefined ? 0 : (first as number);
  const end = second ?? (first as number);
  const isDown = end < start;
  const step = third ?? (isDown ? -1 : 1);
  if (step === 0 || isDown !== step < 0)
    throw new ExpressionProblem("the step does not lead from the start to the end");
  const numbers: Value[] = [];
  for (let at = start; isDown ? at > end : at < end; at += step) {
    if (numbers.length === mostNumbers) throw new ExpressionProblem(`more than ${mostNumbers} numbers`);
    numbers.push(toNumber(at));
  }
  return list(numbers, "number");
}

function zipmap([names, values]: readonly Value[]): Value {
  const keys = itemsOf(names).map(textOf);
  const items = itemsOf(values);
  if (keys.length !== items.length)
    throw new ExpressionProblem(`${keys.length} keys for ${items.length} values`);
  const entries = new Map(keys.map((key, i) => [key, items[i] as Value]));
  return values?.kind === "list" ? map(entries, values.of) : object(entries);
}

function one([value]: readonly Value[]): Value {
  const items = itemsOf(value, true);
  if (items.length > 1) throw new ExpressionProblem(`one item or none is required, found ${items.length}`);
  return items[0] ?? nothing;
}

/** A conversion that leaves null as it is. */
const conversion = (gives: ValueType): FunctionRule =>
  shallow([nullable], ([value]) => convert(value as Value, gives), { gives });

/** A function of sets of anything. */
const ofSets = (keep: (isIn: readonly boolean[]) => boolean): FunctionRule => ({
  takes: [collection],
  rest: collection,
  gives: { kind: "set", of: "any" },
  call: (args) => {
    const sets = args.map((one) => convert(one, { kind: "set", of: "any" }) as ListValue);
    const of = unifiedType(sets.map((one) => one.of));
    if (of === undefined) throw new ExpressionProblem("the sets are of different types");
    const all = sets.map(({ items }) => items.map((item) => convert(item, of)));
    const kept = all
      .flat()
      .filter((item) => keep(all.map((items) => items.some((other) => equal(other, item)))));
    return set(kept, of);
  },
});

/** `alltrue` and `anytrue`. */
const ofBools = (start: boolean): FunctionRule => ({
  takes: [{ type: { kind: "list", of: "bool" } }],
  gives: "bool",
  call: ([value]) => {
    const items = itemsOf(value);
    const isOther = items.some((item) => (item.kind === "null" ? start : boolOf(item) !== start));
    return bool(isOther ? !start : start);
  },
});

/** Functions of lists, maps and of any value. */
export const collectionFunctions: readonly (readonly [string, FunctionRule])[] = [
  ["element", shallow([any, number], element)],
  ["lookup", shallow([any, string, nullable], lookup, { optional: 1 })],
  ["merge", shallow([], merge, { rest: nullable })],
  ["concat", shallow([any], concat, { rest: any })],
  ["coalesce", shallow([nullable], coalesce, { rest: nullable })],
  ["coalescelist", deep([any], "any", coalesceList, { rest: any })],
  ["length", shallow([any], length, { gives: "number" })],
  ["join", deep([string, any], "string", join, { rest: any })],
  ["contains", deep([any, any], "bool", contains)],
  ["index", deep([any, any], "number", position)],
  ["keys", shallow([any], keysOf, { gives: texts })],
  ["values", shallow([any], valuesOf)],
  ["distinct", deep([collection], "any", distinct)],
  ["flatten", shallow([any], ([value]) => tuple(flattened(itemsOf(value, true))))],
  ["compact", deep([strings], texts, compact)],
  ["reverse", shallow([any], ([value]) => sameKind(value as Value, [...itemsOf(value, true)].reverse()))],
  ["sort", deep([strings], texts, sort)],
  ["slice", shallow([any, number, number], slice)],
  ["range", deep([number, number, number], numbers, range, { optional: 2 })],
  ["zipmap", shallow([strings, any], zipmap)],
  ["one", shallow([any], one)],
  ["sum", deep([{ type: numbers }], "number", sum)],
  ["setunion", ofSets(() => true)],
  ["setintersection", ofSets((isIn) => isIn.every(Boolean))],
  ["setsubtract", ofSets(([isFirst, ...others]) => isFirst === true && !others.some(Boolean))],
  ["alltrue", ofBools(true)],
  ["anytrue", ofBools(false)],
  ["tostring", conversion("string")],
  ["tonumber", conversion("number")],
  ["tobool", conversion("bool")],
  ["tolist", conversion({ kind: "list", of: "any" })],
  ["toset", deep([nullable], anySet, ([value]) => convert(value as Value, anySet))],
  ["tomap", conversion({ kind: "map", of: "any" })],
  [
    "issensitive",
    deep([nullable], "bool", ([value]) => bool(value?.sensitive === true), { seesMarks: true }),
  ],
  ["sensitive", shallow([nullable], ([value]) => marked(value as Value))],
];

function compact([value]: readonly Value[]): Value {
  const items = itemsOf(value).filter((item) => item.kind === "string" && item.value !== "");
  return list(items, "string");
}

function sum([value]: readonly Value[]): Value {
  const [first, ...others] = itemsOf(value).map(numberOf);
  if (first === undefined) throw new ExpressionProblem("the list is empty");
  return toNumber(others.reduce((total, next) => total + next, first));
}

function keysOf([value]: readonly Value[]): Value {
  const keys = [...entriesOf(value).keys()].map(text);
  return value?.kind === "map" ? list(keys, "string") : tuple(keys);
}

function valuesOf([value]: readonly Value[]): Value {
  const values = [...entriesOf(value).values()];
  return value?.kind === "map" ? list(values, (value as MapValue).of) : tuple(values);
}
