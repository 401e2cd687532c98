import * as z from "zod";
import { gapVariable } from "../api/gap-rules";
import { gaps } from "../api/gaps";
import { manifestJsonSchema, overlayJsonSchema } from "../manifest/schema";
import { eventSchema } from "../model/apply-event";
import { stateFileSchema } from "../model/state";
import { driftDocumentSchema } from "../render/drift-json";
import { planDocumentSchema } from "../render/plan-json";
import { resourceTypes } from "../resources";

/** Names of the JSON Schemas that `rnv schema` prints. */
export const schemaNames = ["manifest", "overlay", "plan", "drift", "state", "events"] as const;

export type SchemaName = (typeof schemaNames)[number];

const schemas: Readonly<Record<SchemaName, () => unknown>> = {
  manifest: () => manifestJsonSchema(resourceTypes),
  overlay: () => overlayJsonSchema(resourceTypes),
  plan: () => published(planDocumentSchema, "A plan of rnv"),
  drift: () => published(driftDocumentSchema, "A drift report of rnv"),
  state: () => published(stateFileSchema, "The recorded state of rnv"),
  events: () => published(eventSchema, "An event of an rnv run"),
};

/** `rnv schema gaps`: lists the facts that the service's documents leave open, how each is assumed, and its settings. */
export const gapList = (): unknown =>
  gaps.map(({ name, assumption, verifiedBy, fallback, settings }) => ({
    ...{ name, assumption, verifiedBy, fallback },
    settings: settings.map((one) => ({
      variable: gapVariable(one.key),
      ...{ default: one.default, expected: one.expected, example: one.example },
    })),
  }));

/** `rnv schema [name]`: a JSON Schema, draft-07, made from the same checks that reading and writing use. */
export const schema = (name: SchemaName): unknown => schemas[name]();

/** Returns the JSON Schema, draft 07, of a document that rnv writes. */
function published(schema: z.ZodType, title: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return { $schema, title, ...rest };
}
