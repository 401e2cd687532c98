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
import { typeOf, uuidPattern } from "../model/address";
import { compareTexts, groupBy } from "../model/collections";
import { topologicalOrder } from "../model/graph-walk";
import type { LiveResource, Offers, ReadResult } from "../model/live";
import { entriesNamed } from "../model/names";
import type { Accepted, CreateInput, Finding, ReadTarget, UpdateInput } from "../model/resource-operations";
import type { Neighbour, ReactionContext, ResourceType, RulesOf } from "../model/resource-type";
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
  revision: { valueType: "number", doc: "Revision of the saved layout; 0 until it is saved.", stable: false },
} as const satisfies ResourceType["computed"];

/** The shared canvas layout of one project (interface, "Canvas"). Its id is that of the project. */
export const layout: Resource = {
  type: "layout",
  doc: "The shared layout of a project's canvas. It changes no service.",
  schema,
  rules,
  computed,
  groups: [],
  manifest: { key: "layout", within: ["project"], shape: "single", shorthand: "positions" },
  parents: [{ type: "project", attribute: "projectId" }],
  follows: ["service"],
  terraformName: "rnv_canvas_layout",
  picture: { as: "places", attribute: "positions" },
  defaults: () =>
    new Map<string, Plain>([
      ["positions", {}],
      ["viewport", null],
    ]),
  checkSiblings: checkPositions,
  read,
  list: async () => [],
  poll: async () => ({ kind: "done" }),
  create: save,
  update: save,
  reacts: { reason: layoutReaction },
  removal: "forget",
  removedWithParent: true,
  // Forgotten only: the canvas keeps its layout.
  remove: async (_writes, input) => ({ id: input.id }),
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
  // Undeclared positions are compared as recorded.
  const declared = target.declared.get("positions") ?? target.recorded?.applied.positions;
  const lacks = declared === "auto" && target.recorded ? unplaced(canvas) : undefined;
  const positions = lacks ? "auto" : shownPositions(canvas, declared, target.recorded?.applied.positions);
  return { kind: "found", live: { ...liveLayout(canvas, projectId, target.name, positions), lacks } };
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
    // Another user saved in between; the canvas is read again (interface, "Errors", 409).
    if (failure instanceof ApiError && failure.code === "canvas_revision_conflict") return send();
    throw failure;
  });
  const declared = input.attributes.get("positions");
  const shown = shownPositions(saved, declared, declared);
  return { id: projectId, live: liveLayout(saved, projectId, input.name, shown) };
}

async function saveOnce(writes: Endpoints, input: CreateInput | UpdateInput, projectId: string) {
  const canvas = await writes.canvas({ projectId });
  const { revision } = canvas.layout;
  // The service refuses positions of deleted nodes (`canvas_invalid_node`).
  const visible = new Set(nodeIds(canvas));
  const kept = Object.fromEntries(Object.entries(positionsOf(canvas)).filter(([id]) => visible.has(id)));
  const positions = newPositions(canvas, kept, input);
  const viewport =
    isSent(input, "viewport") && input.attributes.has("viewport")
      ? (input.attributes.get("viewport") as Viewport | null)
      : viewportOf(canvas);
  const { layout } = await writes.saveCanvas({ projectId }, { revision, positions, viewport });
  // A node that came meanwhile was not placed.
  return { ...canvas, layout };
}

const isSent = (input: CreateInput | UpdateInput, path: string): boolean =>
  !("changed" in input) || input.changed.has(path);

function newPositions(canvas: Canvas, kept: Positions, input: CreateInput | UpdateInput): Positions {
  const isChanged = isSent(input, "positions");
  const offered = ("live" in input ? input.live?.offers?.positions : undefined) ?? [];
  const declared = input.attributes.get("positions");
  if (declared === "auto") return positionNodes(canvas, kept);
  if (!isObject(declared)) return kept;
  // The default, empty, resets the layout.
  if (Object.keys(declared).length === 0) return isChanged ? {} : kept;
  const placed: Record<string, CanvasPosition> = { ...kept };
  const nodes = nodesOf(canvas);
  const keys = new Map<Candidate, string>();
  for (const [key, at] of Object.entries(declared as Positions)) {
    const id = nodesNamed(nodes, key)[0]?.id ?? "";
    // Its service is archived, or not created yet.
    if (id === "") continue;
    const finding = checkPosition(key, nodes, keys);
    if (finding) throw failure(finding.code, finding.summary, { ...finding, address: input.address });
    // Unchanged positions are sent for new nodes alone.
    const isOld = kept[id] !== undefined && offered.some((node) => node.id === id);
    if (isChanged || !isOld) placed[id] = at;
  }
  return placed;
}

// A save takes no other fields, whatever the canvas shows.
const positionsOf = ({ layout: { positions } }: Canvas): Positions =>
  Object.fromEntries(Object.entries(positions).map(([id, { x, y }]) => [id, { x, y }]));
const viewportOf = ({ layout: { viewport: saved } }: Canvas): Viewport | null =>
  saved && { x: saved.x, y: saved.y, zoom: saved.zoom };

type Positions = Readonly<Record<string, CanvasPosition>>;

const declaredPositions = (declared: Attributes<ResolvedValue>): Positions | undefined => {
  const value = declared.get("positions");
  return isObject(value) && isPlain(value) ? (value as Positions) : undefined;
};

/** "`positions` keys match the pattern of a UUID optionally prefixed with `group:`": another node has no place. */
const nodesOf = ({ nodes, groups }: Canvas) =>
  [...nodes, ...groups].filter(({ id }) => uuidPattern.test(id.replace(/^group:/, "")));

