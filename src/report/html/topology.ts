import { type Address, nameOf, typeOf } from "../../model/address";
import type { Picture, ResourceType } from "../../model/resource-type";
import type { Plain } from "../../model/value";
import type { PlanDocument } from "../../plan/plan-schema";
import { type Mark, marks } from "../graph";
import { counted, moneyChange, sameMoney } from "../plan-wording";

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface TopologyNode {
  readonly id: string;
  readonly box?: string | undefined;
  /** Where the saved layout of its project has it. */
  readonly place?: Place | undefined;
  readonly title: string;
  /** Kind, plan, region, price. */
  readonly facts: string;
  readonly mark: Mark;
  readonly isBlocked: boolean;
  /** What its mark does not say: parts that change, effects. */
  readonly notes: readonly string[];
  /** It stands for a project: its notes say what happens in it. */
  readonly isProject?: true;
  /** It stands for so many that nothing happens to. */
  readonly folded?: number;
}

export interface TopologyEdge {
  readonly from: string;
  readonly to: string;
  /** What it is for: names of variables. */
  readonly names: readonly string[];
}

/** Projects as boxes, services as nodes, references as edges. */
export interface Topology {
  readonly nodes: readonly TopologyNode[];
  readonly edges: readonly TopologyEdge[];
  /** Title of each box. */
  readonly boxes: ReadonlyMap<string, string>;
  /** Its nodes are projects: there were too many services. */
  readonly isCoarse: boolean;
  /** Services that it stands for. */
  readonly services: number;
}

/** Nodes of a picture that shows services, and references inside one box: both are drawn in a third of a second. */
const mostNodes = 300;
const mostReferences = 250;

type PlannedChange = PlanDocument["resource_changes"][number];

/** What a picture shows of a resource that a plan is about, or that is only declared. */
export type ResourceChange = Pick<
  PlannedChange,
  | "address"
  | "id"
  | "type"
  | "live_name"
  | "attributes"
  | "effects"
  | "with_parent"
  | "construct"
  | "references"
  | "blocked_by"
  | "cost"
> & { readonly change: Pick<PlannedChange["change"], "actions" | "before" | "after" | "importing"> };

type Types = readonly Pick<ResourceType, "type" | "picture">[];

/**
 * What there is, with marks of what the plan does to it. With marks of what was `found` of it, nothing is said of what a
 * plan would do or cost: it is shown as it is now.
 */
export function topologyOf(
  document: { readonly resource_changes: readonly ResourceChange[] },
  types: Types,
  found?: ReadonlyMap<string, Mark>,
): Topology {
  const changes = found === undefined ? document.resource_changes : document.resource_changes.map(asItIs);
  const drawn = drawnFrom(changes, types);
  const markOf = (change: ResourceChange): Mark =>
    found === undefined ? actionOf(change) : (found.get(change.address) ?? "same");
  const nodes = drawn.nodes.map((change) => nodeOf(change, drawn, markOf));
  const edges = edgesOf(changes, drawn);
  const folded = fold({ nodes, edges, boxes: drawn.boxes, isCoarse: false, services: nodes.length });
  const isStill = nodes.every((node) => !isMoving(node));
  return folded.nodes.length > mostNodes || (isStill && nodes.length > mostNodes) || isCrowded(folded)
    ? fold(coarse({ nodes, edges, boxes: drawn.boxes, isCoarse: true, services: nodes.length }))
    : folded;
}

