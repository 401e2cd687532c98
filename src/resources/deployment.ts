import * as z from "zod";
import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import type { Deployment } from "../api/wire/shapes";
import { typeOf } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { LiveResource, Pending, ReadResult } from "../model/live";
import type {
  Accepted,
  CandidateSearch,
  CreateInput,
  Finding,
  ReadTarget,
  UpdateInput,
} from "../model/resource-operations";
import type {
  CheckContext,
  ReactionContext,
  ResourceType,
  RulesOf,
  Upstream,
  WaitPolicy,
} from "../model/resource-type";
import { durationPattern, parseDuration } from "../model/time";
import type { AttributeLookup, ResolvedValue } from "../model/value";
import { moving, parentIdOf, parentRecord, present, sameId, textAt } from "./attribute-values";
import {
  deploymentRuns,
  deploymentStanding,
  pollDeployment,
  queuedFor,
  sourceStanding,
} from "./deployment-status";

function deploymentReaction(context: ReactionContext): string | null | undefined {
  const { declared, recorded, upstream } = context;
  const when = declared.get("when") ?? "changed";
  if (when === "never" || (isArchived(context) && context.parentDeclares?.("archived") !== false))
    return null;
  if (when === "always") return "always";
  // Without its pin, the configured branch is to serve.
  if (recorded?.applied.commit !== undefined && !declared.has("commit")) return "commit is not pinned";
  const changing = upstream.filter(({ changes }) => changes);
  if (changing.length > 0) return `${listed(changing)} ${changing.length === 1 ? "changes" : "change"}`;
  const inputs = recorded?.inputs ?? {};
  const written = upstream.filter(({ id, writes }) => writes !== ((id === undefined ? 0 : inputs[id]) ?? 0));
  // A deployment that failed is recorded without inputs.
  const hasFailed = recorded?.inputs && !recorded.rolledBack && Object.keys(inputs).length === 0;
  if (written.length > 0)
    return hasFailed ? "its last deployment failed" : `${listed(written)} changed since the last deploy`;
  const removed = Object.keys(inputs).filter((id) => !upstream.some((resource) => resource.id === id)).length;
  if (removed === 0) return undefined;
  return removed === 1 ? "a variable is removed" : `${removed} variables are removed`;
}

/** An archived service takes no deployment (interface, "Service"). */
const isArchived = ({ parent }: ReactionContext): boolean => parent?.get("archived") === true;

/** `the service and its LOG_LEVEL`, `its 2 variables`. */
function listed(upstream: readonly Upstream[]): string {
  const variables = upstream.filter(({ address }) => typeOf(address) === "variable");
  const [{ name, address } = { address: "" }] = variables;
  const own = variables.length > 1 ? `${variables.length} variables` : (name ?? address);
  const service = variables.length < upstream.length ? ["the service"] : [];
  return [...service, ...(variables.length > 0 ? [`its ${own}`] : [])].join(" and ");
}

const defaultTimeout = "30m";

const schema = z.strictObject({
  when: z
    .enum(["changed", "always", "never"])
    .optional()
    .describe(
      "Deploy when something of the service changed (`changed`, the default), in every run (`always`) or in none (`never`).",
    ),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/, "expected 40 to 64 lowercase hexadecimal digits")
    .optional()
    .describe("Commit that must serve; the configured branch unless given."),
  wait: z.boolean().optional().describe("Wait until the deployment has ended. Default: true."),
  timeout: z
    .string()
    .regex(durationPattern, "expected a duration such as 30m, 90s or 1h30m")
    .optional()
    .describe(`How long to wait, such as \`45m\`. Default: ${defaultTimeout}.`),
});

type DeploymentBlock = z.infer<typeof schema>;

const rules: RulesOf<DeploymentBlock, "serviceId"> = {
  serviceId: { change: "replace", equal: sameId },
  commit: { change: "update", effects: ["deploys"] },
  when: { change: "local" },
  wait: { change: "local" },
  timeout: { change: "local" },
};

