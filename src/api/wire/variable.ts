import * as z from "zod";
import { id, page, timestamp } from "./common";

/** Masked metadata; `value` is null in every answer but a reveal. */
export const variable = z.looseObject({
  id,
  key: z.string(),
  kind: z.string().optional(),
  configured: z.boolean().optional(),
  value: z.null().optional(),
  createdAt: timestamp.nullish(),
  updatedAt: timestamp.nullish(),
});

export const variableAnswer = z.looseObject({ variable });
/** Listing variables is not shown; see `gaps.ts`. */
export const variablesAnswer = z.looseObject({ variables: z.array(variable), page: page.optional() });
/** Secret-bearing: never logged, never kept. */
export const revealAnswer = z.looseObject({ value: z.string() });

export type Variable = z.infer<typeof variable>;
