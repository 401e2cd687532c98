import { type Address, nameOf, typeOf } from "../../model/address";
import { groupBy } from "../../model/collections";
import { dataValue } from "../../model/data-source";
import type { ResourceType } from "../../model/resource-type";
import type { Plain } from "../../model/value";
import { free, sameMoney } from "../../plan/change";
import { isRun, operationOf } from "../../plan/plan";
import type { ChangeDocument } from "../../plan/plan-schema";
import type { Topology, TopologyNode } from "../graph-text";
import { legendOf, type Mark, marks, signText } from "../marks";
import { counted, countList, countNouns, moneyChange } from "../plan-wording";
import type { GraphEdge, Point } from "./place-nodes";

/** Nodes of a picture that shows services: they are drawn in a third of a second. */
const mostNodes = 300;

/** The facts for a picture of a resource that is planned, or only declared or recorded. */
export type ResourceChange = Pick<ChangeDocument, "address" | "type" | "live_name"> &
  Partial<Omit<ChangeDocument, "change">> & {
    readonly change: Pick<ChangeDocument["change"], "actions" | "before" | "after" | "importing">;
  };

interface Drawn extends ResourceChange {
  readonly picture: ResourceType["picture"];
  readonly mark: Mark;
  /** The node that it is, or is part of, and the box that it is in. */
  readonly node: string | undefined;
  readonly box: string | undefined;
}

export function topologyOf(
  changes: readonly ResourceChange[],
  types: readonly Pick<ResourceType, "type" | "picture">[],
  markOf: (change: ResourceChange) => Mark = actionOf,
): Topology {
  const pictures = new Map(types.map(({ type, picture }) => [type, picture]));
  const drawnAs = (as: string) => changes.filter(({ type }) => pictures.get(type)?.as === as);
  const [nodeOf, boxOf] = [holderAmong(drawnAs("node")), holderAmong(drawnAs("box"))];
  const all = changes.map((change): Drawn => {
    const [picture, mark] = [pictures.get(change.type), markOf(change)];
    return { ...change, picture, mark, node: nodeOf(change), box: boxOf(change) };
  });
  const parts = groupBy(all, ({ address, node }) => (address === node ? undefined : node));
  const positions = new Map(
    all.flatMap((one) =>
      one.picture?.as === "places" ? [[one.box, valueAt(one, one.picture.attribute)]] : [],
    ),
  );
  const drawn = all.filter(({ picture }) => picture?.as === "node");
  const nodes = drawn.map((one) => makeNode(one, parts.get(one.node) ?? [], positions.get(one.box)));
  const boxes = new Map(drawnAs("box").map(({ address }): [string, string] => [address, nameOf(address)]));
  const whole = { nodes, edges: edgesOf(all), boxes, notes: [] };
  const folded = fold(whole);
  return folded.nodes.length > mostNodes ? fold(coarse(whole), mostNodes) : folded;
}

function holderAmong(holders: readonly ResourceChange[]) {
  const byName = new Map(holders.map(({ address }) => [nameOf(address), address as string]));
  const addresses = new Set(byName.values());
  return ({ address, construct }: ResourceChange): string | undefined => {
    if (construct?.in !== undefined && addresses.has(construct.in)) return construct.in;
    const name = nameOf(address);
    return byName.get(name) ?? byName.get(name.slice(0, Math.max(0, name.lastIndexOf("."))));
  };
}

/** `saved` has positions by name or id, or says in a word that the service places nodes by itself. */
function positionOf({ address, live_name, id = "" }: ResourceChange, saved: Plain | undefined) {
  const positions = (saved ?? {}) as Readonly<Record<string, Partial<Point>>>;
  const { x, y } = positions[titleOf(address)] ?? positions[live_name] ?? positions[id] ?? {};
  return typeof x === "number" && typeof y === "number" ? { x, y } : undefined;
}

const titleOf = (address: Address): string => nameOf(address).split(".").at(-1) ?? address;

