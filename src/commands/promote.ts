import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { AttributeEdit } from "../manifest/write";
import { type Address, nameOf } from "../model/address";
import type { Desired, DesiredResource } from "../model/desired";
import { type StageName, stageText } from "../model/stage";
import type { RunningService } from "../report/documents";
import { deployment } from "../resources/deployment";
import type { Context, Outcome } from "./context";
import { load } from "./load";
import { status } from "./status";

export interface PromoteRequest {
  readonly files: readonly string[];
  /** The service; undefined for all that both stages declare. */
  readonly wanted: string | undefined;
  readonly from: StageName;
  readonly to: StageName;
}

/** The commit that a service runs in one stage, for the other stage to pin. */
export interface Promotion {
  readonly address: Address;
  readonly before: string | undefined;
  readonly commit: string;
  readonly edit: AttributeEdit;
}

const pin = deployment.computed.commitSha?.pinnedBy ?? "";

interface PromoteOutcome extends Outcome {
  /** Those that differ; empty where a service cannot be promoted. */
  readonly promotions: readonly Promotion[];
}

/** Compares the running releases in the stage of `context` with the commits that the other stage pins. Writes nothing. */
export async function promote(context: Context, request: PromoteRequest): Promise<PromoteOutcome> {
  const source = await load(context, request.files, "skip");
  const target = await load({ ...context, stage: request.to }, request.files, "skip");
  const stop = (diagnostics: readonly Diagnostic[], exitCode: number): PromoteOutcome => ({
    promotions: [],
    diagnostics,
    exitCode,
  });
  if (!source.desired || !target.desired)
    return stop(source.desired ? target.diagnostics : source.diagnostics, 1);
  const promotions: Promotion[] = [];
  const refused: Diagnostic[] = [];
  const services = await status(context, { address: request.wanted });
  for (const { address, type } of request.wanted === undefined ? source.desired.resources.values() : [])
    if (type === "service" && services.every((one) => one.address !== address))
      if (deploymentOf(source.desired, address) && deploymentOf(target.desired, address))
        refused.push(refusal(address, "nothing runs", request));
  for (const service of services) {
    const from = deploymentOf(source.desired, service.address);
    const to = deploymentOf(target.desired, service.address);
    if (to === undefined && request.wanted === undefined) continue;
    const problem = to ? problemOf(service, pinned(from)) : `${stageText(request.to)} does not deploy it`;
    if (problem !== undefined) refused.push(refusal(service.address, problem, request));
    else if (to && pinned(to) !== service.release?.commit) {
      const { address, type } = to;
      const commit = service.release?.commit ?? "";
      const edit = { type, names: nameOf(address).split("."), attribute: pin, value: commit };
      promotions.push({ address, before: pinned(to), commit, edit });
    }
  }
  if (refused.length > 0) return stop(refused, 4);
  return { promotions, diagnostics: [], exitCode: 0 };
}

const deploymentOf = ({ resources }: Desired, service: Address): DesiredResource | undefined =>
  [...resources.values()].find(({ type, parent }) => type === deployment.type && parent === service);

function pinned(declared: DesiredResource | undefined): string | undefined {
  const value = declared?.attributes.get(pin)?.value;
  return typeof value === "string" ? value : undefined;
}

function problemOf(service: RunningService, commit: string | undefined): string | undefined {
  const { runs, archived, standing, health = "unknown", release } = service;
  if (runs === "unknown") return `it cannot be read: ${service.reason}`;
  if (runs !== "release" || release === undefined)
    return runs === "nothing" ? "nothing runs" : `it is ${runs}`;
  if (archived) return "it is archived";
  const reason = standing.find(({ code }) => code !== "other_branch");
  if (reason !== undefined) return reason.summary;
  if (release.status !== "live") return `its deployment is ${release.status ?? "unreadable"}`;
  if (health !== "ready") return `its health is ${health}`;
  if (release.commit === undefined) return noCommit;
  return commit === undefined || commit === release.commit
    ? undefined
    : `it runs commit ${release.commit}, and pins ${commit}`;
}

const noCommit = "its live deployment names no commit";

const followsBranch = "The platform leaves it empty for a deployment that follows a branch.";

const pinHint = (from: PromoteRequest["from"]): string =>
  `Pin deploy.commit in stage ${stageText(from)}, apply it, then promote again.`;

const refusal = (address: Address, problem: string, { from }: PromoteRequest): Diagnostic =>
  error("guard.promote", `${address} cannot be promoted: ${problem}`, {
    address,
    detail: problem === noCommit ? followsBranch : undefined,
    hint: problem === noCommit ? pinHint(from) : undefined,
  });
