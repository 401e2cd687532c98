import { type Address, nameOf, typeOf } from "../../model/address";
import type { ResourceType } from "../../model/resource-type";
import type { Plain } from "../../model/value";
import { free, sameMoney } from "../../plan/change";
import type { PlanDocument } from "../../plan/plan-schema";
import { type Mark, marks } from "../graph";
import { groupBy } from "../order";
import { counted, moneyChange } from "../plan-wording";
import type { GraphEdge, GraphNode, Point } from "./place-nodes";

export interface TopologyNode extends GraphNode {
  readonly title: string;
  /** Kind, plan, region, price. */
  readonly facts: string;
  readonly mark: Mark;
  readonly isBlocked: boolean;
  /** What happens to it, in words: its mark, parts that change, effects; of a project how many of its services change. */
  readonly does: readonly string[];
  /** Node of another box, which this one stands for. */
  readonly standsFor?: string;
}

/** Projects as boxes, services as nodes, references as edges. */
export interface Topology {
  readonly nodes: readonly TopologyNode[];
  readonly edges: readonly GraphEdge[];
  /** Title of each box. */
  readonly boxes: ReadonlyMap<string, string>;
  /** Its nodes are projects: there were too many services. */
  readonly isCoarse: boolean;
  /** What is not drawn. */
  readonly left: readonly string[];
}

/** Nodes of a picture that shows services, and references inside one box: both are drawn in a third of a second. */
const mostNodes = 300;
const mostReferences = 250;

type PlannedChange = PlanDocument["resource_changes"][number];
type Identity = "address" | "id" | "type" | "live_name" | "construct" | "references";
type Consequence = "attributes" | "effects" | "with_parent" | "blocked_by" | "cost";

/** What a picture shows of a resource that a plan is about, or that is only declared or recorded. */
export type ResourceChange = Pick<PlannedChange, Identity> &
  Partial<Pick<PlannedChange, Consequence>> & {
    readonly change: Pick<PlannedChange["change"], "actions" | "before" | "after" | "importing">;
  };

type Types = readonly Pick<ResourceType, "type" | "picture">[];

/** What there is, with marks: by default of what a plan does to it. */
export function topologyOf(
  changes: readonly ResourceChange[],
  types: Types,
  markOf: (change: ResourceChange) => Mark = actionOf,
): Topology {
  const drawn = drawnFrom(changes, types, markOf);
  const nodes = drawn.nodes.map((change) => nodeOf(change, drawn));
  const whole = { nodes, edges: edgesOf(changes, drawn), boxes: drawn.boxes, isCoarse: false, left: [] };
  const folded = fold(whole);
  return folded.nodes.length > mostNodes || isCrowded(folded) ? fold(coarse(whole)) : folded;
}

/** Returns true if one box has more references than can be laid out in time. */
export function isCrowded({ nodes, edges }: Topology): boolean {
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box]));
  const byBox = groupBy(edges, ({ from }) => boxOf.get(from));
  return [...byBox.values()].some(({ length }) => length > mostReferences);
}

/** Which resources are nodes, boxes, and parts of nodes, and how to look them up. */
type Drawn = ReturnType<typeof drawnFrom>;

function drawnFrom(
  changes: readonly ResourceChange[],
  types: Types,
  markOf: (change: ResourceChange) => Mark,
) {
  const pictures = new Map(types.map(({ type, picture }) => [type, picture]));
  const pictureOf = ({ type }: ResourceChange) => pictures.get(type);
  const nodes = changes.filter((change) => pictureOf(change)?.as === "node");
  const held = changes.filter((change) => pictureOf(change)?.as === "box");
  const boxOf = holderAmong(held);
  const holderOf = holderAmong(nodes);
  const nodeAt = new Map(changes.map((change) => [change.address as string, holderOf(change)]));
  const others = changes.filter((change) => pictureOf(change)?.as !== "node");
  const places = changes.flatMap((change): [string | undefined, Places][] => {
    const picture = pictureOf(change);
    const saved = picture?.as === "places" ? valueAt(change, picture.attribute) : undefined;
    return saved && typeof saved === "object" ? [[boxOf(change), saved as unknown as Places]] : [];
  });
  return {
    nodes,
    boxes: new Map(held.map(({ address }): [string, string] => [address, nameOf(address)])),
    boxOf,
    /** The node that a resource is, or is part of, by its address. */
    nodeAt,
    parts: groupBy(others, ({ address }) => nodeAt.get(address)),
    pictureOf,
    /** Saved positions, by box. */
    places: new Map(places),
    markOf,
  };
}