function actionOf({ change, on_remove, reason, effects }: ResourceChange): Mark {
  if (change.importing) return "adopt";
  if (change.actions.length > 1) return "replace";
  const [action = "no-op"] = change.actions;
  if (action === "no-op") return "same";
  if (isRun({ action, reason, effects })) return action === "create" ? "run" : "rerun";
  return operationOf({ action, onRemove: on_remove ?? "delete" });
}

export const graphOfAll = (changes: readonly ResourceChange[]): Topology => ({
  nodes: changes.map((change) => {
    const mark = actionOf(change);
    const signs = signsOf(change, mark);
    const title = change.address;
    return { id: title, title, facts: "", mark, signs, does: dotted(signs.map(signText)) };
  }),
  edges: changes.flatMap(({ address: from, parent, references = [] }) => {
    const ends = new Set(parent === undefined ? references : [parent, ...references]);
    return [...ends].map((to) => ({ from, to, names: [] }));
  }),
  boxes: new Map(),
  notes: [],
});

function signsOf({ blocked_by: guard, attributes = [] }: ResourceChange, mark: Mark): readonly Mark[] {
  const hasDrift = mark !== "drift" && attributes.some(({ cause }) => cause === "drift");
  return [...(guard ? ["blocked" as const] : []), mark, ...(hasDrift ? ["drift" as const] : [])];
}

/** Facts or deeds of a node, without those that it has not. */
const dotted = (words: readonly (string | false | undefined)[]): string =>
  words.filter((word) => typeof word === "string" && word !== "").join(" \u00b7 ");

function makeNode(node: Drawn, parts: readonly Drawn[], positions: Plain | undefined): TopologyNode {
  const { address: id, box } = node;
  const moving = parts.filter(isMoving);
  const named = moving.filter(({ picture }) => picture?.as === "reference");
  const mark = node.mark === "same" && moving.length > 0 ? partMark(moving) : node.mark;
  const own = [node, ...moving];
  const deploys = own.some((one) => !one.with_parent && one.effects?.includes("deploys"));
  const signs = signsOf({ ...node, attributes: own.flatMap((one) => one.attributes ?? []) }, mark);
  const does = dotted([
    ...signs.map((sign) => sign !== "same" && signText(sign)),
    named[0] && counted(named.length, named[0].type),
    deploys && "deploys",
  ]);
  const [title, facts, position] = [titleOf(id), factsOf(node), positionOf(node, positions)];
  return { id, box, position, title, facts, mark, signs, does };
}

/** The mark of a node whose parts change alone: a part that comes, goes or is missing changes the node. */
function partMark(parts: readonly Drawn[]): Mark {
  if (parts.some(({ mark }) => mark === "drift" || mark === "missing")) return "drift";
  return parts.every(({ mark }) => mark === "pending") ? "pending" : "update";
}

function factsOf(node: Drawn): string {
  const { picture, cost } = node;
  const values = picture?.as === "node" ? picture.facts.map((path) => valueAt(node, path)) : [];
  const [before, after] = [cost?.before ?? free, cost?.after ?? free];
  const isFree = sameMoney(before, free) && sameMoney(after, free);
  const price = isFree ? "" : moneyChange(before, after, "\u2192").split(",")[0];
  return dotted([...values.filter((value) => typeof value === "string"), price]);
}

const valueAt = ({ change: { before, after } }: ResourceChange, path: string): Plain | undefined =>
  dataValue(after ?? {}, path) ?? dataValue(before ?? {}, path);

function edgesOf(all: readonly Drawn[]): readonly GraphEdge[] {
  const nodeAt = new Map(all.map(({ address, node }) => [address, node]));
  const found = all.flatMap(({ live_name, references = [], picture, node: from }) => {
    const names = picture?.as === "reference" ? [live_name] : [];
    return references.flatMap((reference): GraphEdge[] => {
      const to = nodeAt.get(reference);
      return from === undefined || to === undefined ? [] : [{ from, to, names }];
    });
  });
  return joined(found);
}

