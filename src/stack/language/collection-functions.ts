import { boolOf, convert, equal, numberOf, set, textOf, unifiedType } from "./conversion";
import {
  compareText,
  describeType,
  graphemes,
  isListLike,
  jsonEncode,
  type ListValue,
  list as listOf,
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
  collection,
  deep,
  exact,
  type FunctionRule,
  items,
  list,
  mapping,
  nullable,
  number,
  shallow,
  string,
  typed,
  whole,
} from "./operators";
import { ExpressionProblem } from "./problem";

const texts: ValueType = { kind: "list", of: "string" };
const anySet: ValueType = { kind: "set", of: "any" };

/** Items as a list where all are of one type, else as a tuple. */
const sameKind = (like: ListValue, parts: readonly Value[]): Value =>
  like.kind === "tuple" ? tuple(parts) : listOf(parts, like.of);

function element({ items }: ListValue, index: number): Value {
  if (items.length === 0) throw new ExpressionProblem("the list is empty");
  return items.at(index % items.length) as Value;
}

function lookup({ entries, of }: MapValue, key: string, fallback?: Value): Value {
  const other = fallback && convert(fallback, of);
  const found = entries.get(key) ?? other;
  if (found !== undefined) return found;
  throw new ExpressionProblem(
    `there is no ${JSON.stringify(key)} in the map, and no default`,
    "stack.reference_unknown",
  );
}

function merge(...values: readonly Value[]): Value {
  const maps = values.filter(({ kind }) => kind !== "null").map(mapping.read);
  const entries = maps.flatMap((one) => [...one.entries]);
  const [first] = maps;
  const isOneType = maps.every(
    ({ kind, of }) => kind === "map" && describeType(of) === describeType(first?.of ?? of),
  );
  const of = isOneType && first !== undefined ? unifiedType(maps.map((one) => one.of)) : undefined;
  const merged = of === undefined ? object(new Map(entries)) : map(new Map(entries), of);
  return marked(
    merged,
    maps.some(({ sensitive }) => sensitive === true),
  );
}

function concat(...lists: readonly ListValue[]): Value {
  const all = lists.flatMap(({ items }) => items);
  const isTyped = lists.every(({ kind }) => kind === "list");
  const of = isTyped ? unifiedType(lists.map((one) => one.of)) : undefined;
  if (of === undefined) return tuple(all);
  return listOf(
    all.map((item) => convert(item, of)),
    of,
  );
}

function coalesce(...values: readonly Value[]): Value {
  const type = unifiedType(values.map(typeOf));
  if (type === undefined) throw new ExpressionProblem("all arguments must have the same type");
  for (const value of values) {
    const found = convert(value, type);
    if (found.kind !== "null" && !(found.kind === "string" && found.value === "")) return found;
  }
  throw new ExpressionProblem("every argument is null or empty");
}

function coalesceList(...lists: readonly ListValue[]): Value {
  const found = lists.find(({ items }) => items.length > 0);
  if (found === undefined) throw new ExpressionProblem("every list is empty");
  return found;
}

function length(value: Value): number {
  if (value.kind === "string") return graphemes(value.value).length;
  if ("items" in value || "entries" in value) return membersOf(value).length;
  throw new ExpressionProblem(`text, a list or a map is required, found ${describeType(typeOf(value))}`);
}

function join(separator: string, ...lists: readonly ListValue[]): string {
  const parts = lists.flatMap(({ items }) => items);
  if (parts.some(({ kind }) => kind === "null"))
    throw new ExpressionProblem("an item is null and cannot be joined");
  return parts.map(textOf).join(separator);
}

const contains = ({ items }: ListValue, wanted: Value): boolean => items.some((item) => equal(item, wanted));

function position({ items }: ListValue, wanted: Value): number {
  const found = items.findIndex((item) => equal(item, wanted));
  if (found === -1) throw new ExpressionProblem("the item is not in the list", "stack.reference_unknown");
  return found;
}

function keysOf({ kind, entries }: MapValue): Value {
  const keys = [...entries.keys()].map(text);
  return kind === "map" ? listOf(keys, "string") : tuple(keys);
}

function valuesOf({ kind, entries, of }: MapValue): Value {
  const values = [...entries.values()];
  return kind === "map" ? listOf(values, of) : tuple(values);
}

function distinct(value: Value): Value {
  const { items, of } = convert(value, { kind: "list", of: "any" }) as ListValue;
  const seen = new Set<string>();
  // The items have one type: their JSON tells them apart.
  const unique = items.filter((item) => seen.size < seen.add(jsonEncode(item)).size);
  return listOf(unique, of);
}

const flattened = (items: readonly Value[]): readonly Value[] =>
  items.flatMap((item) =>
    isListLike(item) ? flattened(item.items).map((one) => marked(one, item.sensitive === true)) : [item],
  );

const compact = ({ items }: ListValue): Value =>
  listOf(
    items.filter((item) => item.kind === "string" && item.value !== ""),
    "string",
  );

