/** The public library: commands, their context and results, and the embedded service. */

export { createClient } from "./api/client";
export { createEndpoints, type Endpoints } from "./api/endpoints";
export { createHttpTransport } from "./api/http-transport";
export type { Reads, Resource } from "./api/reads";
export { createReads } from "./api/reads";
export type { Send } from "./api/send";
export type { Transport, WireRequest, WireResponse } from "./api/transport";
export { type ApplyOutcome, type ApplyRequest, type Approval, apply } from "./commands/apply";
export type { Connection, Context, Outcome, StateKey } from "./commands/context";
export { type PlanRequest, planRequest } from "./commands/context";
export { type DriftOutcome, drift } from "./commands/drift";
export { type ExportOutcome, exportManifest } from "./commands/export-manifest";
export { type ImportOutcome, importResource } from "./commands/import-resource";
export { type PlanOutcome, plan } from "./commands/plan";
export { deployments, status } from "./commands/status";
export { type ValidateOutcome, validate } from "./commands/validate";
export type { SourceRange } from "./diagnostics/diagnostic";
export {
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  diagnosticCodes,
  type Severity,
} from "./diagnostics/diagnostic";
export {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  embeddedApiKey,
  embeddedWorkspaceId,
} from "./emulator/emulator";
export { type EmulatorServer, serveEmulator } from "./emulator/server";
export * from "./manifest/generated/manifest";
export { loadManifest } from "./manifest/load-manifest";
export { manifestJsonSchema, overlayJsonSchema } from "./manifest/schema";
export { type Address, parseAddress } from "./model/address";
export type { ApplyEvent } from "./model/apply-event";
export type { Desired, DesiredResource } from "./model/desired";
export type { Release, ReleaseList, RunningService } from "./model/live";
export type { ResourceType } from "./model/resource-type";
export { Secret } from "./model/secret";
export type { RecordedResource, State } from "./model/state";
export { planDocument } from "./plan/document";
export type { DriftClass, DriftReport } from "./plan/drift";
export type { Change, Plan } from "./plan/plan";
export { savePlan } from "./plan/saved-plan";
export { resourceTypes } from "./resources";
export type { StateBackend, StateSession } from "./state/backend";
export { loadStateKey } from "./state/key";
export { openBackend } from "./state/open-backend";
export { parseStateAddress, type StateAddress } from "./state/state-address";
export { createLocalBackend } from "./state/stores/local-backend";
