import { unlessAbsent } from "../../api/api-error";
import type { Endpoints } from "../../api/endpoints";
import type { Reads } from "../../api/reads";
import { type Deployment, terminalStatuses } from "../../api/wire/shapes";
import { failure } from "../../diagnostics/diagnostic";
import { remedy } from "../../diagnostics/remedies";
import { shortId } from "../../model/address";
import { consumerList, type Pending } from "../../model/live";
import type {
  ActionAim,
  ActionInput,
  Finding,
  OperationStatus,
  ResourceAction,
} from "../../model/resource-operations";
import type { RecordedResource } from "../../model/state";
import { notShown, pollOperation } from "../deletion";
import { deploymentStanding, pollDeployment, queuedFor, workerFindings } from "../deployment-status";

type ServiceVerb = ResourceAction<Reads, Endpoints>;

const pageSize = 200;

const operation = (action: "restart" | "suspend" | "resume"): ServiceVerb => ({
  waitsFor: "operation",
  send: (writes, { id }) => writes.runAction(id, action),
  poll: pollOperation,
  whyRefused: whyNothingRuns,
});

async function whyNothingRuns(reads: Reads, input: ActionInput): Promise<Finding | undefined> {
  const { address } = input;
  const items = await deploymentsOf(reads, input);
  if (items.some(({ status }) => status === "live")) return undefined;
  const [newest] = items;
  const reason = newest?.error ? ` (${newest.error})` : "";
  const why = newest
    ? `the status of its last deployment is ${newest.status}${reason}`
    : "it was never deployed";
  const ended = newest === undefined || hasEnded(newest);
  const next = ended
    ? ((await whyNothingIsQueued(reads, input)) ?? remedy("service.deploy", address))
    : undefined;
  return { ...next, code: "live.not_deployed", summary: `nothing of ${address} runs: ${why}` };
}

/** An archived service takes no deployment (interface, "Service"). */
async function whyNothingIsQueued(reads: Reads, input: ActionInput): Promise<Finding | undefined> {
  const read = await reads.service(input.id);
  if (read.kind !== "found" || read.value.archived !== true) return undefined;
  return { code: "live.standing", summary: `${input.address} is archived`, ...remedy("service.restore") };
}

/** Pins the deployed commit; without a commit the branch is followed. */
function withCommit(
  { commit: _before, ...others }: RecordedResource["applied"],
  { commit }: ActionInput,
): RecordedResource["applied"] {
  return commit === undefined ? others : { ...others, commit };
}

/** Pins the commit of the release that runs again, if a commit was pinned. */
const withRelease = (before: RecordedResource["applied"], input: ActionInput): RecordedResource["applied"] =>
  before.commit === undefined ? before : withCommit(before, { ...input, commit: input.releaseCommit });

/** The newest deployments of a service that can have some. Throws where its hosting is off, with the service's reason. */
async function deploymentsOf(reads: Reads, { id, address }: ActionInput): Promise<readonly Deployment[]> {
  const { available, items, reason } = await reads.live.listDeployments(id, { limit: pageSize });
  if (available) return items;
  throw failure("live.hosting_off", `${address} has no hosting now`, {
    address,
    detail: reason || "The platform gives no reason.",
    hint: "nothing was sent; run the command again once hosting is enabled in the dashboard",
  });
}

async function aimAtNewest(reads: Reads, input: ActionInput): Promise<ActionAim> {
  const items = await deploymentsOf(reads, input);
  const warnings = await workerFindings(reads, "the deployment");
  return { preexistingIds: items.map(({ id }) => id), warnings };
}

const pinnedIn = (last: RecordedResource | undefined): string | undefined =>
  typeof last?.applied.commit === "string" ? last.applied.commit : undefined;

const aimAtBranch: ServiceVerb["aim"] = async (reads, input, last) => ({
  ...(await aimAtNewest(reads, input)),
  commit: pinnedIn(last),
});

async function aimAtRelease(
  reads: Reads,
  input: ActionInput,
  last: RecordedResource | undefined,
): Promise<ActionAim> {
  const items = await deploymentsOf(reads, input);
  const service = await reads.service(input.id);
  const { deploymentId: latest, liveDeploymentId: serving } = service.kind === "found" ? service.value : {};
  const { address, id: serviceId, deploymentId: wanted } = input;
  const chosen = items.find(({ id, canRollback }) =>
    wanted ? id === wanted : canRollback && id !== serving,
  );
  const found = chosen ?? (wanted && (await unlessAbsent(() => reads.live.getDeployment(serviceId, wanted))));
  if (wanted && !found) {
    const summary = `${address} has no deployment of the id ${wanted}`;
    throw failure("live.import_missing", summary, { address, attribute: "deploymentId" });
  }
  const releases = { latestId: latest, liveId: serving, latest: items.find(({ id }) => id === latest) };
  const runs = serving ? `it runs release ${shortId(serving)}` : "nothing of it runs";
  const standing = deploymentStanding(releases)?.summary;
  if (!found) {
    const why = standing ?? `${runs}${serving ? ", and no earlier one is retained" : ""}`;
    throw failure("command.usage", `${address}: nothing to roll back: ${why}`, { address });
  }
  const newest = items.find(({ sourceDeploymentId }) => sourceDeploymentId == null);
  const isNewest = newest?.id === found.id || undefined;
  const undone = isNewest ? [] : undoneBy(input, found, last);
  return {
    preexistingIds: items.map(({ id }) => id),
    standing: standing ?? runs,
    deploymentId: found.id,
    releaseCommit: found.commitSha || undefined,
    isNewest,
    warnings: [...(await workerFindings(reads, "the rollback")), ...undone],
  };
}

