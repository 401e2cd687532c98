import * as z from "zod";
import type { Plain } from "../../model/value";

/** Shapes shared by every resource of `service-interface.md`. Unknown fields are kept, never refused. */

// Each kind of field once: zod takes a while to make one, and every run makes all of them.

export const text = z.string();
export const textIfAny = text.nullish();
export const amount = z.number();
export const flag = z.boolean();
/** UUID strings in the interface; kept as text, because an odd id must not make a listing unreadable. */
export const id = text.min(1);
export const idIfAny = id.nullish();
/** ISO 8601, UTC. */
export const timestamp = z.string();
export const timestampIfAny = timestamp.nullish();
/** JSON, as all of any answer is. */
export const anything = z.unknown() as z.ZodType<Plain>;

export const page = z.looseObject({
  hasMore: flag,
  limit: amount,
  nextCursor: text.nullable(),
});

export const operation = z.looseObject({
  id,
  kind: text,
  /** `queued`, `running`, `complete`, `failed`. */
  status: text,
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
});

/** Answer of every DELETE: `operation` and `queued` appear when the deletion is queued. */
export const deletion = z.looseObject({
  deleted: flag,
  queued: flag.optional(),
  operation: operation.nullish(),
});

export type Page = z.infer<typeof page>;
export type Operation = z.infer<typeof operation>;
export type Deletion = z.infer<typeof deletion>;
