import type { EndpointCall, Endpoints } from "./endpoints";
import { fillBody, pathUnder, turnedOff, underGap, wrappedAs } from "./gap-rules";
import type { GapSettings } from "./gaps";
import { aboutShown, shows } from "./parse-answer";
import type { About } from "./send";
import { cancelAnswer, type Deployment, deploymentAnswer, deploymentsAnswer } from "./wire/shapes";

/** Interface, "Deployments", and the gap "roll back". */
export function deploymentEndpoints(call: EndpointCall) {
  const { path, read, write } = call;
  const deploys = (id: string, ...below: readonly string[]) => path("services", id, "deploys", ...below);
  return {
    listDeployments: (id, { limit, cursor } = {}) => {
      const query = {
        ...(limit === undefined ? {} : { limit: String(limit) }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      return read(deploymentsAnswer, { operation: "listDeployments", path: deploys(id), query });
    },
    getDeployment: async (id, deploymentId) => {
      const request = { operation: "getDeployment", path: deploys(id, deploymentId) };
      const about = shows("deployment", { id: deploymentId });
      return (await read(deploymentAnswer, request, { about })).deployment;
    },
    queueDeployment: async (id, body) => {
      const request = {
        operation: "queueDeployment",
        method: "POST",
        path: deploys(id),
        body,
        hostedBy: deploys(id),
      } as const;
      const answer = await write(deploymentAnswer, request, {
        about: ({ deployment }) => aboutQueued(deployment, body),
      });
      return answer.deployment;
    },
    cancelDeployment: async (id, deploymentId) => {
      const cancel = deploys(id, deploymentId, "cancel");
      const request = { operation: "cancelDeployment", method: "POST", path: cancel, body: {} } as const;
      await write(cancelAnswer, request, {});
    },
    rollBack: (id, deploymentId, confirm) => rollBack(call, id, deploymentId, confirm),
  } satisfies Partial<Endpoints>;
}

/** Compares a queued deployment with `asked`: it is no rollback, and of the commit asked for, where it names a commit. */
export const aboutQueued = (shown: Deployment, { commitSha }: { readonly commitSha?: string } = {}): About =>
  aboutMade({ ...shown, commitSha: shown.commitSha || undefined }, { commitSha, sourceDeploymentId: null });

const aboutMade = (shown: Deployment, asked: Parameters<typeof aboutShown>[2]): About => ({
  ...aboutShown("deployment", shown, asked),
  ...(shown.createdAt && { madeAt: shown.createdAt }),
});

/** Gap "roll back". Nothing says that its keys work: after a lost answer it is not sent again unless a setting does. */
async function rollBack(
  { path, gaps, write }: EndpointCall,
  id: string,
  deploymentId: string,
  confirm: string,
): Promise<Deployment> {
  const isOff = gaps.rollBack === "off";
  const request = {
    operation: "rollBack",
    method: "POST",
    path: isOff ? path("services", id) : pathUnder(path, gaps.rollBack, { serviceId: id, deploymentId }),
    body: rollBackBody(gaps, deploymentId, confirm),
    hostedBy: path("services", id, "deploys"),
    ...(gaps.routeKeys === "off" ? { omitsKey: true as const } : {}),
    ...(gaps.routeKeys === "on" ? {} : { sentOnce: true as const }),
  } as const;
  if (isOff) throw turnedOff(request, "rollBack");
  try {
    const answer = await write(deploymentAnswer, request, {
      inner: (body) => wrappedAs("deployment", body, gaps.rollBackAnswer),
      about: ({ deployment }) => aboutMade(deployment, { sourceDeploymentId: deploymentId }),
    });
    return answer.deployment;
  } catch (failure) {
    throw underGap(
      failure,
      "roll back",
      "the deployment may be no retained release any more; the dashboard shows those that are. Besides, ",
    );
  }
}

function rollBackBody(
  { rollBack: template, rollBackBody: setting }: GapSettings,
  deploymentId: string,
  confirm: string,
): Readonly<Record<string, unknown>> {
  if (setting !== "auto") return fillBody(setting, { confirm, deploymentId });
  return template.includes("{deploymentId}") ? { confirm } : { confirm, deploymentId };
}
