import type { ZodType } from "zod";
import { type EndpointCall, turnedOff } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { operationIn, wrappedAs } from "./gap-answers";
import { underGap } from "./gap-failure";
import { pathUnder } from "./gap-requests";
import { malformed, parseAnswer } from "./parse-answer";
import type { ApiRequest } from "./send";
import { updateService } from "./update-service";
import { deletion, operation } from "./wire/common";
import { deploymentAnswer } from "./wire/deployment";
import { isServiceAnswer } from "./wire/is-canvas";
import { actionAnswer, patchAnswer, type Service, serviceAnswer } from "./wire/service";

type ServiceEndpoints = Pick<
  Endpoints,
  "getService" | "createService" | "updateService" | "deleteService" | "archiveService" | "restoreService"
>;

/** Interface, "Services", and the gaps "read one service" and "change a service". */
export function serviceEndpoints(call: EndpointCall): ServiceEndpoints {
  const { path, gaps, learned, write } = call;
  const getService = (id: string) => readService(call, id);
  const flag = (operation: string, id: string, verb: string) =>
    write(serviceAnswer, { operation, method: "POST", path: path("services", id, verb), body: {} });
  return {
    getService,
    createService: async (draft) =>
      (
        await write(
          serviceAnswer,
          { operation: "createService", method: "POST", path: path("services"), body: draft },
          isServiceAnswer,
        )
      ).service,
    updateService: (id, change) => {
      const request = {
        operation: "updateService",
        method: "PATCH",
        path: pathUnder(path, gaps.patchServicePath, { serviceId: id }),
        ...(gaps.routeKeys === "off" ? { omitsKey: true as const } : {}),
      } as const;
      const patch = async (body: Readonly<Record<string, unknown>>) => {
        const answer = await write(patchAnswer, { ...request, body }, isServiceAnswer, (answered) =>
          wrappedAs("service", answered),
        );
        // What was accepted without being shown is read.
        return answer.service ?? getService(id);
      };
      return updateService(patch, change, gaps.patchService, learned);
    },
    deleteService: (id, confirm) =>
      write(deletion, {
        operation: "deleteService",
        method: "DELETE",
        path: path("services", id),
        body: { confirm },
      }),
    archiveService: async (id) => (await flag("archiveService", id, "archive")).service,
    restoreService: async (id) => (await flag("restoreService", id, "restore")).service,
  };
}

/** Gap "read one service". */
async function readService({ send, path, gaps }: EndpointCall, id: string): Promise<Service> {
  const isOff = gaps.readService === "off";
  const request: ApiRequest = {
    operation: "getService",
    method: "GET",
    path: isOff ? path("services", id) : pathUnder(path, gaps.readService, { serviceId: id }),
    keyed: false,
  };
  if (isOff) throw turnedOff(request, "readService");
  try {
    const response = await send(request);
    const { service } = parseAnswer(serviceAnswer, request, response, wrappedAs("service", response.body));
    if (service.id.toLowerCase() !== id.toLowerCase())
      throw malformed(request, response, `service.id is not ${id}`);
    return service;
  } catch (failure) {
    throw underGap(failure, "read one service");
  }
}

type ActionEndpoints = Pick<Endpoints, "runAction" | "runDeployAction" | "getOperation">;

/** Interface, "Services": actions and the operations they queue. */
export function actionEndpoints({ send, path, gaps, write }: EndpointCall): ActionEndpoints {
  const run = <T>(schema: ZodType<T>, operationName: string, id: string, action: string) =>
    write(schema, {
      operation: operationName,
      method: "POST",
      path: path("services", id, "actions"),
      body: { action },
      hostedBy: path("services", id, "deploys"),
    });
  return {
    runAction: async (id, action) => (await run(actionAnswer, "runAction", id, action)).operation,
    runDeployAction: async (id, action) =>
      (await run(deploymentAnswer, "runDeployAction", id, action)).deployment,
    getOperation: async (id, operationId) => {
      const request: ApiRequest = {
        operation: "getOperation",
        method: "GET",
        path: path("services", id, "operations", operationId),
        keyed: false,
      };
      const response = await send(request);
      return parseAnswer(operation, request, response, operationIn(response.body, gaps.operationBody));
    },
  };
}