/** Warns that the next deployment undoes a rollback, with the line of the manifest that makes it last. */
function undoneBy(
  { address }: ActionInput,
  { commitSha }: Deployment,
  last: RecordedResource | undefined,
): readonly Finding[] {
  const pinned = pinnedIn(last);
  if (last === undefined || pinned === commitSha) return [];
  const why = pinned ? `what was applied last declares commit ${pinned}` : "nothing declares that";
  const summary = `${address} is rolled back, and ${why}`;
  const detail = "The next deployment by rnv serves what was applied last again.";
  const hint = `to make the rollback last, ${commitSha ? `write deploy: { commit: "${commitSha}" } in the manifest, or ` : ""}take the change back: git revert`;
  return [{ code: "live.rolled_back", summary, detail, hint }];
}

/** A suspended service no longer answers those that refer to it. */
async function aimAtConsumed(reads: Reads, { id, address }: ActionInput): Promise<ActionAim> {
  const consumers = (await reads.consumers()).byProvider.get(id);
  const summary = `${address} is used by ${consumerList(consumers ?? [])}`;
  return { warnings: consumers ? [{ code: "guard.consumers", summary }] : [] };
}

/** It can be cancelled where hosting is off, too. */
async function aimAtRunning(reads: Reads, input: ActionInput): Promise<ActionAim> {
  if (input.deploymentId !== undefined) return { deploymentId: input.deploymentId };
  const { items } = await reads.live.listDeployments(input.id, { limit: pageSize });
  const running = items.find((item) => !hasEnded(item));
  const { address } = input;
  if (running === undefined)
    throw failure("command.usage", `${address} has no deployment in progress`, { address });
  return { deploymentId: running.id };
}

const hasEnded = ({ status, finishedAt }: Deployment): boolean =>
  finishedAt != null || (terminalStatuses as readonly string[]).includes(status);

type Queued = Omit<ServiceVerb, "aim" | "send">;

/** Returns how to find, follow and explain a queued deployment. The newest includes the changes of other new deployments. */
const queues = (kind: "deployment" | "rollback"): Queued => ({
  makes: { type: "deployment", applied: kind === "rollback" ? withRelease : withCommit },
  waitsFor: "deployment",
  find: async (reads, { id, commit }) => {
    const queued = await queuedFor(reads, id, { commit });
    const isRollback = kind === "rollback";
    const found = queued?.filter(({ sourceDeploymentId }) => (sourceDeploymentId != null) === isRollback);
    return found?.slice(0, isRollback ? undefined : 1).map(({ id }) => id);
  },
  poll: pollDeployment,
  whyRefused: whyNothingIsQueued,
});

/** A cancellation is done once the deployment has ended, and failed if that is live. */
async function pollCancelled(reads: Reads, { serviceId = "", id }: Pending): Promise<OperationStatus> {
  const found = await unlessAbsent(() => reads.live.getDeployment(serviceId, id));
  if (found === undefined) return notShown(`the platform does not show deployment ${id}`);
  if (found.status === "live")
    return { kind: "failed", summary: `deployment ${id} was live before it could be cancelled` };
  return hasEnded(found) ? { kind: "done" } : { kind: "waiting", status: found.status };
}

/** The actions of verbs on a service (interface, "Services", actions, and "Deployments"). */
const verbs = {
  deploy: {
    aim: aimAtBranch,
    send: (writes, { id, commit }) => writes.queueDeployment(id, { commitSha: commit }),
    ...queues("deployment"),
  },
  "clear-cache": {
    aim: aimAtNewest,
    send: (writes, { id }) => writes.clearCache(id),
    ...queues("deployment"),
  },
  restart: operation("restart"),
  suspend: { ...operation("suspend"), aim: aimAtConsumed },
  resume: operation("resume"),
  rollback: {
    mustBeConfirmed: true,
    aim: aimAtRelease,
    send: (writes, { id, name, deploymentId = "" }) => writes.rollBack(id, deploymentId, name),
    ...queues("rollback"),
  },
  cancel: {
    aim: aimAtRunning,
    send: async (writes, { id, deploymentId = "" }) => {
      await writes.cancelDeployment(id, deploymentId);
      return { id: deploymentId };
    },
    waitsFor: "deployment",
    find: async (reads, { id, deploymentId = "" }) => {
      const found = await unlessAbsent(() => reads.live.getDeployment(id, deploymentId));
      return found && (found.cancelRequested === true || hasEnded(found) ? [deploymentId] : []);
    },
    poll: pollCancelled,
  },
} satisfies Readonly<Record<string, ServiceVerb>>;

export const serviceActions: Readonly<Record<keyof typeof verbs, ServiceVerb>> = verbs;