const computed = {
  id: { valueType: "string", doc: "Id of the deployment that serves.", stable: false },
  commitSha: {
    valueType: "string",
    doc: "Commit of that deployment, where it is known.",
    stable: false,
    pinnedBy: "commit",
  },
  latestId: {
    valueType: "string",
    doc: "Id of the latest deployment, which may not serve.",
    ...moving,
    holdsId: true,
  },
} as const satisfies ResourceType["computed"];

/** The deployment of a service: at most one per service and run, after everything else (interface, "Deployment"). */
export const deployment: Resource = {
  type: "deployment",
  doc: "Deploys its service once per run, after the service and its variables have changed.",
  schema,
  rules,
  computed,
  groups: [],
  manifest: { key: "deploy", within: ["service"], shape: "single", implicit: true },
  parents: [{ type: "service", attribute: "serviceId" }],
  follows: ["variable"],
  defaults: () => new Map(),
  check: checkSource,
  read,
  list: async () => [],
  poll: pollDeployment,
  candidates,
  create: queue,
  update: queue,
  reacts: {
    reason: deploymentReaction,
    held: (context) => (isArchived(context) ? "its service is archived" : undefined),
    waitPolicy,
  },
  runs: { pendingOf, ...deploymentRuns },
  removal: "forget",
  removedWithParent: true,
  // A deployment is history: it is forgotten, not undone.
  remove: async (_writes, input) => ({ id: input.id }),
};

/** Warns of a service without a repository. Its other sources are not shown (interface, "Service"). */
function checkSource(
  _: unknown,
  { databasePlans, defaults }: Catalog,
  around?: CheckContext,
): readonly Finding[] {
  const { parent } = around ?? {};
  const kind = parent && textAt(parent, "kind");
  const sourceType = parent?.get("configuration.sourceType") ?? defaults.sourceType;
  const repository = parent?.get("configuration.repository") ?? "";
  if (!parent || sourceType !== "repository" || repository !== "") return [];
  if (databasePlans.some(({ kinds }) => kind !== undefined && kinds.includes(kind))) return [];
  const hint = "write configuration.repository, the URL of a Git repository";
  return [{ code: "plan.no_source", summary: "its service has no source to deploy", hint, isWarning: true }];
}

function waitPolicy(declared: ReadonlyMap<string, ResolvedValue>): WaitPolicy {
  const timeout = textAt(declared, "timeout") ?? defaultTimeout;
  return { wait: declared.get("wait") !== false, timeoutMs: parseDuration(timeout) ?? 0 };
}

function pendingOf(id: string, serviceId: string | undefined, attributes: AttributeLookup): Pending {
  return { kind: "deployment", id, serviceId, commit: textAt(attributes, "commit") };
}

function liveDeployment(
  serviceId: string,
  shown: Pick<LiveResource, "id" | "name" | "asOf" | "standing">,
  { commit, latestId }: { readonly commit: string | undefined; readonly latestId: string | undefined },
): LiveResource {
  return {
    ...shown,
    type: "deployment",
    parentId: serviceId,
    attributes: present({ serviceId, commit }),
    computed: present({ id: shown.id, commitSha: commit, latestId }),
  };
}

const commitOf = (found: Deployment | undefined): string | undefined => found?.commitSha || undefined;

async function read(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  const parent = await parentRecord(target, "serviceId", (id) => reads.service(id));
  if (parent.kind !== "found") return parent;
  const { id: serviceId, record: shown, missing } = parent;
  const latestId = shown.deploymentId ?? undefined;
  const liveId = shown.liveDeploymentId ?? undefined;
  const id = liveId ?? latestId;
  if (id === undefined) return missing;
  const { commit, latest, serving } = await detailsOf(reads, target, serviceId, { id, liveId, latestId });
  const found = deploymentStanding({ liveId, latestId, latest, recorded: target.recorded });
  const ofBranch = target.declared.has("commit") ? undefined : sourceStanding(shown, serving);
  // With `when: never` its failures are those of another user.
  const never = target.declared.get("when") === "never" ? ({ class: "running" } as const) : {};
  const standing = [found, ofBranch].flatMap((each) => (each ? [{ ...each, ...never }] : []));
  const reported = { id, name: target.name, standing: standing.length > 0 ? standing : undefined };
  return { kind: "found", live: liveDeployment(serviceId, reported, { commit, latestId }) };
}

