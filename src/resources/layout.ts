import * as z from "zod";
import { ApiError } from "../api/api-error";
import type { Endpoints } from "../api/endpoints";
import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import { type Canvas, type Position, position, type Viewport, viewport } from "../api/wire/canvas";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource, ReadResult } from "../model/live";
import type { Accepted, CreateInput, ReadTarget, UpdateInput } from "../model/resource-operations";
import type { ResourceType, RulesOf } from "../model/resource-type";
import { type Plain, Unknown } from "../model/value";
import { present, textAt } from "./attribute-values";
import {
  checkPlaces,
  isPositions,
  layoutReaction,
  nodesNamed,
  nodesOffered,
  type Positions,
  shownPositions,
  unplaced,
} from "./layout-places";
import { nodeIds, placeNodes } from "./place-nodes";

const schema = z.strictObject({
  positions: z
    .union([z.literal("auto"), z.record(z.string().min(1), position)])
    .optional()
    .describe(
      "`auto` gives a place to every service that has none; or places by service name, service id or group id. " +
        "Nodes not named here keep their places.",
    ),
  viewport: viewport.nullable().optional().describe("What the canvas shows first: centre and zoom."),
});

/** A layout block as it is written. */
export type LayoutBlock = z.infer<typeof schema>;

const rules: RulesOf<LayoutBlock, "projectId"> = {
  projectId: { change: "replace" },
  positions: { change: "update" },
  viewport: { change: "update" },
};

const computed = {
  id: { valueType: "string", doc: "Id of the project.", stable: true },
  revision: {
    valueType: "number",
    doc: "Revision of the saved layout; 0 while none is saved.",
    stable: false,
    onlyGrows: true,
  },
} as const satisfies ResourceType["computed"];

/** What the service decides of a layout. */
export type LayoutComputed = typeof computed;

/** The shared canvas layout of one project (interface, "Canvas"). Its id is that of the project. */
export const layout: Resource = {
  type: "layout",
  terraformName: "rnv_canvas_layout",
  doc: "The shared layout of a project's canvas. It changes no service.",
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
  const parent = target.declared.get("projectId");
  const projectId = typeof parent === "string" ? parent : (target.parentId ?? target.id);
  if (projectId === undefined || parent instanceof Unknown) return { kind: "absent" };
  const project = await reads.project(projectId);
  if (project.kind === "gone") return { kind: target.id === undefined ? "absent" : "gone" };
  if (project.kind === "unreadable") return { kind: "unchecked", reason: project.reason };
  const canvas = await reads.layout(projectId);
  if (target.id === undefined && canvas.layout.revision === 0)
    return { kind: "absent", offers: nodesOffered(canvas) };
  const declared = target.declared.get("positions");
  const live = liveLayout(canvas, projectId, target.name, declared);
  const lacks = declared === "auto" ? unplaced(canvas, target.recorded) : undefined;
  if (lacks === undefined) return { kind: "found", live };
  const attributes = new Map([...live.attributes, ["positions", "auto"] as const]);
  return { kind: "found", live: { ...live, attributes, lacks } };
}

/** The saved layout in the form that was declared: `auto` while every node has a place, else places by the same keys. */
export function liveLayout(canvas: Canvas, projectId: string, name: string, declared: unknown): LiveResource {
  const { revision, viewport: saved } = canvas.layout;
  return {
    type: "layout",
    id: projectId,
    name,
    parentId: projectId,
    attributes: new Map<string, Plain>([
      ["projectId", projectId],
      ["positions", shownPositions(canvas, declared)],
      ["viewport", saved === null ? null : { x: saved.x, y: saved.y, zoom: saved.zoom }],
    ]),
    computed: present({ id: projectId, revision }),
    offers: nodesOffered(canvas),
  };
}

async function save(writes: Endpoints, input: CreateInput | UpdateInput): Promise<Accepted> {
  const projectId =
    textAt(input.attributes, "projectId") ?? ("live" in input ? input.live?.parentId : undefined);
  if (projectId == null) throw new Error(`${input.address}: a layout without a project`);
  let saved: Canvas;
  try {
    saved = await saveOnce(writes, input, projectId);
  } catch (failure) {
    // Someone saved in between; the latest canvas is read once more (interface, "Errors", 409).
    if (!(failure instanceof ApiError) || failure.code !== "canvas_revision_conflict") throw failure;
    saved = await saveOnce(writes, input, projectId);
  }
  const declared = input.attributes.get("positions");
  return { id: projectId, live: liveLayout(saved, projectId, input.name, declared) };
}

async function saveOnce(
  writes: Endpoints,
  input: CreateInput | UpdateInput,
  projectId: string,
): Promise<Canvas> {
  const canvas = await writes.canvas({ projectId });
  const isSent = (path: string): boolean => !("changed" in input) || input.changed.has(path);
  const declared = input.attributes.get("positions");
  // A place of a node that is gone would be refused (`canvas_invalid_node`).
  const visible = new Set(nodeIds(canvas));
  const kept = Object.fromEntries(Object.entries(canvas.layout.positions).filter(([id]) => visible.has(id)));
  const positions = newPositions(canvas, kept, declared, isSent("positions"), input);
  const viewport =
    isSent("viewport") && input.attributes.has("viewport")
      ? (input.attributes.get("viewport") as Viewport | null)
      : canvas.layout.viewport;
  return writes.saveCanvas({ projectId }, { revision: canvas.layout.revision, positions, viewport });
}

function newPositions(
  canvas: Canvas,
  kept: Positions,
  declared: unknown,
  isSent: boolean,
  { address, isProven }: CreateInput,
): Positions {
  if (declared === "auto") return placeNodes(canvas, kept);
  if (!isPositions(declared)) return kept;
  // The default, empty, resets the layout.
  if (Object.keys(declared).length === 0) return isSent ? {} : kept;
  const placed: Record<string, Position> = { ...kept };
  for (const [key, at] of Object.entries(declared)) {
    // It is archived: the plan has said so.
    if (isProven && nodesNamed(canvas, key).length === 0) continue;
    const id = onlyNode(canvas, key, address);
    // What is not sent concerns only what has appeared since.
    if (isSent || kept[id] === undefined) placed[id] = at;
  }
  return placed;
}

function onlyNode(canvas: Canvas, key: string, address: Address): string {
  const ids = nodesNamed(canvas, key);
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return id;
  const names = canvas.nodes.map(({ name }) => name).sort();
  throw new DiagnosticsError([
    error(
      "manifest.reference_unknown",
      ids.length === 0
        ? `the canvas has no node "${key}"`
        : `${ids.length} services of the canvas are called "${key}": name one by its id`,
      {
        address,
        attribute: "positions",
        hint: ids.length === 0 ? `its services: ${names.join(", ") || "none"}` : `ids: ${ids.join(", ")}`,
      },
    ),
  ]);
}
