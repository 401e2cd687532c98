import { gapVariable } from "../api/gap-rules";
import { gaps } from "../api/gaps";
import { manifestJsonSchema } from "../manifest/manifest-schema";
import { overlayJsonSchema } from "../manifest/overlay-schema";
import { driftSchema, eventsSchema, planSchema, stateSchema } from "../render/schemas";
import { resourceTypes } from "../resources";

/** Names of the JSON Schemas that `rnv schema` prints; without what makes them, for the command line. */
export const schemaNames = ["manifest", "overlay", "plan", "drift", "state", "events"] as const;

export type SchemaName = (typeof schemaNames)[number];

const schemas: Readonly<Record<SchemaName, () => unknown>> = {
  manifest: () => manifestJsonSchema(resourceTypes),
  overlay: () => overlayJsonSchema(resourceTypes),
  plan: planSchema,
  drift: driftSchema,
  state: stateSchema,
  events: eventsSchema,
};

/** `rnv schema gaps`: no schema, but what the service's documents do not show: what is assumed, and what says otherwise. */
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