/** Returns a function that finds the one of `holders` that a resource is, or is in. */
function holderAmong(holders: readonly ResourceChange[]) {
  const byName = new Map(holders.map(({ address }) => [nameOf(address), address as string]));
  const addresses = new Set(byName.values());
  return ({ address, construct }: ResourceChange): string | undefined => {
    if (construct?.in !== undefined && addresses.has(construct.in)) return construct.in;
    const name = nameOf(address);
    return byName.get(name) ?? byName.get(name.slice(0, Math.max(0, name.lastIndexOf("."))));
  };
}

type Places = Readonly<Record<string, Partial<Point> | undefined>>;

function placeOf(change: ResourceChange, { places, boxOf }: Drawn): Point | undefined {
  const saved = places.get(boxOf(change)) ?? {};
  const names = [titleOf(change.address), change.live_name, change.id ?? ""];
  const { x, y } = saved[names.find((one) => Object.hasOwn(saved, one)) ?? ""] ?? {};
  return typeof x === "number" && typeof y === "number" ? { x, y } : undefined;
}

const titleOf = (address: Address): string => nameOf(address).split(".").at(-1) ?? address;

function actionOf({ change }: ResourceChange): Mark {
  if (change.importing) return "adopt";
  if (change.actions.length > 1) return "replace";
  const [action = "no-op"] = change.actions;
  return action === "no-op" ? "same" : action;
}

function nodeOf(change: ResourceChange, drawn: Drawn): TopologyNode {
  const { address, blocked_by: guard, cost, attributes = [] } = change;
  const moving = (drawn.parts.get(address) ?? []).filter((part) => drawn.markOf(part) !== "same");
  const named = moving.filter((part) => drawn.pictureOf(part)?.as === "reference");
  const own = drawn.markOf(change);
  const mark = own === "same" && moving.length > 0 ? partMark(moving.map(drawn.markOf)) : own;
  const deploys = [change, ...moving].some((one) => !one.with_parent && one.effects?.includes("deploys"));
  return {
    id: address,
    box: drawn.boxOf(change),
    place: placeOf(change, drawn),
    title: titleOf(address),
    facts: [...factsOf(change, drawn), ...priceOf(cost)].join(" \u00b7 "),
    mark,
    isBlocked: guard !== undefined,
    does: [
      ...blockedWords(guard !== undefined),
      ...(mark === "same" ? [] : [`${marks[mark].sign} ${marks[mark].word}`]),
      ...(mark !== "drift" && attributes.some(({ cause }) => cause === "drift") ? ["drift"] : []),
      ...(named.length === 0 ? [] : [counted(named.length, named[0]?.type ?? "")]),
      ...(deploys ? ["deploys"] : []),
    ],
  };
}

const blockedWords = (isBlocked: boolean): readonly string[] => (isBlocked ? ["! blocked"] : []);

/** Of a node whose parts change alone: a part that comes, goes or is gone is a change of it. */
const partMark = (marks: readonly Mark[]): Mark => {
  if (marks.includes("drift") || marks.includes("missing")) return "drift";
  return marks.every((mark) => mark === "pending") ? "pending" : "update";
};

function factsOf(change: ResourceChange, { pictureOf }: Drawn): readonly string[] {
  const picture = pictureOf(change);
  const values = picture?.as === "node" ? picture.facts.map((path) => valueAt(change, path)) : [];
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}

/** The price in the first currency, unless it is free. */
function priceOf(cost: ResourceChange["cost"]): readonly string[] {
  const { before, after } = { before: cost?.before ?? free, after: cost?.after ?? free };
  const isFree = sameMoney(before, free) && sameMoney(after, free);
  return isFree ? [] : [moneyChange(before, after, "\u2192").split(",")[0] ?? ""];
}

/** The value of an attribute once the plan is applied, else before. */
function valueAt({ change }: ResourceChange, path: string): Plain | undefined {
  const within = (side: Plain | null): Plain | undefined =>
    path
      .split(".")
      .reduce<Plain | undefined>((at, key) => (at as Readonly<Record<string, Plain>> | null)?.[key], side);
  return within(change.after) ?? within(change.before);
}

function edgesOf(changes: readonly ResourceChange[], drawn: Drawn): readonly GraphEdge[] {
  const found = changes.flatMap((change) => {
    const names = drawn.pictureOf(change)?.as === "reference" ? [change.live_name] : [];
    const from = drawn.nodeAt.get(change.address);
    return (change.references ?? []).flatMap((reference): GraphEdge[] => {
      const to = drawn.nodeAt.get(reference);
      return from === undefined || to === undefined ? [] : [{ from, to, names }];
    });
  });
  return joined(found).map((edge) => ({ ...edge, names: [...new Set(edge.names)].sort() }));
}

