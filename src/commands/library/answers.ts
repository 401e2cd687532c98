import { planDocument } from "../../plan/document";
import { savePlan } from "../../plan/saved-plan";
import { deploymentsDocument, diagnosticData, driftDocument, statusDocument } from "../../report/documents";
import { apply } from "../apply";
import {
  addresses,
  type Outcome as CommandOutcome,
  expectedFailure,
  planRequest,
  succeeded,
} from "../context";
import { drift } from "../drift";
import { exportManifest } from "../export-manifest";
import type { DriftDocument, PlanDocument } from "../generated/documents";
import { importResource } from "../import-resource";
import type { OpenContext } from "../open-context";
import { plan } from "../plan";
import { deployments, status } from "../status";
import { validate } from "../validate";
import type {
  ApplyRequest,
  DeploymentsRequest,
  DriftRequest,
  ExportRequest,
  ImportRequest,
  Outcome,
  PlanRequest,
  StatusRequest,
  ValidateRequest,
} from "./types";

/** An outcome of the library whose findings still know their ranges. */
export type Answer<T extends Outcome> = Omit<T, "diagnostics"> & Pick<CommandOutcome, "diagnostics">;

export async function answerPlan(run: OpenContext, request: PlanRequest) {
  const { save: isSaved = false, ...wishes } = request;
  const asked = { ...planRequest, ...wishes, isSaved };
  const { plan: made, revealed, reviewKey: key, exitCode, diagnostics } = await plan(run, asked);
  if (made === undefined) return { exitCode, diagnostics };
  const { files, overridePolicies } = asked;
  const saved = () => savePlan(made, { files, stage: made.stage, overridePolicies, revealed, key });
  const savedPlan = isSaved && exitCode === 0 ? saved() : undefined;
  return { exitCode, diagnostics, plan: planDocument(made) as PlanDocument, savedPlan };
}

export async function answerApply(run: OpenContext, request: ApplyRequest) {
  const { approve = async () => [] } = request;
  const outcome = await apply(run, {
    ...planRequest,
    lockTimeoutMs: 0,
    parallelism: 10,
    ...request,
    approve: async (asked) => {
      const confirmed = await approve(planDocument(asked) as PlanDocument);
      return confirmed && { confirmedDeletes: addresses("approve", confirmed) };
    },
  });
  const { plan: made, counts, cancelled, exitCode, diagnostics } = outcome;
  return { exitCode, diagnostics, plan: made && (planDocument(made) as PlanDocument), counts, cancelled };
}

export async function answerDrift(run: OpenContext, request: DriftRequest) {
  const outcome = await drift(run, { ...planRequest, ...request });
  const { exitCode, diagnostics, report } = outcome;
  return { exitCode, diagnostics, report: report && (driftDocument(outcome) as DriftDocument) };
}

export async function answerStatus(run: OpenContext, request: StatusRequest) {
  const services = await status(run, request);
  return { ...succeeded, status: statusDocument(services) };
}

export async function answerDeployments(run: OpenContext, { address, limit = 20 }: DeploymentsRequest) {
  return { ...succeeded, deployments: deploymentsDocument(await deployments(run, { address, limit })) };
}

export const answerValidate = (run: OpenContext, request: ValidateRequest) =>
  validate(run, { files: [], ...request });

export async function answerExport(run: OpenContext, request: ExportRequest) {
  const { exitCode, diagnostics, text } = await exportManifest(run, request);
  return { exitCode, diagnostics, manifest: text };
}

export async function answerImport(run: OpenContext, request: ImportRequest) {
  const { exitCode, diagnostics, recorded } = await importResource(run, { lockTimeoutMs: 0, ...request });
  if (recorded === undefined) return { exitCode, diagnostics };
  return { exitCode, diagnostics, recorded: { type: recorded.type, id: recorded.id, name: recorded.name } };
}

/** Returns the outcome of a command and closes its run. A bug is thrown. */
export async function answer<T extends Outcome>(
  run: OpenContext,
  work: () => Promise<Answer<T>>,
): Promise<T> {
  const caught = work().catch((cause: unknown) => {
    const failed = expectedFailure(cause, run.signal.aborted);
    if (failed === undefined) throw cause;
    return failed as Answer<T>;
  });
  const outcome = await caught.finally(() => run.close());
  return { ...outcome, diagnostics: outcome.diagnostics.map(diagnosticData) } as unknown as T;
}
