import { type Plain, plainEqual } from "../model/value";
import { ApiError } from "./api-error";
import { aboutQueued } from "./deployment-endpoints";
import type { DetectedPatchFormat, EndpointCall, Endpoints, ServiceDraft } from "./endpoints";
import { fillBody, operationIn, pathUnder, turnedOff, underGap, wrappedAs } from "./gap-rules";
import { aboutDeletion, aboutThing, ask } from "./parse-answer";
import type { About, ApiRequest } from "./send";
import {
  actionAnswer,
  deletion,
  deploymentAnswer,
  operation,
  patchAnswer,
  type Service,
  serviceAnswer,
} from "./wire/shapes";

type ServiceEndpoints = Pick<
  Endpoints,
  "getService" | "createService" | "updateService" | "deleteService" | "archiveService" | "restoreService"
>;

/** Interface, "Services", and the gaps "read one service" and "change a service". */
export function serviceEndpoints(call: EndpointCall): ServiceEndpoints {
  const { path, gaps, learned, write } = call;
  const getService = (id: string) => readService(call, id);
  const flag = (operation: string, id: string, verb: string) =>
    write(
      serviceAnswer,
      { operation, method: "POST", path: path("services", id, verb), body: {} },
      { about: ({ service }) => aboutThing("service", service, { id }) },
    );
  return {
    getService,
    createService: async (draft) =>
      (
        await write(
          serviceAnswer,
          { operation: "createService", method: "POST", path: path("services"), body: draft },
          { about: ({ service }) => aboutMade(service, draft) },
        )
      ).service,
    updateService: (id, change) => {
      const request = {
        operation: "updateService",
        method: gaps.patchServiceMethod as ApiRequest["method"],
        path: pathUnder(path, gaps.patchServicePath, { serviceId: id }),
        ...(gaps.routeKeys === "off" ? { omitsKey: true as const } : {}),
      } as const;
      const patch = async (body: Readonly<Record<string, unknown>>) => {
        const answer = await write(
          patchAnswer,
          { ...request, body },
          {
            inner: (answered) => wrappedAs("service", answered, gaps.serviceAnswer),
            about: ({ service }) => (service ? aboutThing("service", service, { id }) : {}),
          },
        );
        // What was accepted without being shown is read.
        return answer.service ?? getService(id);
      };
      return updateService(patch, change, gaps.patchService, learned);
    },
    deleteService: (id, confirm) =>
      write(
        deletion,
        { operation: "deleteService", method: "DELETE", path: path("services", id), body: { confirm } },
        { about: aboutDeletion },
      ),
    archiveService: async (id) => (await flag("archiveService", id, "archive")).service,
    restoreService: async (id) => (await flag("restoreService", id, "restore")).service,
  };
}

const aboutMade = (shown: Service, { name, kind, projectId }: ServiceDraft): About =>
  aboutThing("service", shown, { name, kind, projectId: projectId ?? null });

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
    const { service } = await ask(send, serviceAnswer, request, {
      inner: (body) => wrappedAs("service", body, gaps.serviceAnswer),
      about: (shown) => aboutThing("service", shown.service, { id }),
    });
    return service;
  } catch (failure) {
    throw underGap(failure, "read one service");
  }
}

type ActionEndpoints = Pick<Endpoints, "runAction" | "runDeployAction" | "getOperation">;

/** Interface, "Services": actions and the operations they queue. */
export function actionEndpoints({ send, path, gaps, write }: EndpointCall): ActionEndpoints {
  const run = (operationName: string, id: string, action: string) => ({
    operation: operationName,
    method: "POST" as const,
    path: path("services", id, "actions"),
    body: { action },
    hostedBy: path("services", id, "deploys"),
  });
  return {
    // "For an action, the action name" (interface, "Operation").
    runAction: async (id, action) =>
      (
        await write(actionAnswer, run("runAction", id, action), {
          about: (shown) => aboutThing("operation", shown.operation, { kind: action }),
        })
      ).operation,
    runDeployAction: async (id, action) =>
      (
        await write(deploymentAnswer, run("runDeployAction", id, action), {
          about: ({ deployment }) => aboutQueued(deployment),
        })
      ).deployment,
    getOperation: async (id, operationId) => {
      const request: ApiRequest = {
        operation: "getOperation",
        method: "GET",
        path: path("services", id, "operations", operationId),
        keyed: false,
      };
      return ask(send, operation, request, {
        inner: (body) => operationIn(body, gaps.operationBody),
        about: (shown) => aboutThing("operation", shown, { id: operationId }),
      });
    },
  };
}

type ServiceChange = Parameters<Endpoints["updateService"]>[1];

/**
 * Gap "change a service": the nested body, the flat one, or one of the user's; `auto` tries the flat one once after a
 * 400, or where no field took, and keeps to it when the answer shows that it took. Otherwise the first answer stands.
 */
async function updateService(
  patch: (body: Readonly<Record<string, unknown>>) => Promise<Service>,
  change: ServiceChange,
  setting: string,
  learned: DetectedPatchFormat,
): Promise<Service> {
  try {
    return await updateInForm(patch, change, setting, learned);
  } catch (failure) {
    // A body that took before is right; its refusal now is about the values.
    throw learned.patchService === undefined ? underGap(failure, "change a service") : failure;
  }
}

async function updateInForm(
  patch: (body: Readonly<Record<string, unknown>>) => Promise<Service>,
  change: ServiceChange,
  setting: string,
  learned: DetectedPatchFormat,
): Promise<Service> {
  const { name, configuration } = change;
  if (setting.startsWith("{")) return patch(fillBody(setting, { name, configuration }));
  const common = name === undefined ? {} : { name };
  if (configuration === undefined) return patch(common);
  const nested = { ...common, configuration };
  const flat = { ...common, ...configuration };
  const form = setting === "auto" ? learned.patchService : setting;
  if (form !== undefined) {
    const service = await patch(form === "flat" ? flat : nested);
    learned.patchService = form === "flat" ? "flat" : "nested";
    return service;
  }
  const first = await answerOrRefusal(patch(nested));
  if (!(first instanceof ApiError) && tookAny(configuration, first)) {
    learned.patchService = "nested";
    return first;
  }
  const second = await answerOrRefusal(patch(flat));
  if (!(second instanceof ApiError) && tookAny(configuration, second)) {
    learned.patchService = "flat";
    return second;
  }
  if (first instanceof ApiError) throw first;
  return first;
}

/** The service as answered, or the 400 that refuses the body; throws any other failure. */
async function answerOrRefusal(asked: Promise<Service>): Promise<Service | ApiError> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof ApiError && failure.kind === "refused" && failure.status === 400) return failure;
    throw failure;
  }
}

const tookAny = (sent: Readonly<Record<string, unknown>>, service: Service): boolean =>
  Object.entries(sent).some(([field, value]) =>
    plainEqual(value as Plain, service.configuration[field] as Plain),
  );
