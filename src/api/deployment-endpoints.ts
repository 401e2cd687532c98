import { ApiError } from "./api-error";
import { type EndpointCall, pathSegment, turnedOff } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { gapVariable } from "./gaps";
import { cancelAnswer, deploymentAnswer, deploymentsAnswer } from "./wire/deployment";

type DeploymentEndpoints = Pick<
  Endpoints,
  "listDeployments" | "getDeployment" | "queueDeployment" | "cancelDeployment" | "rollBack"
>;

/** Interface, "Deployments", and the gap "roll back". */
export function deploymentEndpoints({ path, gaps, read, write }: EndpointCall): DeploymentEndpoints {
  return {
    listDeployments: (id, page = {}) =>
      read(deploymentsAnswer, "listDeployments", path("services", id, "deploys"), {
        ...(page.limit === undefined ? {} : { limit: String(page.limit) }),
        ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
      }),
    getDeployment: async (id, deploymentId) =>
      (await read(deploymentAnswer, "getDeployment", path("services", id, "deploys", deploymentId)))
        .deployment,
    queueDeployment: async (id, body) =>
      (
        await write(deploymentAnswer, {
          operation: "queueDeployment",
          method: "POST",
          path: path("services", id, "deploys"),
          body,
        })
      ).deployment,
    cancelDeployment: async (id, deploymentId) => {
      await write(cancelAnswer, {
        operation: "cancelDeployment",
        method: "POST",
        path: path("services", id, "deploys", deploymentId, "cancel"),
        body: {},
      });
    },
    rollBack: async (id, deploymentId, confirm) => {
      const template = gaps.rollBack.replace("{deploymentId}", pathSegment(deploymentId, 1));
      const request = {
        operation: "rollBack",
        method: "POST" as const,
        path: `${path("services", id)}${template}`,
        body: { confirm },
      };
      if (gaps.rollBack === "off") throw turnedOff({ ...request, path: path("services", id) }, "rollBack");
      try {
        return (await write(deploymentAnswer, request)).deployment;
      } catch (failure) {
        throw failure instanceof ApiError && (failure.status === 404 || failure.status === 405)
          ? pointToDashboard(failure)
          : failure;
      }
    },
  };
}

const pointToDashboard = (failure: ApiError): ApiError =>
  new ApiError(
    {
      ...failure,
      message:
        `${failure.message}; if the deployment exists, the service has no rollback at this path: roll back in its ` +
        `dashboard, or name the path with ${gapVariable("rollBack")}`,
    },
    failure.cause,
  );
