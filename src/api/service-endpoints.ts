import { type Plain, plainEqual } from "../model/value";
import { ApiError } from "./api-error";
import type { DetectedPatchFormat, EndpointCall, Endpoints, ServiceDraft } from "./endpoints";
import { fillBody, pathUnder, readingOperation, turnedOff, underGap, wrappedAs } from "./gap-rules";
import type { GapSettings } from "./gaps";
import { aboutDeletion, shows } from "./parse-answer";
import { type About, type ApiRequest, requestOf } from "./send";
import {
  actionAnswer,
  cancelAnswer,
  type Deployment,
  deletion,
  deploymentAnswer,
  deploymentsAnswer,
  operationAnswer,
  patchAnswer,
  type Service,
  serviceAnswer,
} from "./wire/shapes";

type Body = Readonly<Record<string, unknown>>;

/** Interface, "Services", and the gaps "read one service" and "change a service". */
export function serviceEndpoints(call: EndpointCall) {
  const { path, gaps, detected, write } = call;
  const getService = (id: string) => readService(call, id);
  const post = async (operation: string, id: string, verb: string): Promise<Service> => {
    const request = requestOf(operation, "POST", path("services", id, verb), { body: {} });
    return (await write(serviceAnswer, request, { about: shows("service", { id }) })).service;
  };
  return {
    getService,
    createService: async (draft) => {
      const request = requestOf("createService", "POST", path("services"), { body: draft });
      const aboutService = shows("service", askedBy(draft));
      const about = (answer: { readonly service: Service }) => ({
        ...aboutService(answer),
        createdAt: answer.service.createdAt ?? undefined,
      });
      return (await write(serviceAnswer, request, { about })).service;
    },
    updateService: (id, change) => {
      const method = gaps.patchServiceMethod as ApiRequest["method"];
      const changed = pathUnder(path, gaps.patchServicePath, { serviceId: id });
      const request = requestOf("updateService", method, changed, keyOnGapRoute(gaps));
      const patch = async (body: Body): Promise<Service> => {
        const reading = {
          inner: (answered: unknown) => wrappedAs("service", answered, gaps.serviceAnswer),
          about: shows("service", { id }),
        };
        const answer = await write(patchAnswer, { ...request, body }, reading);
        // A change that was accepted without being shown is read.
        return answer.service ?? getService(id);
      };
      return updateService(patch, change, gaps.patchService, detected);
    },
    deleteService: (id, confirm) => {
      const request = requestOf("deleteService", "DELETE", path("services", id), { body: { confirm } });
      return write(deletion, request, { about: aboutDeletion });
    },
    archiveService: (id) => post("archiveService", id, "archive"),
    restoreService: (id) => post("restoreService", id, "restore"),
  } satisfies Partial<Endpoints>;
}

const askedBy = ({ name, kind, projectId }: ServiceDraft) => ({ name, kind, projectId: projectId ?? null });

/** Gap "keys on undocumented routes". */
const keyOnGapRoute = ({ routeKeys }: GapSettings): Pick<ApiRequest, "omitsKey"> =>
  routeKeys === "off" ? { omitsKey: true } : {};

/** Gap "read one service". */
async function readService({ path, gaps, read }: EndpointCall, id: string): Promise<Service> {
  const service = requestOf("getService", "GET", path("services", id));
  if (gaps.readService === "off") throw turnedOff(service, "readService");
  const request = { ...service, path: pathUnder(path, gaps.readService, { serviceId: id }) };
  try {
    const answer = await read(serviceAnswer, request, {
      inner: (body) => wrappedAs("service", body, gaps.serviceAnswer),
      about: shows("service", { id }),
    });
    return answer.service;
  } catch (failure) {
    throw underGap(failure, "read one service");
  }
}

/** Interface, "Services": actions and the operations they queue. */
export function actionEndpoints({ path, gaps, read, write }: EndpointCall) {
  const run = (operationName: string, id: string, action: string): ApiRequest =>
    requestOf(operationName, "POST", path("services", id, "actions"), {
      body: { action },
      hostedBy: path("services", id, "deploys"),
    });
  return {
    runAction: async (id, action) => {
      const about = shows("operation", {});
      return (await write(actionAnswer, run("runAction", id, action), { about })).operation;
    },
    runDeployAction: async (id, action) =>
      (await write(deploymentAnswer, run("runDeployAction", id, action), { about: aboutQueued })).deployment,
    getOperation: async (id, operationId) => {
      const request = requestOf("getOperation", "GET", path("services", id, "operations", operationId));
      return (await read(operationAnswer, request, readingOperation(operationId, gaps))).operation;
    },
  } satisfies Partial<Endpoints>;
}

