import * as z from "zod";
import { flag, id, page, text, timestampIfAny } from "./common";

/** Masked metadata; `value` is null in every answer but a reveal. */
export const variable = z.looseObject({
  id,
  key: text,
  kind: text.optional(),
  configured: flag.optional(),
  value: z.null().optional(),
  createdAt: timestampIfAny,
  updatedAt: timestampIfAny,
});

export const variableAnswer = z.looseObject({ variable });
/** Answer of the PATCH, "masked variable metadata": where it is in the body is not shown. */
export const patchedVariableAnswer = z.looseObject({ variable: variable.optional() });
/** Without a time that can be read nothing would tell that a value was changed elsewhere. */
const listedVariable = variable.extend({
  updatedAt: text.refine((time) => !Number.isNaN(Date.parse(time)), "expected a date and a time"),
});
/** Listing variables is not shown; see `gaps.ts`. */
export const variablesAnswer = z.looseObject({ variables: z.array(listedVariable), page: page.optional() });
/** Secret-bearing: never logged, never kept. */
export const revealAnswer = z.looseObject({ value: text });

export type Variable = z.infer<typeof variable>;
