import * as z from "zod";
import { ApiError } from "../api/api-error";
import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import {
  type Canvas,
  type CanvasPosition,
  maxPositions,
  position,
  type Viewport,
  viewport,
} from "../api/wire/shapes";
import { failure } from "../diagnostics/diagnostic";
import { didYouMean, joinHints } from "../diagnostics/suggest";
import { typeOf } from "../model/address";
import { topologicalOrder } from "../model/graph-walk";
import type { LiveResource, Offers, ReadResult } from "../model/live";
import { append } from "../model/multimap";
import type { Accepted, CreateInput, ReadTarget, UpdateInput } from "../model/resource-operations";
import type { Finding, Neighbour, ReactionContext, ResourceType, RulesOf } from "../model/resource-type";
import { entriesNamed } from "../model/service-names";
import { compareTexts } from "../model/text-order";
import { type Attributes, isObject, isPlain, type Plain, type ResolvedValue, Unknown } from "../model/value";
import { parentIdOf, parentRecord, present, sameId } from "./attribute-values";

const schema = z.strictObject({
  positions: z
    .union([z.literal("auto"), z.record(z.string().min(1), position).describe("Places by name.")])
    .optional()
    .describe(
      "`auto` gives a place to every service that has none; or places by service name, service id or group id. " +
        "Nodes not named here keep their places.",
    ),
  viewport: viewport.nullable().optional().describe("What the canvas shows first: centre and zoom."),
});

type LayoutBlock = z.infer<typeof schema>;

const rules: RulesOf<LayoutBlock, "projectId"> = {
  projectId: { change: "replace", equal: sameId },
  positions: { change: "update" },
  viewport: { change: "update" },
};

const computed = {
  id: { valueType: "string", doc: "Id of the project.", stable: true },
  revision: {
    valueType: "number",
    doc: "Revision of the saved layout; 0 while none is saved.",
    stable: false,
  },
} as const satisfies ResourceType["computed"];

/** The shared canvas layout of one project (interface, "Canvas"). Its id is that of the project. */
export const layout: Resource = {
  type: "layout",
  terraformName: "rnv_canvas_layout",
  doc: "The shared layout of a project's canvas. It changes no service.",
  picture: { as: "places", attribute: "positions" },
  schema,
  rules,
  computed,
  groups: [],
  parents: [{ type: "project", attribute: "projectId" }],
  manifest: { key: "layout", within: ["project"], shape: "single", shorthand: "positions" },
  removal: "forget",
  removedWithParent: true,
  follows: ["service"],
  defaults: () =>
    new Map<string, Plain>([
      ["positions", {}],
      ["viewport", null],
    ]),
  checkSiblings: checkPlaces,
  reacts: { reason: layoutReaction },
  read,
  list: async () => [],
  create: save,
  update: save,
  // Forgotten only: what others see of the canvas stays.
  remove: async (_writes, input) => ({ id: input.id }),
  poll: async () => ({ kind: "done" }),
};

async function read(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  const { parentId = target.id } = target;
  if (target.declared.get("projectId") instanceof Unknown) return { kind: "absent" };
  const project = await parentRecord({ ...target, parentId }, "projectId", (id) => reads.project(id));
  if (project.kind !== "found") return project;
  const { id: projectId } = project;
  const canvas = await reads.layout(projectId);
  if (target.id === undefined && canvas.layout.revision === 0)
    return { kind: "absent", offers: nodesOffered(canvas) };
  // What is no longer declared is compared as it was recorded.
  const declared = target.declared.get("positions") ?? target.recorded?.applied.positions;
  const lacks = declared === "auto" && target.recorded ? unplaced(canvas) : undefined;
  const positions = lacks ? "auto" : shownPositions(canvas, declared, target.recorded?.applied.positions);
  const live = liveLayout(canvas, projectId, target.name, positions);
  return { kind: "found", live: { ...live, lacks } };
}

function liveLayout(canvas: Canvas, projectId: string, name: string, positions: Plain): LiveResource {
  return {
    type: "layout",
    id: projectId,
    name,
    parentId: projectId,
    attributes: new Map<string, Plain>([
      ["projectId", projectId],
      ["positions", positions],
      ["viewport", viewportOf(canvas)],
    ]),
    computed: present({ id: projectId, revision: canvas.layout.revision }),
    offers: nodesOffered(canvas),
  };
}

async function save(writes: Endpoints, input: CreateInput | UpdateInput): Promise<Accepted> {
  const projectId = parentIdOf(input, "projectId");
  const send = () => saveOnce(writes, input, projectId);
  const saved = await send().catch((failure: unknown) => {
    // Someone saved in between; the latest canvas is read again (interface, "Errors", 409).
    if (failure instanceof ApiError && failure.code === "canvas_revision_conflict") return send();
    throw failure;
  });
  const declared = input.attributes.get("positions");
  const shown = shownPositions(saved, declared, declared);
  return { id: projectId, live: liveLayout(saved, projectId, input.name, shown) };
}

