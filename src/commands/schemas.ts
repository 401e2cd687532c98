import { driftFileSchema } from "../manifest/beside/drift-file";
import { fleetFileSchema } from "../manifest/beside/find-fleet";
import { policyFileSchema } from "../manifest/beside/policy-file";
import { testFileSchema } from "../manifest/beside/test-file";
import { jsonSchemaOf, manifestJsonSchema, overlayJsonSchema } from "../manifest/schema";
import { eventSchema } from "../model/apply-event";
import type { Catalog } from "../model/catalog";
import { stateFileSchema } from "../model/state";
import { schemasUrl } from "../model/tool-version";
import { driftDocumentSchema } from "../plan/drift";
import { planDocumentSchema } from "../plan/plan-schema";
import { deploymentsSchema, historySchema, outputsSchema, statusSchema } from "../report/documents";
import { fleetReportSchema } from "../report/fleet-report";
import { testReportSchema } from "../report/test-report";
import { resourceTypes } from "../resources";
import type { Context } from "./context";
import { connectWithRedaction } from "./load";
import type { SchemaName } from "./schema-names";

const schemas: Readonly<Record<SchemaName, (catalog?: Catalog) => unknown>> = {
  manifest: (catalog) => manifestJsonSchema(resourceTypes, catalog),
  overlay: (catalog) => overlayJsonSchema(resourceTypes, catalog),
  "drift-file": () => jsonSchemaOf(driftFileSchema, "AcceptedDrift", "Accepted drift of rnv"),
  policy: () => jsonSchemaOf(policyFileSchema, "Policies", "Policies of rnv"),
  test: () => jsonSchemaOf(testFileSchema, "Test", "Tests of manifests of rnv: *.rnvtest.yaml"),
  fleet: () => jsonSchemaOf(fleetFileSchema, "Fleet", "A fleet of rnv: rnv.fleet.yaml"),
  plan: () => jsonSchemaOf(planDocumentSchema, "PlanDocument", "A plan of rnv"),
  drift: () => jsonSchemaOf(driftDocumentSchema, "DriftDocument", "A drift report of rnv"),
  "fleet-report": () => jsonSchemaOf(fleetReportSchema, "FleetReport", "A report of rnv fleet"),
  "test-report": () => jsonSchemaOf(testReportSchema, "TestReport", "A report of rnv test"),
  state: () => jsonSchemaOf(stateFileSchema, "State", "The recorded state of rnv"),
  events: () => jsonSchemaOf(eventSchema, "ApplyEvent", "An event of an rnv run"),
  status: () => jsonSchemaOf(statusSchema, "StatusDocument", "What rnv status shows"),
  output: () => jsonSchemaOf(outputsSchema, "Outputs", "The outputs of a state of rnv"),
  history: () => jsonSchemaOf(historySchema, "HistoryDocument", "The runs that a state of rnv remembers"),
  deployments: () => jsonSchemaOf(deploymentsSchema, "DeploymentsDocument", "Deployments of a service"),
};

/** `rnv schema [name]`: a JSON Schema, draft-07, made from the same checks that reading and writing use. */
export const schema = (name: SchemaName, catalog?: Catalog): unknown => {
  const { $schema, ...rest } = schemas[name](catalog) as { readonly $schema: string };
  return { $schema, $id: `${schemasUrl}/${name}.schema.json`, ...rest };
};

export const catalogOf = async (context: Context): Promise<Catalog> =>
  (await connectWithRedaction(context, undefined)).reads.catalog();