/** Edges between the same two nodes as one, without those that lead back to their own node. */
const joined = (edges: readonly GraphEdge[]): readonly GraphEdge[] =>
  [...groupBy(edges, ({ from, to }) => `${from} ${to}`).values()]
    .map((own) => {
      const { from, to } = own[0] as GraphEdge;
      return { from, to, names: [...new Set(own.flatMap(({ names }) => names))].sort() };
    })
    .filter(({ from, to }) => from !== to);

/** Keeps changing nodes and their neighbours, the worst first; the rest is counted. Without changes, all are kept. */
function fold({ nodes, edges, boxes, notes }: Topology, most = nodes.length): Topology {
  const moving = new Set(nodes.filter(isMoving).map(({ id }) => id));
  const links = edges.filter(({ from, to }) => moving.has(from) || moving.has(to));
  const near = new Set([...moving, ...links.flatMap(({ from, to }) => [from, to])]);
  const wanted = nodes.filter(({ id }) => moving.size === 0 || near.has(id));
  wanted.sort((a, b) => rankOf(a) - rankOf(b));
  const [ids, cut] = [new Set(wanted.slice(0, most).map(({ id }) => id)), wanted.slice(most)];
  const shown = nodes.filter(({ id }) => ids.has(id));
  const inBoxes = [shown, nodes].map((some) => groupBy(some, ({ box }) => box));
  const titles = [...boxes].map(([id, title]): [string, string] => {
    const [count, of] = inBoxes.map((own) => own.get(id)?.length ?? 0);
    return [id, count === of ? title : `${title} (${count} of ${of})`];
  });
  const order = moving.size === 0 ? "" : ", the most dangerous changes first";
  const cutOff = `${order}. Left out: ${marksIn(cut)}`;
  const which = cut.length === 0 ? ": those that change, and their neighbours" : cutOff;
  const rest = `${shown.length} of ${countOf(nodes)} are drawn${which}.`;
  return {
    nodes: shown,
    boxes: new Map(titles),
    edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    notes: shown.length === nodes.length ? notes : [...notes, rest],
  };
}

/** `3 services`, `2 projects and 1 service`. */
const countOf = (nodes: readonly TopologyNode[]): string =>
  countNouns(nodes.map(({ id }) => typeOf(id as Address))).join(" and ");

const isMoving = ({ mark }: Pick<TopologyNode, "mark">): boolean => mark !== "same";
const rankOf = ({ signs: [worst = "same"] }: TopologyNode): number => Object.keys(marks).indexOf(worst);

export const worstMark = (nodes: readonly TopologyNode[]): Mark =>
  legendOf(nodes).find((mark) => mark !== "blocked") ?? "same";

/** `1 blocked, 3 update`: how many nodes have each mark. */
function marksIn(nodes: readonly TopologyNode[]): string {
  const having = (mark: Mark) => nodes.filter(({ signs }) => signs.includes(mark));
  return countList(legendOf(nodes).map((mark) => [marks[mark].word, having(mark).length]));
}

/** Projects in place of their services, and the references between them. */
function coarse({ nodes, edges, boxes }: Topology): Topology {
  const homeOf = new Map(nodes.map(({ id, box = id }) => [id, box]));
  const projects = [...groupBy(nodes, ({ id, box = id }) => box)].flatMap(([id, own]) => {
    const title = boxes.get(id);
    return title === undefined ? own : [projectNode(id, title, own)];
  });
  const home = (id: string): string => homeOf.get(id) ?? id;
  const links = joined(edges.map(({ from, to, names }) => ({ from: home(from), to: home(to), names })));
  const isBoxed = projects.some(({ id }) => boxes.has(id));
  const notes = isBoxed ? [`${countOf(nodes)}: one box for each project.`] : [];
  return { nodes: projects, edges: links, boxes: new Map(), notes };
}

function projectNode(id: string, title: string, own: readonly TopologyNode[]): TopologyNode {
  const moving = own.filter(isMoving);
  const signs = legendOf(moving.length > 0 ? moving : own);
  const does = `${signs[0] === "blocked" ? "! " : ""}${marksIn(moving)}`;
  return { id, title, facts: countOf(own), mark: worstMark(own), signs, does };
}
