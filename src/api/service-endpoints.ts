import type { ZodType } from "zod";
import { type EndpointCall, turnedOff } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { operationIn } from "./gaps";
import { malformed, parseAnswer } from "./parse-answer";
import type { ApiRequest } from "./send";
import { updateService } from "./update-service";
import { deletion, operation } from "./wire/common";
import { deploymentAnswer } from "./wire/deployment";
import { isServiceAnswer } from "./wire/is-canvas";
import { actionAnswer, serviceAnswer } from "./wire/service";

type ServiceEndpoints = Pick<
  Endpoints,
  "getService" | "createService" | "updateService" | "deleteService" | "archiveService" | "restoreService"
>;

/** Interface, "Services", and the gaps "read one service" and "change a service". */
export function serviceEndpoints(call: EndpointCall): ServiceEndpoints {
  const { send, path, gaps, learned, write } = call;
  const flag = (operation: string, id: string, verb: string) =>
    write(serviceAnswer, { operation, method: "POST", path: path("services", id, verb), body: {} });
  return {
    getService: async (id) => {
      const request: ApiRequest = {
        operation: "getService",
        method: "GET",
        path: path("services", id),
        keyed: false,
      };
      if (gaps.readService === "off") throw turnedOff(request, "readService");
      const response = await send(request);
      const { service } = parseAnswer(serviceAnswer, request, response);
      if (service.id.toLowerCase() !== id.toLowerCase())
        throw malformed(request, response, `service.id is not ${id}`);
      return service;
    },
    createService: async (draft) =>
      (
        await write(
          serviceAnswer,
          { operation: "createService", method: "POST", path: path("services"), body: draft },
          isServiceAnswer,
        )
      ).service,
    updateService: (id, change) =>
      updateService(
        async (body) =>
          (
            await write(
              serviceAnswer,
              { operation: "updateService", method: "PATCH", path: path("services", id), body },
              isServiceAnswer,
            )
          ).service,
        change,
        gaps.patchService,
        learned,
      ),
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

type ActionEndpoints = Pick<Endpoints, "runAction" | "runDeployAction" | "getOperation">;

/** Interface, "Services": actions and the operations they queue. */
export function actionEndpoints({ send, path, gaps, write }: EndpointCall): ActionEndpoints {
  const run = <T>(schema: ZodType<T>, operationName: string, id: string, action: string) =>
    write(schema, {
      operation: operationName,
      method: "POST",
      path: path("services", id, "actions"),
      body: { action },
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
