import { type Address, nameOf, typeOf } from "../model/address";
import { compareTexts } from "../model/text";
import type { Action } from "../plan/plan";

export interface Placed {
  readonly address: Address;
  readonly action?: Action;
  readonly dependsOn?: readonly Address[];
  readonly withParent?: boolean;
}

interface Node<T> {
  /** Resources of this name: first those that others depend on, then those that depend on them. */
  readonly heads: T[];
  readonly tails: T[];
  readonly children: Map<string, Node<T>>;
}

const emptyNode = <T>(): Node<T> => ({ heads: [], tails: [], children: new Map() });

/**
 * The order in which people read: a project, its services, below each its variables and what deploys it, then
 * what belongs to the project as a whole. It follows from names and dependencies, not from types.
 */
export function readingOrder<T extends Placed>(items: readonly T[]): T[] {
  const root = emptyNode<T>();
  for (const [name, group] of groupBy(items, ({ address }) => nameOf(address))) {
    const node = name.split(".").reduce((parent, segment) => childOf(parent, segment), root);
    for (const item of [...group].sort(byType)) (isTail(item, group) ? node.tails : node.heads).push(item);
  }
  return walk(root);
}

function childOf<T>(parent: Node<T>, segment: string): Node<T> {
  const found = parent.children.get(segment) ?? emptyNode<T>();
  parent.children.set(segment, found);
  return found;
}

/** Depends on another resource of the same name, or on one below it: made after it, removed before or with it. */
const isTail = <T extends Placed>(item: T, group: readonly T[]): boolean =>
  (item.action !== "delete" && item.dependsOn?.some((on) => isBelow(on, item.address))) ||
  group.some((other) => {
    if (other === item) return false;
    if (item.withParent !== other.withParent) return item.withParent;
    const isForgotten = item.action === "forget";
    if (isForgotten !== (other.action === "forget")) return isForgotten && other.action === "delete";
    return item.action === "delete"
      ? other.dependsOn?.includes(item.address)
      : item.dependsOn?.includes(other.address);
  });

const isBelow = (address: Address, outer: Address): boolean =>
  nameOf(address).startsWith(`${nameOf(outer)}.`);

/** Only a fixed order where nothing else decides; so a service comes before its deployment. */
const byType = (a: Placed, b: Placed): number => (typeOf(a.address) > typeOf(b.address) ? -1 : 1);

function walk<T>(node: Node<T>): T[] {
  const children = [...node.children]
    .sort(([a], [b]) => compareNatural(a, b))
    .flatMap(([, child]) => walk(child));
  return [...node.heads, ...children, ...node.tails];
}

/** Orders texts with numbers in them by their value: `svc-2` before `svc-15`. */
export function compareNatural(a: string, b: string): number {
  const [left, right] = [a.split(/(\d+)/), b.split(/(\d+)/)];
  for (const [i, part] of left.entries()) {
    const other = right[i] ?? "";
    const isNumber = i % 2 === 1;
    const [one, two] = isNumber ? [part.replace(/^0+/, ""), other.replace(/^0+/, "")] : [part, other];
    const order = (isNumber ? one.length - two.length : 0) || compareTexts(one, two);
    if (order !== 0) return order;
  }
  return compareTexts(a, b);
}

/** Returns items by their keys, in the order of the first of each. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