const nodesOffered = (canvas: Canvas): Offers => ({
  positions: nodesOf(canvas).map(({ id, name }) => ({ id, name, isDefault: false })),
});

/** Returns the nodes that a key of `positions` names: the node of that id, else those of that name. */
function nodesNamed<Node extends Candidate>(nodes: readonly Node[], key: string): readonly Node[] {
  const byId = nodes.filter(({ id }) => id === key);
  return byId.length > 0 ? byId : entriesNamed(nodes, key);
}

/** Returns the reason to save the layout again: this plan creates or restores a node that needs a position. */
function layoutReaction({ declared, live, upstream }: ReactionContext): string | undefined {
  const positions = declaredPositions(declared);
  const keys = new Set(Object.keys(positions ?? {}).map((key) => key.normalize()));
  const isNamed = ({ id = "", name = "" }: { readonly id?: string; readonly name?: string }): boolean =>
    keys.has(id) || keys.has(name.normalize());
  const appearing = upstream.filter(
    (resource) =>
      typeOf(resource.address) === "service" &&
      resource.appears !== undefined &&
      (declared.get("positions") === "auto" ? resource.appears !== "renamed" : isNamed(resource)),
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

/** Returns findings about positions of no node, or of several (interface, "Canvas", rules 2 and 4). */
function checkPositions(
  declared: Attributes<ResolvedValue>,
  offered: Offers | undefined,
  siblings: readonly Neighbour[],
): readonly Finding[] {
  const positions = declaredPositions(declared);
  if (positions === undefined || offered === undefined) return [];
  const managed = new Set(siblings.map(({ idBefore }) => idBefore));
  const candidates: readonly Candidate[] = [
    ...(offered.positions ?? []).filter(({ id }) => !managed.has(id)),
    ...siblings
      .filter(({ isRemoved }) => !isRemoved)
      .map((sibling) => ({
        id: sibling.id,
        name: sibling.name ?? "",
        hidden: sibling.isHidden ? sibling : undefined,
      })),
  ];
  const keys = new Map<Candidate, string>();
  return Object.keys(positions).flatMap((key) => checkPosition(key, candidates, keys) ?? []);
}

/** Returns the finding about a key; `keys` are those before it. */
function checkPosition(key: string, nodes: readonly Candidate[], keys: Map<Candidate, string>) {
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
  summary,
  hint,
  attribute: "positions",
});

/** Returns the reason to save an unchanged `auto` layout again; undefined where every node has a position. */
function unplaced(canvas: Canvas): string | undefined {
  const [first, ...others] = nodesOf(canvas).filter(({ id }) => canvas.layout.positions[id] === undefined);
  if (first === undefined) return undefined;
  return others.length === 0
    ? `${first.name} has no place yet`
    : `${others.length + 1} nodes have no place yet`;
}

/**
 * Returns the saved positions as they were declared: `auto` while every node has a position, else by the same keys. A
 * `recorded` node that is not shown is archived, and keeps its declared position.
 */
function shownPositions(canvas: Canvas, declared: unknown, recorded: unknown): Plain {
  const saved = positionsOf(canvas);
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

/** Returns the ids of services and groups, up to the limit of positions. */
function nodeIds(canvas: Canvas): readonly string[] {
  return nodesOf(canvas)
    .map(({ id }) => id)
    .slice(0, maxPositions);
}

/** Adds a position for each other node: consumers left of their references, a column per depth, rows by name. */
function positionNodes(
  canvas: Canvas,
  placed: Readonly<Record<string, CanvasPosition>>,
): Readonly<Record<string, CanvasPosition>> {
  const depths = depthsOf(canvas);
  const names = new Map(nodesOf(canvas).map(({ id, name }) => [id, name]));
  const ordered = nodeIds(canvas)
    .filter((id) => placed[id] === undefined)
    .sort((a, b) => compareTexts(names.get(a) ?? "", names.get(b) ?? "") || compareTexts(a, b));
  const positions: Record<string, CanvasPosition> = { ...placed };
  const used = new Set(Object.values(placed).map(cellOf));
  const nextRow = new Map<number, number>();
  for (const id of ordered) {
    const column = depths.get(id) ?? 0;
    let row = nextRow.get(column) ?? 0;
    while (used.has(`${column}:${row}`)) row += 1;
    nextRow.set(column, row + 1);
    positions[id] = { x: column * columnWidth, y: row * rowHeight };
  }
  return positions;
}

const cellOf = ({ x, y }: CanvasPosition): string =>
  `${Math.round(x / columnWidth)}:${Math.round(y / rowHeight)}`;

/** Returns the longest path to each node from a node without references to it; cycles end a path. */
function depthsOf(canvas: Canvas): ReadonlyMap<string, number> {
  const references = canvas.edges.filter(({ source, target }) => source !== target);
  // Equal canvases get equal positions, whatever the order of their edges.
  const sorted = references.sort((a, b) => compareTexts(a.source, b.source));
  const byTarget = groupBy(sorted, ({ target }) => target);
  const sourcesOf = (id: string) => (byTarget.get(id) ?? []).map(({ source }) => source);
  const depths = new Map<string, number>();
  for (const id of topologicalOrder([...nodeIds(canvas)].sort(), sourcesOf, () => undefined))
    depths.set(id, Math.max(-1, ...sourcesOf(id).map((source) => depths.get(source) ?? 0)) + 1);
  return depths;
}