/** Reads a declared, unrecorded serving commit, and a latest deployment that is not ours or does not serve. */
async function detailsOf(
  reads: Reads,
  target: ReadTarget,
  serviceId: string,
  { id, liveId, latestId }: { readonly id: string; readonly liveId?: string; readonly latestId?: string },
): Promise<{ readonly commit?: string; readonly latest?: Deployment; readonly serving?: Deployment }> {
  const { recorded, declared } = target;
  const applied = recorded?.applied.commit;
  const known = recorded?.id === id && typeof applied === "string" ? applied : undefined;
  const asksCommit = known === undefined && (applied !== undefined || declared.has("commit"));
  const isOther = recorded !== undefined && recorded.id !== latestId;
  const asksOther = isOther && mayReadMore(reads);
  const get = (deploymentId: string) => reads.deployment(serviceId, deploymentId);
  const serving = asksCommit || (asksOther && recorded.id !== id) ? await get(id) : undefined;
  const commit = known ?? (asksCommit ? commitOf(serving) : undefined);
  if (latestId === undefined || (latestId === liveId && !asksOther)) return { commit, serving };
  return { commit, serving, latest: serving && latestId === id ? serving : await get(latestId) };
}

/** Most unrecorded releases that a plan reads: all of them, where services deploy themselves. */
const mostReleases = 100;
const readReleases = new WeakMap<Reads["live"], number>();

function mayReadMore({ live }: Reads): boolean {
  const count = readReleases.get(live) ?? 0;
  readReleases.set(live, count + 1);
  return count < mostReleases;
}

async function queue(writes: Endpoints, input: CreateInput | UpdateInput): Promise<Accepted> {
  const serviceId = parentIdOf(input, "serviceId");
  const commitSha = textAt(input.attributes, "commit");
  const queued = await writes.queueDeployment(serviceId, { commitSha });
  const live = queuedDeployment(queued, serviceId, input.name);
  return { id: live.id, live, pending: pendingOf(live.id, serviceId, input.attributes) };
}

function queuedDeployment(queued: Deployment, serviceId: string, name: string): LiveResource {
  const { id, createdAt } = queued;
  const shown = { id, name, asOf: createdAt ?? undefined };
  return liveDeployment(serviceId, shown, { commit: commitOf(queued), latestId: id });
}

/** Returns the deployments of a service. For a request it is the newest possible result, which deploys all changes. */
async function candidates(
  reads: Reads,
  search: CandidateSearch,
): Promise<readonly LiveResource[] | undefined> {
  const { parentId: serviceId, name, since, body, declared = new Map() } = search;
  if (serviceId === undefined) return [];
  const { commitSha: commit = textAt(declared, "commit") } = (body ?? {}) as { readonly commitSha?: string };
  const isRequest = (since ?? body ?? search.declared) !== undefined;
  const changedAt = isRequest ? reads.changedAt(serviceId) : undefined;
  const queued = await queuedFor(reads, serviceId, { commit, changedAt });
  if (queued === undefined) return (await reads.service(serviceId)).kind === "gone" ? [] : undefined;
  const isRollback = ({ sourceDeploymentId }: Deployment): boolean => sourceDeploymentId != null;
  // A deployment that is older than a rollback does not serve.
  const end = isRequest ? -1 : queued.findIndex(isRollback);
  const found = queued.slice(0, end === -1 ? undefined : end).filter((each) => !isRollback(each));
  return found.slice(0, isRequest ? 1 : undefined).map((each) => queuedDeployment(each, serviceId, name));
}
