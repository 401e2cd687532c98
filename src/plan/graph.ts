import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Subject, Subjects } from "./subject";

/** What must be decided, and done, before what. */
export interface Graph {
  /** Address to the addresses it waits for. */
  readonly waits: ReadonlyMap<Address, readonly Address[]>;
  /** Removed things that the service deletes together with their removed parent, by parent. */
  readonly goWith: ReadonlyMap<Address, readonly Address[]>;
}

/**
 * The edges: a declared resource waits for what it refers to, its parent, its `dependsOn` and the siblings it
 * follows; a removed one waits for whatever was recorded as depending on it, so deletions run in reverse. What the
 * service deletes together with its parent waits for the parent's fate instead.
 */
export function buildGraph(subjects: Subjects): Graph {
  const waits = new Map<Address, Address[]>();
  const goWith = new Map<Address, Address[]>();
  const wait = (waiting: Address, on: Address): void => {
    const list = waits.get(waiting);
    if (list && waiting !== on && subjects.has(on) && !list.includes(on)) list.push(on);
  };
  for (const address of subjects.keys()) waits.set(address, []);
  const siblings = childrenByParent(subjects);
  let someAreRemoved = false;
  for (const { removed } of subjects.values()) someAreRemoved ||= removed;

  for (const subject of subjects.values()) {
    const { address, parent, recorded, removed } = subject;
    const waitUnlessRemoved = (on: Address): void => {
      if (!someAreRemoved || !isRemoved(subjects, on)) wait(address, on);
    };
    if (!removed && parent) waitUnlessRemoved(parent);
    if (!removed) subject.desired?.dependsOn.forEach(waitUnlessRemoved);
    if (removed && parent && subject.type.removedWithParent) {
      wait(address, parent);
      if (isRemoved(subjects, parent)) append(goWith, parent, address);
    }
    for (const followed of followedSiblings(subject, siblings)) wait(address, followed.address);
    if (!someAreRemoved || goesWithRemovedParent(subject, subjects)) continue;
    const outlives = (on: Address): void => {
      const outlived = subjects.get(on);
      if (outlived?.removed && !follows(subject, outlived) && !goesWithRemovedParent(outlived, subjects))
        wait(on, address);
    };
    if (recorded?.parent) outlives(recorded.parent);
    recorded?.dependsOn.forEach(outlives);
  }
  for (const [taking, leaving] of nameTakeovers(subjects)) wait(taking, leaving);
  for (const list of waits.values()) if (list.length > 1) list.sort();
  return { waits, goWith };
}

/** Addresses in dependency order, whatever the order of keys; a cycle among declared resources is an error. */
export function orderSubjects(
  subjects: Subjects,
  { waits }: Graph,
): { readonly order: readonly Address[]; readonly diagnostics: readonly Diagnostic[] } {
  const order: Address[] = [];
  const diagnostics: Diagnostic[] = [];
  const state = new Map<Address, "open" | "done">();
  for (const root of subjects.keys()) {
    if (state.has(root)) continue;
    // By far the most wait for nothing that is still to come.
    if (waits.get(root)?.every((on) => state.get(on) === "done")) {
      state.set(root, "done");
      order.push(root);
      continue;
    }
    const path: { readonly address: Address; next: number }[] = [{ address: root, next: 0 }];
    state.set(root, "open");
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const on = waits.get(top.address)?.[top.next];
      top.next += 1;
      if (on === undefined) {
        state.set(top.address, "done");
        order.push(top.address);
        path.pop();
      } else if (!state.has(on)) {
        state.set(on, "open");
        path.push({ address: on, next: 0 });
      } else if (state.get(on) === "open") {
        const ring = path
          .slice(path.findIndex(({ address }) => address === on))
          .map(({ address }) => address);
        if (ring.every((address) => !isRemoved(subjects, address))) diagnostics.push(cycle(subjects, ring));
      }
    }
  }
  return { order, diagnostics };
}

/** What lies in what, as declared, else as recorded. */
export function childrenByParent(subjects: Subjects): ReadonlyMap<Address, readonly Subject[]> {
  const children = new Map<Address, Subject[]>();
  for (const subject of subjects.values()) if (subject.parent) append(children, subject.parent, subject);
  return children;
}

/** Things under the same parent that a resource is applied after, removed ones too. */
export function followedSiblings(
  subject: Subject,
  siblings: ReadonlyMap<Address, readonly Subject[]>,
): readonly Subject[] {
  if (subject.removed || !subject.parent || subject.type.follows.length === 0) return [];
  return (siblings.get(subject.parent) ?? []).filter((sibling) => follows(subject, sibling));
}

const follows = (subject: Subject, other: Subject): boolean => subject.type.follows.includes(other.type.type);

const isRemoved = (subjects: Subjects, address: Address): boolean => subjects.get(address)?.removed === true;

const goesWithRemovedParent = (subject: Subject, subjects: Subjects): boolean =>
  subject.removed && subject.type.removedWithParent && isRemoved(subjects, subject.parent ?? ("" as Address));

/** A create that takes the name of something removed in the same place waits until that is gone. */
function* nameTakeovers(subjects: Subjects): Generator<readonly [Address, Address]> {
  const leaving = new Map<string, Address>();
  const place = ({ type, parent }: Subject, name: string): string => `${type.type} ${parent ?? ""} ${name}`;
  for (const subject of subjects.values())
    if (subject.removed && subject.recorded)
      leaving.set(place(subject, subject.recorded.name), subject.address);
  if (leaving.size === 0) return;
  for (const subject of subjects.values()) {
    if (subject.removed || subject.recorded) continue;
    const from = leaving.get(place(subject, declaredName(subject)));
    if (from) yield [subject.address, from];
  }
}

function declaredName({ address, desired, type }: Subject): string {
  const declared = type.nameAttribute && desired?.attributes.get(type.nameAttribute)?.value;
  return typeof declared === "string" ? declared : address.slice(address.lastIndexOf(".") + 1);
}

function cycle(subjects: Subjects, ring: readonly Address[]): Diagnostic {
  const first = ring[0] as Address;
  const range = subjects.get(first)?.desired?.range;
  return error("plan.cycle", `${ring.length} resources wait for each other`, {
    detail: [...ring, first].join(" -> "),
    hint: "remove one of these references",
    address: first,
    ...(range && { range }),
  });
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
