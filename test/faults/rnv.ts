/** The parts of rnv that the fault matrix runs; bundled by `build-rnv.ts`, with a planted bug where one is wanted. */

export { diagnosticOf } from "../../src/api/api-error";
export { openConnection } from "../../src/api/connection";
export { defaultGaps } from "../../src/api/gaps";
export { runtimeAction } from "../../src/commands/act-on-service";
export { type ApplyRequest, apply } from "../../src/commands/apply";
export type { Context } from "../../src/commands/context";
export { planRequest } from "../../src/commands/context";
export { drift } from "../../src/commands/drift";
export { plan } from "../../src/commands/plan";
export { type Diagnostic, DiagnosticsError } from "../../src/diagnostics/diagnostic";
export { Secret } from "../../src/model/secret";
export type { Plan } from "../../src/plan/plan";
export { savePlan } from "../../src/plan/saved-plan";
export { StateCipher } from "../../src/state/cipher";
export { keyIdOf } from "../../src/state/key";
export { createHttpStore } from "../../src/state/stores/http-store";
export { createLocalBackend } from "../../src/state/stores/local-backend";
export { createRemoteBackend } from "../../src/state/stores/remote-backend";
export { StateServer } from "../../src/state/stores/remote-store";
export { createS3Store } from "../../src/state/stores/s3-store";