const sort = ({ items }: ListValue): Value => listOf(items.map(textOf).sort(compareText).map(text), "string");

function slice(value: ListValue, start: number, end: number): Value {
  const { length } = value.items;
  if (start < 0 || end > length || start > end)
    throw new ExpressionProblem(`${start} to ${end} is no part of ${length} items`);
  return sameKind(value, value.items.slice(start, end));
}

const mostNumbers = 1024;

function range(first: number, second?: number, third?: number): Value {
  const start = second === undefined ? 0 : first;
  const end = second ?? first;
  const isDown = end < start;
  const step = third ?? (isDown ? -1 : 1);
  if (step === 0 || isDown !== step < 0)
    throw new ExpressionProblem("the step does not lead from the start to the end");
  const numbers: Value[] = [];
  for (let at = start; isDown ? at > end : at < end; at += step) {
    if (numbers.length === mostNumbers) throw new ExpressionProblem(`more than ${mostNumbers} numbers`);
    numbers.push(toNumber(at));
  }
  return listOf(numbers, "number");
}

function zipmap(names: ListValue, values: ListValue): Value {
  const keys = names.items.map(textOf);
  if (keys.length !== values.items.length)
    throw new ExpressionProblem(`${keys.length} keys for ${values.items.length} values`);
  const entries = new Map(keys.map((key, i) => [key, values.items[i] as Value]));
  return values.kind === "list" ? map(entries, values.of) : object(entries);
}

function one({ items }: ListValue): Value {
  if (items.length > 1) throw new ExpressionProblem(`one item or none is required, found ${items.length}`);
  return items[0] ?? nothing;
}

function sum({ items }: ListValue): number {
  if (items.length === 0) throw new ExpressionProblem("the list is empty");
  return items.map(numberOf).reduce((total, next) => exact(total + next, total, next));
}

const conversion = (type: ValueType): FunctionRule => shallow([nullable], (value) => convert(value, type));

/** A function of sets of anything: `keep` is asked which of the sets have an item. */
const ofSets = (keep: (isIn: readonly boolean[]) => boolean): FunctionRule => {
  const call = (...given: readonly Value[]): Value => {
    const sets = given.map((value) => convert(value, anySet) as ListValue);
    const of = unifiedType(sets.map((one) => one.of));
    if (of === undefined) throw new ExpressionProblem("the sets are of different types");
    const all = sets.map(({ items }) => items.map((item) => convert(item, of)));
    const names = all.map((items) => new Set(items.map(jsonEncode)));
    const isKept = (item: Value): boolean => keep(names.map((found) => found.has(jsonEncode(item))));
    return set(all.flat().filter(isKept), of);
  };
  return deep([collection], call, { rest: collection });
};

const ofBools = (start: boolean): FunctionRule =>
  deep([typed({ kind: "list", of: "bool" })], ({ items }) => {
    const isOther = items.some((item) => (item.kind === "null" ? start : boolOf(item) !== start));
    return isOther ? !start : start;
  });

export const collectionFunctions: Readonly<Record<string, FunctionRule>> = {
  element: shallow([list, whole], element),
  lookup: shallow([mapping, string, nullable], lookup, { optional: 1 }),
  merge: shallow([], merge, { rest: nullable }),
  concat: shallow([list], concat, { rest: list }),
  coalesce: shallow([nullable], coalesce, { rest: nullable }),
  coalescelist: deep([items], coalesceList, { rest: items }),
  length: shallow([any], length),
  join: deep([string, items], join, { rest: items }),
  contains: deep([items, nullable], contains),
  index: deep([list, any], position),
  keys: shallow([mapping], keysOf),
  values: shallow([mapping], valuesOf),
  distinct: deep([collection], distinct),
  flatten: shallow([items], ({ items }) => tuple(flattened(items))),
  compact: deep([typed(texts)], compact),
  reverse: shallow([items], (value) => sameKind(value, [...value.items].reverse())),
  sort: deep([typed(texts)], sort),
  slice: shallow([list, whole, whole], slice),
  range: deep([number, number, number], range, { optional: 2 }),
  zipmap: shallow([typed(texts), list], zipmap),
  one: shallow([items], one),
  sum: deep([typed({ kind: "list", of: "number" })], sum),
  setunion: ofSets(() => true),
  setintersection: ofSets((isIn) => isIn.every(Boolean)),
  setsubtract: ofSets(([isFirst, ...others]) => isFirst === true && !others.some(Boolean)),
  alltrue: ofBools(true),
  anytrue: ofBools(false),
  tostring: conversion("string"),
  tonumber: conversion("number"),
  tobool: conversion("bool"),
  tolist: conversion({ kind: "list", of: "any" }),
  toset: deep([nullable], (value) => convert(value, anySet)),
  tomap: conversion({ kind: "map", of: "any" }),
  issensitive: deep([nullable], ({ sensitive }) => sensitive === true, { seesMarks: true }),
  sensitive: shallow([nullable], (value) => marked(value)),
};
