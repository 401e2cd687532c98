/** The parts of rnv that the fault matrix runs; bundled by `build-rnv.ts`, with a planted bug where one is wanted. */
export { createClient } from "../../src/api/client";
export { createEndpoints } from "../../src/api/create-endpoints";
export { createReads } from "../../src/api/create-reads";
export { diagnosticOf } from "../../src/api/diagnostic-of";
export { apply } from "../../src/commands/apply";
export type { Context } from "../../src/commands/context";
export { drift } from "../../src/commands/drift";
export { forceUnlock } from "../../src/commands/force-unlock";
export { plan } from "../../src/commands/plan";
export { type ApplyRequest, planRequest } from "../../src/commands/requests";
export { show } from "../../src/commands/show";
export { removeState } from "../../src/commands/state-verbs";
export { type Diagnostic, DiagnosticsError } from "../../src/diagnostics/diagnostic";
export { Secret } from "../../src/model/secret";
export type { Plan } from "../../src/plan/plan";
export { createLocalBackend } from "../../src/state/local-backend";
export { keyIdOf } from "../../src/state/state-key";
