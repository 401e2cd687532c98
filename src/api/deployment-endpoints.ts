import type { EndpointCall, Endpoints } from "./endpoints";
import { fillBody, pathUnder, turnedOff, underGap, wrappedAs } from "./gap-rules";
import type { GapSettings } from "./gaps";
import { aboutThing } from "./parse-answer";
import type { About } from "./send";
import { cancelAnswer, type Deployment, deploymentAnswer, deploymentsAnswer } from "./wire/shapes";

type DeploymentEndpoints = Pick<
  Endpoints,
  "listDeployments" | "getDeployment" | "queueDeployment" | "cancelDeployment" | "rollBack"
>;

/** Interface, "Deployments", and the gap "roll back". */
export function deploymentEndpoints(call: EndpointCall): DeploymentEndpoints {
  const { path, read, write } = call;
  return {
    listDeployments: (id, page = {}) =>
      read(deploymentsAnswer, "listDeployments", path("services", id, "deploys"), {
        ...(page.limit === undefined ? {} : { limit: String(page.limit) }),
        ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
      }),
    getDeployment: async (id, deploymentId) =>
      (
        await read(
          deploymentAnswer,
          "getDeployment",
          path("services", id, "deploys", deploymentId),
          undefined,
          {
            about: ({ deployment }) => aboutThing("deployment", deployment, { id: deploymentId }),
          },
        )
      ).deployment,
    queueDeployment: async (id, body) =>
      (
        await write(
          deploymentAnswer,
          {
            operation: "queueDeployment",
            method: "POST",
            path: path("services", id, "deploys"),
            body,
            hostedBy: path("services", id, "deploys"),
          },
          { about: ({ deployment }) => aboutQueued(deployment, body) },
        )
      ).deployment,
    cancelDeployment: async (id, deploymentId) => {
      await write(
        cancelAnswer,
        {
          operation: "cancelDeployment",
          method: "POST",
          path: path("services", id, "deploys", deploymentId, "cancel"),
          body: {},
        },
        {},
      );
    },
    rollBack: (id, deploymentId, confirm) => rollBack(call, id, deploymentId, confirm),
  };
}

/** A deployment that was queued is no rollback, and of the commit that was asked for, where it names one. */
export const aboutQueued = (shown: Deployment, { commitSha }: { readonly commitSha?: string } = {}): About =>
  aboutMade({ ...shown, commitSha: shown.commitSha || undefined }, { commitSha, sourceDeploymentId: null });

const aboutMade = (shown: Deployment, asked: Parameters<typeof aboutThing>[2]): About => ({
  ...aboutThing("deployment", shown, asked),
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