/** Edges between the same two nodes as one, without those that lead back to their own node. */
const joined = (edges: readonly GraphEdge[]): readonly GraphEdge[] =>
  [...groupBy(edges, ({ from, to }) => `${from} ${to}`).values()]
    .map((own) => ({ ...(own[0] as GraphEdge), names: own.flatMap(({ names }) => names) }))
    .filter(({ from, to }) => from !== to);

export const isMoving = ({ mark, isBlocked }: TopologyNode): boolean => mark !== "same" || isBlocked;

/** Keeps what changes and its neighbours; the rest is counted. Where nothing changes, everything is kept. */
function fold(topology: Topology): Topology {
  const { nodes, edges, isCoarse } = topology;
  const moving = new Set(nodes.filter(isMoving).map(({ id }) => id));
  const near = new Set(
    edges.flatMap(({ from, to }) => (moving.has(from) || moving.has(to) ? [from, to] : [])),
  );
  const kept = nodes.filter(({ id }) => moving.size === 0 || moving.has(id) || near.has(id));
  const shown = isCoarse ? kept.slice(0, mostNodes) : kept;
  const ids = new Set(shown.map(({ id }) => id));
  const countIn = (box: string, own: readonly TopologyNode[]): number =>
    own.filter((node) => node.box === box).length;
  const boxes = [...topology.boxes].flatMap(([id, title]): [string, string][] => {
    const [count, of] = [countIn(id, shown), countIn(id, nodes)];
    return count === 0 ? [] : [[id, count === of ? title : `${title} (${count} of ${of})`]];
  });
  const noun = counted(nodes.length, typeOf((nodes[0]?.id ?? "") as Address));
  const rest = `${shown.length} of ${noun} are drawn: those that change, and their neighbours.`;
  return {
    ...topology,
    nodes: shown,
    edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    boxes: new Map(boxes),
    left: shown.length === nodes.length ? topology.left : [...topology.left, rest],
  };
}

/** The worst of some marks. */
export const worstMark = (found: readonly Mark[]): Mark =>
  order.find((mark) => found.includes(mark)) ?? "same";

const order: readonly Mark[] = [
  ...(["missing", "delete", "replace", "drift", "update", "create"] as const),
  ...(["adopt", "forget", "pending"] as const),
];

/** Projects in place of their services. */
function coarse({ nodes, edges, boxes }: Topology): Topology {
  const homeOf = new Map(nodes.map(({ id, box = id }) => [id, box]));
  const services = (count: number): string => counted(count, typeOf((nodes[0]?.id ?? "") as Address));
  const projects = [...groupBy(nodes, ({ id, box = id }) => box)].map(([id, own]): TopologyNode => {
    if (own.length === 1 && own[0]?.box === undefined) return own[0] as TopologyNode;
    const found = order.filter((mark) => own.some((node) => node.mark === mark));
    const counts = found.map(
      (mark) => `${own.filter((node) => node.mark === mark).length} ${marks[mark].word}`,
    );
    const isBlocked = own.some((node) => node.isBlocked);
    return {
      id,
      title: boxes.get(id) ?? id,
      facts: services(own.length),
      mark: worstMark(found),
      isBlocked,
      does: [...blockedWords(isBlocked), ...(counts.length === 0 ? [] : [counts.join(", ")])],
    };
  });
  const led = edges.map(({ from, to, names }) => ({
    from: homeOf.get(from) ?? from,
    to: homeOf.get(to) ?? to,
    names: names.length === 0 ? [""] : names,
  }));
  const links = joined(led).map((link) => ({ ...link, names: [counted(link.names.length, "reference")] }));
  const left = [`${services(nodes.length)}: one box for each project.`];
  return { nodes: projects, edges: links, boxes: new Map(), isCoarse: true, left };
}

/** References to nodes of other boxes lead to stand-ins beside what refers: lines to the nodes would run behind others. */
export function withStandIns(topology: Topology): Topology {
  const byId = new Map(topology.nodes.map((node) => [node.id, node]));
  const standIns = new Map<string, TopologyNode>();
  const edges = topology.edges.map((edge): GraphEdge => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    if (from === undefined || to === undefined || from.box === to.box) return edge;
    const id = `${to.id} beside ${from.box ?? ""}`;
    const facts = to.box === undefined ? "in no project" : `in ${nameOf(to.box as Address)}`;
    standIns.set(id, { ...to, id, box: from.box, facts, standsFor: to.id, place: undefined });
    return { ...edge, to: id };
  });
  return { ...topology, nodes: [...topology.nodes, ...standIns.values()], edges };
}