async function saveOnce(writes: Endpoints, input: CreateInput | UpdateInput, projectId: string) {
  const canvas = await writes.canvas({ projectId });
  const isSent = (path: string): boolean => !("changed" in input) || input.changed.has(path);
  // A place of a node that is gone would be refused (`canvas_invalid_node`).
  const visible = new Set(nodeIds(canvas));
  const kept = Object.fromEntries(Object.entries(placesOf(canvas)).filter(([id]) => visible.has(id)));
  const positions = newPositions(canvas, kept, isSent("positions"), input);
  const viewport =
    isSent("viewport") && input.attributes.has("viewport")
      ? (input.attributes.get("viewport") as Viewport | null)
      : viewportOf(canvas);
  return writes.saveCanvas({ projectId }, { revision: canvas.layout.revision, positions, viewport });
}

function newPositions(
  canvas: Canvas,
  kept: Positions,
  isSent: boolean,
  input: CreateInput & Pick<Partial<UpdateInput>, "live">,
): Positions {
  const declared = input.attributes.get("positions");
  if (declared === "auto") return placeNodes(canvas, kept);
  if (!isObject(declared)) return kept;
  // The default, empty, resets the layout.
  if (Object.keys(declared).length === 0) return isSent ? {} : kept;
  const placed: Record<string, CanvasPosition> = { ...kept };
  const nodes = nodesOf(canvas);
  const keys = new Map<Candidate, string>();
  for (const [key, at] of Object.entries(declared as Positions)) {
    const id = nodesNamed(nodes, key)[0]?.id ?? "";
    // Its service is archived, or is not there yet.
    if (id === "") continue;
    const finding = checkPlace(key, nodes, keys);
    if (finding) throw failure(finding.code, finding.summary, { ...finding, address: input.address });
    // What is not sent concerns only what has appeared since.
    const isOld = kept[id] !== undefined && input.live?.offers?.positions?.some((node) => node.id === id);
    if (isSent || !isOld) placed[id] = at;
  }
  return placed;
}

// A save takes no other fields, whatever the canvas shows.
const placesOf = ({ layout: { positions } }: Canvas): Positions =>
  Object.fromEntries(Object.entries(positions).map(([id, { x, y }]) => [id, { x, y }]));
const viewportOf = ({ layout: { viewport: saved } }: Canvas): Viewport | null =>
  saved && { x: saved.x, y: saved.y, zoom: saved.zoom };

type Positions = Readonly<Record<string, CanvasPosition>>;

const placesIn = (declared: Attributes<ResolvedValue>): Positions | undefined => {
  const value = declared.get("positions");
  return isObject(value) && isPlain(value) ? (value as Positions) : undefined;
};

const nodesOf = ({ nodes, groups }: Canvas) => [...nodes, ...groups];

const nodesOffered = (canvas: Canvas): Offers => ({
  positions: nodesOf(canvas).map(({ id, name }) => ({ id, name, isDefault: false })),
});

/** Returns the nodes that a key of `positions` names: the one of that id, else those of that name. */
function nodesNamed<Node extends Candidate>(nodes: readonly Node[], key: string): readonly Node[] {
  const byId = nodes.filter(({ id }) => id === key);
  return byId.length > 0 ? byId : entriesNamed(nodes, key);
}

/** Returns why the layout is saved again: this plan creates or restores a node that needs a position. */
function layoutReaction({ declared, live, upstream }: ReactionContext): string | undefined {
  const places = placesIn(declared);
  const keys = new Set(Object.keys(places ?? {}).map((key) => key.normalize()));
  const isNamed = ({ id = "", name = "" }: { readonly id?: string; readonly name?: string }): boolean =>
    keys.has(id) || keys.has(name.normalize());
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
  readonly name: string;
  readonly hidden?: Neighbour;
}

/** Returns findings about positions of no node, or of more than one (interface, "Canvas", rules 2 and 4). */
function checkPlaces(
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
      .map((one) => ({ id: one.id, name: one.name ?? "", hidden: one.isHidden ? one : undefined })),
  ];
  const keys = new Map<Candidate, string>();
  return Object.keys(places).flatMap((key) => checkPlace(key, candidates, keys) ?? []);
}

