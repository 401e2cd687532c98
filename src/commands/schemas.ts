import * as z from "zod";
import { driftFileSchema } from "../manifest/beside/drift-file";
import { fleetFileSchema } from "../manifest/beside/fleet-file";
import { policyFileSchema } from "../manifest/beside/policy-file";
import { testFileSchema } from "../manifest/beside/test-file";
import { manifestJsonSchema, overlayJsonSchema } from "../manifest/schema";
import { eventSchema } from "../model/apply-event";
import { stateFileSchema } from "../model/state";
import { schemasUrl } from "../model/version";
import { driftDocumentSchema } from "../plan/drift";
import { planDocumentSchema } from "../plan/plan-schema";
import { fleetReportSchema } from "../report/fleet-report";
import { testReportSchema } from "../report/test-report";
import { resourceTypes } from "../resources";
import type { SchemaName } from "./tools";

const schemas: Readonly<Record<SchemaName, () => unknown>> = {
  manifest: () => manifestJsonSchema(resourceTypes),
  overlay: () => overlayJsonSchema(resourceTypes),
  "drift-file": () => published(driftFileSchema, "Accepted drift of rnv"),
  policy: () => published(policyFileSchema, "Policies of rnv"),
  test: () => published(testFileSchema, "Tests of manifests of rnv: *.rnvtest.yaml"),
  fleet: () => published(fleetFileSchema, "A fleet of rnv: rnv.fleet.yaml"),
  plan: () => published(planDocumentSchema, "A plan of rnv"),
  drift: () => published(driftDocumentSchema, "A drift report of rnv"),
  "fleet-report": () => published(fleetReportSchema, "A report of rnv fleet"),
  "test-report": () => published(testReportSchema, "A report of rnv test"),
  state: () => published(stateFileSchema, "The recorded state of rnv"),
  events: () => published(eventSchema, "An event of an rnv run"),
};

/** `rnv schema [name]`: a JSON Schema, draft-07, made from the same checks that reading and writing use. */
export const schema = (name: SchemaName): unknown => {
  const { $schema, ...rest } = schemas[name]() as { readonly $schema: string };
  return { $schema, $id: `${schemasUrl}/${name}.schema.json`, ...rest };
};

function published(schema: z.ZodType, title: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return { $schema, title, ...rest };
}