/** Returns true if one box has more references between its nodes than can be laid out in time. */
function isCrowded({ nodes, edges }: Topology): boolean {
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box]));
  const counts = new Map<string | undefined, number>();
  for (const { from, to } of edges) {
    const box = boxOf.get(from);
    if (box === boxOf.get(to)) counts.set(box, (counts.get(box) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count > mostReferences);
}

function asItIs(resource: ResourceChange): ResourceChange {
  const { change, cost } = resource;
  return {
    ...resource,
    ...{ change: { ...change, after: change.before ?? change.after }, effects: [] },
    ...{ blocked_by: undefined, cost: cost && { before: cost.before, after: cost.before } },
  };
}

interface Drawn {
  readonly nodes: readonly ResourceChange[];
  readonly boxes: ReadonlyMap<string, string>;
  readonly boxOf: (change: ResourceChange) => string | undefined;
  /** The node that a resource is, or is part of. */
  readonly nodeAt: (address: string) => string | undefined;
  readonly parts: ReadonlyMap<string, readonly ResourceChange[]>;
  readonly pictureOf: (type: string) => Picture | undefined;
  readonly placeOf: (change: ResourceChange) => Place | undefined;
}

function drawnFrom(changes: readonly ResourceChange[], types: Types): Drawn {
  const pictures = new Map(types.map(({ type, picture }) => [type, picture]));
  const pictureOf = (type: string): Picture | undefined => pictures.get(type);
  const nodes = changes.filter(({ type }) => pictureOf(type)?.as === "node");
  const held = changes.filter(({ type }) => pictureOf(type)?.as === "box");
  const boxes = new Map(held.map((change): [string, string] => [change.address, nameOf(change.address)]));
  const byName = new Map(nodes.map(({ address }) => [nameOf(address), address as string]));
  const boxByName = new Map(held.map(({ address }) => [nameOf(address), address as string]));
  const byAddress = new Map(changes.map((change) => [change.address as string, change]));
  const holderIn = (names: ReadonlyMap<string, string>, change: ResourceChange): string | undefined => {
    const parent = change.construct?.in;
    if (parent !== undefined && [...names.values()].includes(parent)) return parent;
    const name = nameOf(change.address);
    const end = name.lastIndexOf(".");
    return names.get(name) ?? (end === -1 ? undefined : names.get(name.slice(0, end)));
  };
  const nodeOfChange = (change: ResourceChange): string | undefined =>
    pictureOf(change.type)?.as === "node" ? change.address : holderIn(byName, change);
  const parts = new Map<string, ResourceChange[]>();
  for (const change of changes) {
    const node = pictureOf(change.type)?.as === "node" ? undefined : nodeOfChange(change);
    if (node !== undefined) parts.set(node, [...(parts.get(node) ?? []), change]);
  }
  const boxOf = (change: ResourceChange) => holderIn(boxByName, change);
  const places = new Map(
    changes.flatMap((change) => {
      const picture = pictureOf(change.type);
      const saved = picture?.as === "places" ? valueAt(change, picture.attribute) : undefined;
      return saved !== null && typeof saved === "object"
        ? [[boxOf(change), saved as unknown as Places] as const]
        : [];
    }),
  );
  return {
    nodes,
    boxes,
    boxOf,
    placeOf: (change) => {
      const saved = places.get(boxOf(change));
      const names = [nameOf(change.address).split(".").at(-1) ?? "", change.live_name, change.id ?? ""];
      const name = names.find((one) => saved !== undefined && Object.hasOwn(saved, one));
      const place = name === undefined ? undefined : saved?.[name];
      return typeof place?.x === "number" && typeof place.y === "number"
        ? { x: place.x, y: place.y }
        : undefined;
    },
    nodeAt: (address) => {
      const change = byAddress.get(address);
      return change && nodeOfChange(change);
    },
    parts,
    pictureOf,
  };
}

type Places = Readonly<Record<string, Partial<Place> | undefined>>;

const actionOf = ({ change }: ResourceChange): Mark => {
  if (change.importing) return "adopt";
  if (change.actions.length > 1) return "replace";
  const [action = "no-op"] = change.actions;
  return action === "no-op" ? "same" : action;
};

function nodeOf(
  change: ResourceChange,
  drawn: Drawn,
  markOf: (change: ResourceChange) => Mark,
): TopologyNode {
  const { address, type, blocked_by: guard, cost, attributes } = change;
  const parts = drawn.parts.get(address) ?? [];
  const moving = parts.filter((part) => markOf(part) !== "same");
  const own = markOf(change);
  const mark = own === "same" && moving.length > 0 ? partMark(moving.map(markOf)) : own;
  const effects = new Set([change, ...moving].flatMap((one) => (one.with_parent ? [] : one.effects)));
  const none = { usd: 0, ngn: 0 };
  const [before, after] = [cost?.before ?? none, cost?.after ?? none];
  const price = cost && !(sameMoney(before, none) && sameMoney(after, none));
  const picture = drawn.pictureOf(type);
  return {
    id: address,
    box: drawn.boxOf(change),
    place: drawn.placeOf(change),
    title: nameOf(address).split(".").at(-1) ?? address,
    facts: [
      ...(picture?.as === "node" ? picture.facts : []).flatMap((path) => factAt(change, path)),
      ...(price ? [moneyChange(before, after, "\u2192").split(",")[0] ?? ""] : []),
    ].join(" \u00b7 "),
    mark,
    isBlocked: guard !== undefined,
    notes: [
      ...(mark !== "drift" && attributes.some(({ cause }) => cause === "drift") ? ["drift"] : []),
      ...partsOf(moving, drawn),
      ...(effects.has("deploys") ? ["deploys"] : []),
    ],
  };
}

/** Of a node whose parts change alone: a part that comes, goes or is gone is a change of it. */
const partMark = (marks: readonly Mark[]): Mark => {
  if (marks.includes("drift") || marks.includes("missing")) return "drift";
  return marks.every((mark) => mark === "pending") ? "pending" : "update";
};

const partsOf = (parts: readonly ResourceChange[], { pictureOf }: Drawn): readonly string[] => {
  const named = parts.filter(({ type }) => pictureOf(type)?.as === "reference");
  return named.length === 0 ? [] : [counted(named.length, named[0]?.type ?? "")];
};

function factAt(change: ResourceChange, path: string): string[] {
  const value = valueAt(change, path);
  return typeof value === "string" && value !== "" ? [value] : [];
}

/** The value of an attribute once the plan is applied, else before. */
function valueAt({ change }: ResourceChange, path: string): Plain | undefined {
  const sides = [change.after, change.before] as readonly (Plain | null)[];
  const values = sides.map((side) =>
    path
      .split(".")
      .reduce<Plain | undefined>(
        (at, key) => (at as Readonly<Record<string, Plain>> | null | undefined)?.[key],
        side,
      ),
  );
  return values.find((value) => value !== undefined && value !== null);
}

function edgesOf(changes: readonly ResourceChange[], drawn: Drawn): readonly TopologyEdge[] {
  const names = new Map<
    string,
    { readonly from: string; readonly to: string; readonly names: Set<string> }
  >();
  for (const change of changes) {
    const from = drawn.nodeAt(change.address);
    for (const reference of change.references ?? []) {
      const to = drawn.nodeAt(reference);
      if (from === undefined || to === undefined || from === to) continue;
      const key = `${from} ${to}`;
      const edge = names.get(key) ?? { from, to, names: new Set() };
      if (drawn.pictureOf(change.type)?.as === "reference") edge.names.add(change.live_name);
      names.set(key, edge);
    }
  }
  return [...names.values()].map((edge) => ({ ...edge, names: [...edge.names].sort() }));
}

export const isMoving = ({ mark, isBlocked }: TopologyNode): boolean => mark !== "same" || isBlocked;

/** Keeps what changes and its neighbours; the rest of each box is counted. Where nothing changes, everything is kept. */
function fold(topology: Topology): Topology {
  const { nodes, edges } = topology;
  const moving = new Set(nodes.filter(isMoving).map(({ id }) => id));
  if (moving.size === 0 && nodes.length <= mostNodes) return topology;
  const near = new Set(
    edges.flatMap(({ from, to }) => (moving.has(from) || moving.has(to) ? [from, to] : [])),
  );
  const kept = nodes.filter(({ id }) => moving.has(id) || near.has(id));
  const shown = kept.length > mostNodes && topology.isCoarse ? kept.slice(0, mostNodes) : kept;
  const ids = new Set(shown.map(({ id }) => id));
  const counts = new Map<string | undefined, number>();
  for (const { id, box } of nodes) if (!ids.has(id)) counts.set(box, (counts.get(box) ?? 0) + 1);
  const shownBoxes = new Set(shown.map(({ box }) => box));
  const elsewhere = [...counts].filter(([box]) => !shownBoxes.has(box));
  const foldedNodes = [...counts]
    .filter(([box]) => shownBoxes.has(box))
    .map(([box, count]) => foldedNode(box, count, topology));
  const rest = elsewhere.reduce((sum, [, count]) => sum + count, 0);
  const boxes = new Map([...topology.boxes].filter(([box]) => shownBoxes.has(box)));
  return {
    nodes: [...shown, ...foldedNodes, ...(rest === 0 ? [] : [foldedNode(undefined, rest, topology)])],
    edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    boxes,
    isCoarse: topology.isCoarse,
    services: topology.services,
  };
}

const foldedNode = (box: string | undefined, count: number, { isCoarse, nodes }: Topology): TopologyNode => {
  const noun = isCoarse ? "project" : typeOf((nodes[0]?.id ?? "") as Address);
  return {
    ...{ id: `folded ${box ?? ""}`, box, title: `${counted(count, noun)} more`, facts: "unchanged, folded" },
    ...{ mark: "same", isBlocked: false, notes: [], folded: count },
  };
};

/** The worst of some marks. */
export const worstMark = (found: readonly Mark[]): Mark =>
  order.find((mark) => found.includes(mark)) ?? "same";

const order: readonly Mark[] = [
  ...(["missing", "delete", "replace", "drift", "update", "create"] as const),
  ...(["adopt", "forget", "pending"] as const),
];

/** Projects in place of their services. */
function coarse({ nodes, edges, boxes, services }: Topology): Topology {
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box ?? id]));
  const members = new Map<string, TopologyNode[]>();
  for (const node of nodes)
    members.set(node.box ?? node.id, [...(members.get(node.box ?? node.id) ?? []), node]);
  const links = new Map<string, { from: string; to: string; count: number }>();
  for (const { from, to, names } of edges) {
    const [a, b] = [boxOf.get(from) ?? from, boxOf.get(to) ?? to];
    const link = links.get(`${a} ${b}`) ?? { from: a, to: b, count: 0 };
    if (a !== b) links.set(`${a} ${b}`, { ...link, count: link.count + Math.max(1, names.length) });
  }
  return {
    nodes: [...members].map(([id, own]): TopologyNode => {
      if (own.length === 1 && own[0]?.box === undefined) return own[0] as TopologyNode;
      const found = order.filter((mark) => own.some((node) => node.mark === mark));
      return {
        ...{
          id,
          title: boxes.get(id) ?? id,
          facts: counted(own.length, typeOf((own[0]?.id ?? "") as Address)),
        },
        mark: worstMark(found),
        isProject: true,
        isBlocked: own.some(({ isBlocked }) => isBlocked),
        notes: found.map((mark) => `${own.filter((node) => node.mark === mark).length} ${marks[mark].word}`),
      };
    }),
    edges: [...links.values()].map(({ from, to, count }) => ({
      from,
      to,
      names: [counted(count, "reference")],
    })),
    boxes: new Map(),
    isCoarse: true,
    services,
  };
}