type ServiceChange = Parameters<Endpoints["updateService"]>[1];

/**
 * Gap "change a service": sends the nested body, the flat body, or a body of the user's. `auto` tries the flat body once
 * after a 400, or where no field took, and keeps to it when the answer shows that it took. Otherwise the first answer
 * stands.
 */
async function updateService(
  patch: (body: Body) => Promise<Service>,
  change: ServiceChange,
  setting: string,
  detected: DetectedPatchFormat,
): Promise<Service> {
  try {
    return await updateInForm(patch, change, setting, detected);
  } catch (failure) {
    // A body that took before is right; its refusal now is about the values.
    throw detected.patchService === undefined ? underGap(failure, "change a service") : failure;
  }
}

async function updateInForm(
  patch: (body: Body) => Promise<Service>,
  { name, configuration }: ServiceChange,
  setting: string,
  detected: DetectedPatchFormat,
): Promise<Service> {
  if (setting.startsWith("{")) return patch(fillBody(setting, { name, configuration }));
  const common = name === undefined ? {} : { name };
  if (configuration === undefined) return patch(common);
  const bodies = { nested: { ...common, configuration }, flat: { ...common, ...configuration } };
  const form = setting === "auto" ? detected.patchService : setting;
  if (form !== undefined) {
    const known = form === "flat" ? "flat" : "nested";
    const service = await patch(bodies[known]);
    detected.patchService = known;
    return service;
  }
  let first: Service | ApiError | undefined;
  for (const tried of ["nested", "flat"] as const) {
    const answer = await answerOrRefusal(patch(bodies[tried]));
    if (!(answer instanceof ApiError) && tookAny(configuration, answer)) {
      detected.patchService = tried;
      return answer;
    }
    first ??= answer;
  }
  if (first instanceof ApiError) throw first;
  return first as Service;
}

/** Returns the service as answered, or the 400 that refuses the body; throws any other failure. */
async function answerOrRefusal(asked: Promise<Service>): Promise<Service | ApiError> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof ApiError && failure.kind === "refused" && failure.status === 400) return failure;
    throw failure;
  }
}

const tookAny = (sent: Body, service: Service): boolean =>
  Object.entries(sent).some(([field, value]) =>
    plainEqual(value as Plain, service.configuration[field] as Plain),
  );

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
      return read(deploymentsAnswer, requestOf("listDeployments", "GET", deploys(id), { query }));
    },
    getDeployment: async (id, deploymentId) => {
      const request = requestOf("getDeployment", "GET", deploys(id, deploymentId));
      const about = shows("deployment", { id: deploymentId });
      return (await read(deploymentAnswer, request, { about })).deployment;
    },
    queueDeployment: async (id, body) => {
      const request = requestOf("queueDeployment", "POST", deploys(id), { body, hostedBy: deploys(id) });
      return (await write(deploymentAnswer, request, { about: aboutQueued })).deployment;
    },
    cancelDeployment: async (id, deploymentId) => {
      const cancel = deploys(id, deploymentId, "cancel");
      await write(cancelAnswer, requestOf("cancelDeployment", "POST", cancel, { body: {} }));
    },
    rollBack: (id, deploymentId, confirm) => rollBack(call, id, deploymentId, confirm),
  } satisfies Partial<Endpoints>;
}

/** Reads the id of a queued deployment, and when it was queued. */
const aboutQueued = ({ deployment }: { readonly deployment: Deployment }): About => {
  const { id, createdAt } = deployment;
  return { id, ...(createdAt && { madeAt: createdAt }) };
};

/** Gap "roll back". */
async function rollBack(
  { path, gaps, write }: EndpointCall,
  id: string,
  deploymentId: string,
  confirm: string,
): Promise<Deployment> {
  const shared = requestOf("rollBack", "POST", path("services", id), {
    body: rollBackBody(gaps, deploymentId, confirm),
    hostedBy: path("services", id, "deploys"),
    ...keyOnGapRoute(gaps),
  });
  if (gaps.rollBack === "off") throw turnedOff(shared, "rollBack");
  const request = { ...shared, path: pathUnder(path, gaps.rollBack, { serviceId: id, deploymentId }) };
  try {
    const answer = await write(deploymentAnswer, request, {
      inner: (body) => wrappedAs("deployment", body, gaps.rollBackAnswer),
      about: aboutQueued,
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