/** Returns what is wrong with a key; `keys` are those before it. */
function checkPlace(key: string, nodes: readonly Candidate[], keys: Map<Candidate, string>) {
  const named = nodesNamed(nodes, key);
  const shown = named.filter(({ hidden }) => !hidden);
  if (named.length === 0) {
    const names = [...new Set(nodes.flatMap(({ name }) => name || []))].sort();
    const hint = joinHints(didYouMean(key, names), `it has: ${names.join(", ") || "none"}`);
    return unclear(`the canvas has no node "${key}"`, hint);
  }
  if (shown.length > 1) {
    const ids = shown.map(({ id }) => id ?? "one that is created").join(", ");
    const summary = `${shown.length} nodes of the canvas are called "${key}"`;
    return unclear(summary, `name one by its id: ${ids}`);
  }
  const [node] = shown;
  const before = node && keys.get(node);
  if (before) return unclear(`"${before}" and "${key}" are one node of the canvas`, "keep one of the two");
  if (node) keys.set(node, key);
  const hidden = named[0]?.hidden;
  if (node || !hidden) return undefined;
  const summary = `${hidden.address} is archived, and no canvas shows it: its place is left out`;
  const hint = "it gets its place once it is restored";
  return { ...unclear(summary, hint), code: "plan.invalid_combination", isWarning: true } as const;
}

const unclear = (summary: string, hint: string): Finding => ({
  code: "manifest.reference_unknown",
  ...{ summary, hint, attribute: "positions" },
});

/** Returns why a recorded `auto` layout is saved again although its declaration is unchanged; undefined where every node has a place. */
function unplaced(canvas: Canvas): string | undefined {
  const [first, ...others] = nodesOf(canvas).filter(({ id }) => canvas.layout.positions[id] === undefined);
  if (first === undefined) return undefined;
  return others.length === 0
    ? `${first.name} has no place yet`
    : `${others.length + 1} nodes have no place yet`;
}

/**
 * The saved places in the form that was declared: `auto` while every node has one, else by the same keys. What is `recorded`
 * and not shown is archived: it has the declared place.
 */
function shownPositions(canvas: Canvas, declared: unknown, recorded: unknown): Plain {
  const saved = placesOf(canvas);
  if (declared === "auto" && nodeIds(canvas).every((id) => saved[id] !== undefined)) return "auto";
  if (!isObject(declared)) return saved as Plain;
  const nodes = nodesOf(canvas);
  const shown: Record<string, Plain> = {};
  for (const [key, wanted] of Object.entries(declared as Positions)) {
    const [id, ...others] = nodesNamed(nodes, key).map((node) => node.id);
    const isKnown = id !== undefined || (isObject(recorded) && Object.hasOwn(recorded, key));
    const at = id === undefined ? wanted : others.length > 0 ? undefined : saved[id];
    if (isKnown && at !== undefined) shown[key] = { x: at.x, y: at.y };
  }
  return shown;
}

const columnWidth = 320;
const rowHeight = 160;

/** Ids of everything on a canvas that has a place: services, and groups as far as the limit of places reaches. */
function nodeIds(canvas: Canvas): readonly string[] {
  return nodesOf(canvas)
    .map(({ id }) => id)
    .slice(0, maxPositions);
}

/**
 * A place for every node that has none: consumers left of what they refer to, one column per depth, rows by name.
 * Nodes that have a place keep it; equal canvases get equal places.
 */
function placeNodes(
  canvas: Canvas,
  placed: Readonly<Record<string, CanvasPosition>>,
): Readonly<Record<string, CanvasPosition>> {
  const depths = depthsOf(canvas);
  const names = new Map(nodesOf(canvas).map(({ id, name }) => [id, name]));
  const ordered = nodeIds(canvas)
    .filter((id) => placed[id] === undefined)
    .sort((a, b) => compareTexts(names.get(a) ?? "", names.get(b) ?? "") || compareTexts(a, b));
  const positions: Record<string, CanvasPosition> = { ...placed };
  const taken = new Set(Object.values(placed).map(cellOf));
  const nextRow = new Map<number, number>();
  for (const id of ordered) {
    const column = depths.get(id) ?? 0;
    let row = nextRow.get(column) ?? 0;
    while (taken.has(`${column}:${row}`)) row += 1;
    nextRow.set(column, row + 1);
    positions[id] = { x: column * columnWidth, y: row * rowHeight };
  }
  return positions;
}

const cellOf = ({ x, y }: CanvasPosition): string =>
  `${Math.round(x / columnWidth)}:${Math.round(y / rowHeight)}`;

/** Returns the longest way to each node from a node without references to it; a way ends where it meets itself. */
function depthsOf(canvas: Canvas): ReadonlyMap<string, number> {
  const sources = new Map<string, string[]>();
  // In an order of their own: equal canvases get equal places.
  for (const { source, target } of [...canvas.edges].sort((a, b) => compareTexts(a.source, b.source)))
    if (source !== target) append(sources, target, source);
  const sourcesOf = (id: string): readonly string[] => sources.get(id) ?? [];
  const depths = new Map<string, number>();
  for (const id of topologicalOrder([...nodeIds(canvas)].sort(), sourcesOf, () => undefined))
    depths.set(id, Math.max(-1, ...sourcesOf(id).map((source) => depths.get(source) ?? 0)) + 1);
  return depths;
}
