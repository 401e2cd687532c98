import type { Canvas, Position } from "../api/wire/canvas";
import { didYouMean } from "../diagnostics/suggest";
import { typeOf } from "../model/address";
import type { Attributes } from "../model/attributes";
import type { Offers } from "../model/live";
import type { Finding, Neighbour, ReactionContext } from "../model/resource-type";
import type { RecordedResource } from "../model/state";
import { isPlain, type Plain, type ResolvedValue } from "../model/value";
import { nodeIds } from "./place-nodes";

export type Positions = Readonly<Record<string, Position>>;

export const isPositions = (value: unknown): value is Positions =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Declared places, where they are given one by one. */
const placesIn = (declared: Attributes<ResolvedValue>): Positions | undefined => {
  const value = declared.get("positions");
  return value !== undefined && isPlain(value) && isPositions(value) ? value : undefined;
};

/** Everything on a canvas that may have a place. */
export const nodesOffered = ({ nodes, groups }: Canvas): Offers => ({
  positions: [...nodes, ...groups].map(({ id, name }) => ({ id, name, isDefault: false })),
});

/** Ids of the nodes that a key of `positions` stands for: an id stands for itself, a name for its services. */
export function nodesNamed(canvas: Canvas, key: string): readonly string[] {
  if (nodeIds(canvas).includes(key)) return [key];
  return canvas.nodes.filter(({ name }) => name === key).map(({ id }) => id);
}

/** Why the layout is saved again: this plan makes or restores what is to have a place. */
export function layoutReaction({ declared, live, upstream }: ReactionContext): string | undefined {
  const places = placesIn(declared);
  const isNamed = ({ id, name }: { readonly id?: string; readonly name?: string }): boolean =>
    places !== undefined && [id, name].some((key) => key !== undefined && Object.hasOwn(places, key));
  const isAuto = declared.get("positions") === "auto";
  const appearing = upstream.filter(
    (one) =>
      typeOf(one.address) === "service" &&
      one.appears !== undefined &&
      (isAuto ? one.appears !== "renamed" : isNamed(one)),
  );
  const [first, ...others] = appearing.map(({ address }) => address);
  if (first === undefined) return live?.lacks;
  return others.length === 0 ? `${first} needs a place` : `${appearing.length} services need places`;
}

interface Candidate {
  readonly id?: string;
  readonly name?: string;
  readonly hidden?: Neighbour;
}

/** Places that name what no canvas will show, or more than one node (interface, "Canvas", rules 2 and 4). */
export function checkPlaces(
  declared: Attributes<ResolvedValue>,
  offered: Offers | undefined,
  beside: readonly Neighbour[],
): readonly Finding[] {
  const places = placesIn(declared);
  if (places === undefined || offered === undefined) return [];
  const managed = new Set(beside.map(({ idBefore }) => idBefore));
  const candidates: readonly Candidate[] = [
    ...(offered.positions ?? []).filter(({ id }) => !managed.has(id)),
    ...beside
      .filter(({ isRemoved }) => !isRemoved)
      .map((one) => ({ id: one.id, name: one.name, ...(one.isHidden && { hidden: one }) })),
  ];
  return Object.keys(places).flatMap((key) => checkPlace(key, candidates));
}

function checkPlace(key: string, candidates: readonly Candidate[]): readonly Finding[] {
  const byId = candidates.filter(({ id }) => id === key);
  const meant = byId.length > 0 ? byId : candidates.filter(({ name }) => name === key);
  const shown = meant.filter(({ hidden }) => !hidden);
  const attribute = "positions";
  if (meant.length === 0) {
    const names = [...new Set(candidates.flatMap(({ name }) => name ?? []))].sort();
    const hints = [didYouMean(key, names), `it has: ${names.join(", ") || "none"}`];
    const hint = hints.filter((one) => one !== undefined).join("; ");
    const summary = `the canvas has no node "${key}"`;
    return [{ code: "manifest.reference_unknown", summary, hint, attribute }];
  }
  if (shown.length > 1) {
    const ids = shown.map(({ id }) => id ?? "one that is created").join(", ");
    const summary = `${shown.length} nodes of the canvas are called "${key}"`;
    return [{ code: "manifest.reference_unknown", summary, hint: `name one by its id: ${ids}`, attribute }];
  }
  const hidden = meant.find((one) => one.hidden)?.hidden;
  if (shown.length === 1 || hidden === undefined) return [];
  const summary = `${hidden.address} is archived, and no canvas shows it: its place is left out`;
  const hint = "it gets its place once it is restored";
  return [{ code: "plan.invalid_combination", summary, hint, attribute, isWarning: true }];
}

/**
 * Why an `auto` layout is saved again although nobody changed it: what has no place appeared since it was saved last
 * (`recorded`). Undefined where nothing lacks one, or somebody else may have taken it away.
 */
export function unplaced(canvas: Canvas, recorded: RecordedResource | undefined): string | undefined {
  const { revision, positions } = canvas.layout;
  const without = [...canvas.nodes, ...canvas.groups].filter(({ id }) => positions[id] === undefined);
  const isNew = ({ id }: { readonly id: string }): boolean => {
    const made = canvas.nodes.find((node) => node.id === id)?.createdAt;
    return made != null && recorded?.writtenAt !== undefined && made > recorded.writtenAt;
  };
  if (!recorded || without.length === 0) return undefined;
  if (revision !== recorded.computed.revision && !without.every(isNew)) return undefined;
  const [first, ...others] = without;
  return others.length === 0
    ? `${first?.name ?? "a node"} has no place yet`
    : `${without.length} nodes have no place yet`;
}

/** The saved places in the form that was declared: `auto` while every node has one, else by the same keys. */
export function shownPositions(canvas: Canvas, declared: unknown): Plain {
  const saved = canvas.layout.positions;
  const plain = ({ x, y }: Position): Plain => ({ x, y });
  if (declared === "auto" && nodeIds(canvas).every((id) => saved[id] !== undefined)) return "auto";
  if (!isPositions(declared))
    return Object.fromEntries(Object.entries(saved).map(([id, at]) => [id, plain(at)]));
  const shown: Record<string, Plain> = {};
  for (const [key, wanted] of Object.entries(declared)) {
    const [id, ...others] = nodesNamed(canvas, key);
    // What no canvas shows can have no place: none is missing.
    const at = id === undefined ? wanted : others.length > 0 ? undefined : saved[id];
    if (at !== undefined) shown[key] = plain(at);
  }
  return shown;
}
