import * as z from "zod";
import type { GapSwitches } from "../behaviour";
import type { Call, Route } from "../call";
import { changeableServiceOf, deploymentOf, gapRoute, paginate, serviceOf, shownServiceOf } from "../call";
import {
  isTerminal,
  putDeployment,
  queueAsked,
  queueDeployment,
  requireDeployable,
  stageMs,
} from "../queued-work";
import { conflict, parseBody, requireConfirmation, requireEmptyBody } from "../refusal";
import { canRollBack, deploymentView } from "../response-views";

function list(call: Call) {
  const service = shownServiceOf(call, "deletingParts");
  const { world } = call;
  if (world.switches.conditions.has("hosting-off") && service.runtime === "none") {
    const { page } = paginate(call, []);
    return { available: false, items: [], page, reason: "Hosting is disabled and there is no runtime" };
  }
  const newestFirst = world.store.ofService("deployments", service.id).reverse();
  const { items, page } = paginate(call, newestFirst);
  return { available: true, items: items.map((item) => deploymentView(world, item)), page, reason: "" };
}

const creation = z.strictObject({
  commitSha: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/, "must be 40 to 64 lowercase hexadecimal characters")
    .optional(),
  requestId: z.string().min(1).optional(),
});

function queue(call: Call) {
  const service = changeableServiceOf(call);
  const { commitSha, requestId } = parseBody(creation, call.body);
  const { world } = call;
  requireDeployable(world, service);
  requireNoLegacyDeployment(call, service.id, call.idempotencyKey ?? requestId);
  const legacyKey = call.idempotencyKey === undefined ? requestId : undefined;
  const { actor } = call.credential;
  const deployment = queueAsked(world, service, { actor, commitSha, legacyKey });
  return { deployment: deploymentView(world, deployment) };
}

/** Idempotency rule 5: a key from before receipts is never deployed again. */
function requireNoLegacyDeployment(call: Call, serviceId: string, key: string | undefined): void {
  if (key === undefined) return;
  const deployments = call.world.store.ofService("deployments", serviceId);
  if (deployments.some((deployment) => deployment.legacyKey === key))
    throw conflict("idempotency_legacy_conflict", "A deployment of this key exists without a receipt");
}

function cancel(call: Call) {
  requireEmptyBody(call.body);
  const { world } = call;
  const deployment = deploymentOf(call, serviceOf(call));
  if (isTerminal(deployment.status))
    throw conflict("deployment_terminal", `The deployment is already ${deployment.status}`);
  const dueAt = Math.min(deployment.dueAt ?? Number.POSITIVE_INFINITY, world.clock.now() + stageMs(world));
  putDeployment(world, { ...deployment, cancelRequested: true, dueAt });
  return { cancelRequested: true };
}

const rollingBack = z.looseObject({ deploymentId: z.string().optional() });

function rollBack(call: Call) {
  const service = changeableServiceOf(call);
  const { deploymentId = call.params.deploymentId, ...body } = parseBody(rollingBack, call.body);
  const source = deploymentOf(call, service, deploymentId);
  requireConfirmation(body, service.name);
  requireDeployable(call.world, service);
  if (!canRollBack(call.world, source))
    throw conflict("rollback_unavailable", "The deployment is not a retained successful release");
  const deployment = queueDeployment(call.world, service, {
    actor: call.credential.actor,
    trigger: "rollback",
    commitSha: source.commitSha,
    sourceDeploymentId: source.id,
  });
  return { deployment: deploymentView(call.world, deployment) };
}

const all = "/workspaces/{workspaceId}/services/{serviceId}/deploys";

/** Interface, "Deployments". */
export const deploymentRoutes: readonly Route[] = [
  { method: "GET", path: all, shows: "deployments", handle: list },
  { method: "POST", path: all, key: "accepted", handle: queue },
  {
    method: "GET",
    path: `${all}/{deploymentId}`,
    shows: "deployments",
    handle: (call) => ({
      deployment: deploymentView(call.world, deploymentOf(call, shownServiceOf(call, "deletingParts"))),
    }),
  },
  { method: "POST", path: `${all}/{deploymentId}/cancel`, key: "accepted", handle: cancel },
];

/** Gap "roll back": the deployment is named in the path, or as `deploymentId` in the body. */
export const rollBackRoutes = ({ rollback, routeKeys }: GapSwitches): readonly Route[] =>
  gapRoute(rollback, "/services/{serviceId}/deploys/{deploymentId}/rollback", {
    method: "POST",
    key: routeKeys,
    handle: rollBack,
  });
