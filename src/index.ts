/** The public library: commands over a context. Documents are those that `-json` prints. */

export type { Transport, WireRequest, WireResponse } from "./api/transport";
export type {
  ApplyEvent,
  DeploymentsDocument,
  DriftDocument,
  Json,
  PlanDocument,
  StatusDocument,
} from "./commands/generated/documents";
export {
  type ApplyOutcome,
  type ApplyRequest,
  apply,
  type Context,
  type ContextOptions,
  type DeploymentsOutcome,
  type DriftOutcome,
  type DriftRequest,
  deployments,
  drift,
  type ExportOutcome,
  exportManifest,
  type Finding,
  type ImportOutcome,
  importResource,
  type ManifestRequest,
  type Outcome,
  openContext,
  type PlanOutcome,
  type PlanRequest,
  plan,
  type StatusOutcome,
  status,
  validate,
} from "./commands/library";
export { DiagnosticsError } from "./diagnostics/diagnostic";
