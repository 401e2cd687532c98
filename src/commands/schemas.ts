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
import { deploymentsSchema, historySchema, outputsSchema, statusSchema } from "../report/documents";
import { fleetReportSchema } from "../report/fleet-report";
import { testReportSchema } from "../report/test-report";
import { resourceTypes } from "../resources";
import type { SchemaName } from "./tools";

const schemas: Readonly<Record<SchemaName, () => unknown>> = {
  manifest: () => manifestJsonSchema(resourceTypes),
  overlay: () => overlayJsonSchema(resourceTypes),
  "drift-file": () => published("AcceptedDrift", driftFileSchema, "Accepted drift of rnv"),
  policy: () => published("Policies", policyFileSchema, "Policies of rnv"),
  test: () => published("Test", testFileSchema, "Tests of manifests of rnv: *.rnvtest.yaml"),
  fleet: () => published("Fleet", fleetFileSchema, "A fleet of rnv: rnv.fleet.yaml"),
  plan: () => published("PlanDocument", planDocumentSchema, "A plan of rnv"),
  drift: () => published("DriftDocument", driftDocumentSchema, "A drift report of rnv"),
  "fleet-report": () => published("FleetReport", fleetReportSchema, "A report of rnv fleet"),
  "test-report": () => published("TestReport", testReportSchema, "A report of rnv test"),
  state: () => published("State", stateFileSchema, "The recorded state of rnv"),
  events: () => published("ApplyEvent", eventSchema, "An event of an rnv run"),
  status: () => published("StatusDocument", statusSchema, "What rnv status shows"),
  output: () => published("Outputs", outputsSchema, "The outputs of a state of rnv"),
  history: () => published("HistoryDocument", historySchema, "The runs that a state of rnv remembers"),
  deployments: () => published("DeploymentsDocument", deploymentsSchema, "Deployments of a service"),
};

/** `rnv schema [name]`: a JSON Schema, draft-07, made from the same checks that reading and writing use. */
export const schema = (name: SchemaName): unknown => {
  const { $schema, ...rest } = schemas[name]() as { readonly $schema: string };
  return { $schema, $id: `${schemasUrl}/${name}.schema.json`, ...rest };
};

/** The title is the name of the type that generators of types make of it. */
function published(title: string, schema: z.ZodType, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return { $schema, title, description, ...rest };
}
