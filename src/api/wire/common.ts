import * as z from "zod";

/** Shapes shared by every resource of `service-interface.md`. Unknown fields are kept, never refused. */

/** UUID strings in the interface; kept as text, because an odd id must not make a listing unreadable. */
export const id = z.string().min(1);
/** ISO 8601, UTC. */
export const timestamp = z.string();

export const page = z.looseObject({
  hasMore: z.boolean(),
  limit: z.number(),
  nextCursor: z.string().nullable(),
});

export const operation = z.looseObject({
  id,
  kind: z.string(),
  /** `queued`, `running`, `complete`, `failed`. */
  status: z.string(),
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
});

/** Answer of every DELETE: `operation` and `queued` appear when the deletion is queued. */
export const deletion = z.looseObject({
  deleted: z.boolean(),
  queued: z.boolean().optional(),
  operation: operation.nullish(),
});

export type Page = z.infer<typeof page>;
export type Operation = z.infer<typeof operation>;
export type Deletion = z.infer<typeof deletion>;
