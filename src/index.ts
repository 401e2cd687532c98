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
  apply,
  deployments,
  drift,
  exportManifest,
  importResource,
  openContext,
  plan,
  status,
  validate,
} from "./commands/library/library";
export type * from "./commands/library/types";
export {
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type Severity,
  type SourceFile,
  type SourceRange,
} from "./diagnostics/diagnostic";
export type { Remedy } from "./diagnostics/remedies";
export * from "./manifest/generated/manifest";
