import * as z from "zod";
import { stateFileSchema } from "../state/state-text";
import { driftDocumentSchema } from "./drift-schema";
import { eventSchema } from "./event-schema";
import { planDocumentSchema } from "./plan-schema";

/** A JSON Schema, draft 07. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Of the document of `plan -json` and `show -json` for a saved plan. */
export const planSchema = (): JsonSchema => published(planDocumentSchema, "A plan of rnv");

/** Of the document of `drift -json`. */
export const driftSchema = (): JsonSchema => published(driftDocumentSchema, "A drift report of rnv");

/** Of the state file, in the clear and encrypted. */
export const stateSchema = (): JsonSchema => published(stateFileSchema, "The recorded state of rnv");

/** Of one line of `apply -json`. */
export const eventsSchema = (): JsonSchema => published(eventSchema, "An event of an rnv run");

const published = (schema: z.ZodType, title: string): JsonSchema => {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return { $schema, title, ...rest };
};
