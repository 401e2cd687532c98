import * as z from "zod";
import { id } from "./common";
import { service } from "./service";

export const canvasLimits = {
  nodes: 2000,
  groups: 2000,
  edges: 10_000,
  positions: 2000,
  coordinate: 10_000_000,
  minZoom: 0.1,
  maxZoom: 4,
  maxSavedRevision: 9_007_199_254_740_990,
} as const;

/** A UUID, optionally prefixed with `group:`. */
export const positionKey = /^(group:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const coordinate = z.number().min(-canvasLimits.coordinate).max(canvasLimits.coordinate);

export const position = z.strictObject({ x: coordinate, y: coordinate });
export const viewport = z.strictObject({
  x: coordinate,
  y: coordinate,
  zoom: z.number().min(canvasLimits.minZoom).max(canvasLimits.maxZoom),
});

export const canvasGroup = z.looseObject({
  id: z.string(),
  name: z.string(),
  environmentId: id.nullish(),
  serviceIds: z.array(id).default([]),
});
export const canvasEdge = z.looseObject({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  /** `reference` or `environment-group`. */
  kind: z.string(),
  keys: z.array(z.string()).optional(),
});
export const canvasLayout = z.looseObject({
  revision: z.number(),
  positions: z.record(z.string(), z.looseObject({ x: z.number(), y: z.number() })),
  viewport: z.looseObject({ x: z.number(), y: z.number(), zoom: z.number() }).nullable(),
});
export const canvas = z.looseObject({
  nodes: z.array(service),
  groups: z.array(canvasGroup),
  edges: z.array(canvasEdge),
  layout: canvasLayout,
  scope: z.looseObject({ projectId: id.nullable(), environmentId: id.nullable() }),
});

export type CanvasGroup = z.infer<typeof canvasGroup>;
export type Position = z.infer<typeof position>;
export type Viewport = z.infer<typeof viewport>;
export type Canvas = z.infer<typeof canvas>;
