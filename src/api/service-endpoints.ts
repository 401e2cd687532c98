import { type Plain, plainEqual } from "../model/value";
import { type EndpointCall, patchInForm } from "./endpoint-call";
import { fillBody, pathUnder, readingOperation, routeOffError, withGapHint, wrapIn } from "./gap-rules";
import type { GapSettings } from "./gaps";
import { deletionSubject, shows } from "./parse-answer";
import { type About, type ApiRequest, requestOf } from "./request";
import {
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

export interface ServiceDraft {
  readonly name: string;
  readonly kind: string;
  readonly configuration: Body;
  /** False saves without deploying. */
  readonly deploy: boolean;
  /** Given together with `environmentId`, or neither. */
  readonly projectId?: string;
  readonly environmentId?: string;
}

export interface ServiceChange {
  readonly name?: string;
  readonly configuration?: Body;
}

/** Interface, "Services", and the gaps "read one service" and "change a service". */
export function serviceEndpoints(call: EndpointCall) {
  const { path, gaps, detected, ask, show } = call;
  const post = (operation: string, id: string, verb: string) => {
    const request = requestOf(operation, "POST", path("services", id, verb), { body: {} });
    return show("service", serviceAnswer, request, { asked: { id } });
  };
  return {
    getService: (id: string) => getService(call, id),
    createService: (draft: ServiceDraft) => {
      const request = requestOf("createService", "POST", path("services"), { body: draft });
      const { kind, projectId = null } = draft;
      const aboutService = shows("service", { kind, projectId });
      const about = (answer: { readonly service: Service }) => ({
        ...aboutService(answer),
        createdAt: answer.service.createdAt ?? undefined,
      });
      return show("service", serviceAnswer, request, { about });
    },
    /** Sends the nested body, the flat body, or a body of the user's. */
    updateService: (id: string, { name, configuration }: ServiceChange): Promise<Service> => {
      const method = gaps.patchServiceMethod as ApiRequest["method"];
      const changed = pathUnder(path, gaps.patchServicePath, { serviceId: id });
      const request = requestOf("updateService", method, changed, keyOnGapRoute(gaps));
      const inner = (body: unknown) => wrapIn("service", body, gaps.serviceAnswer);
      const bodyIn = (form: string): Body => {
        if (form.startsWith("{")) return fillBody(form, { name, configuration });
        return form === "flat" ? { name, ...configuration } : { name, configuration };
      };
      // A name alone is the same in both, and says nothing of the form.
      const both = configuration !== undefined;
      return patchInForm(both ? detected : { ...detected }, {
        gap: "change a service",
        known: "patchService",
        setting: gaps.patchService,
        assumed: both ? ["nested", "flat"] : ["nested"],
        send: async (form) => {
          const patch = { ...request, body: bodyIn(form) };
          const shown = await show("service", patchAnswer, patch, { inner, asked: { id } });
          // A change that was accepted without being shown is read.
          return shown ?? getService(call, id);
        },
        isApplied: (service) => configuration === undefined || isAnyApplied(configuration, service),
      });
    },
    deleteService: (id: string, confirm: string) => {
      const request = requestOf("deleteService", "DELETE", path("services", id), { body: { confirm } });
      return ask(deletion, request, { about: deletionSubject });
    },
    archiveService: (id: string) => post("archiveService", id, "archive"),
    restoreService: (id: string) => post("restoreService", id, "restore"),
  };
}

/** Gap "keys on undocumented routes". */
const keyOnGapRoute = ({ routeKeys }: GapSettings): Pick<ApiRequest, "omitsKey"> =>
  routeKeys === "off" ? { omitsKey: true } : {};

/** Gap "read one service". */
async function getService({ path, gaps, show }: EndpointCall, id: string): Promise<Service> {
  const service = requestOf("getService", "GET", path("services", id));
  if (gaps.readService === "off") throw routeOffError(service, "readService");
  const request = { ...service, path: pathUnder(path, gaps.readService, { serviceId: id }) };
  const inner = (body: unknown) => wrapIn("service", body, gaps.serviceAnswer);
  try {
    return await show("service", serviceAnswer, request, { inner, asked: { id } });
  } catch (failure) {
    throw withGapHint(failure, "read one service");
  }
}

/** Interface, "Services": actions and the operations they queue. */
export function actionEndpoints({ path, gaps, show }: EndpointCall) {
  const run = (operationName: string, id: string, action: string): ApiRequest =>
    requestOf(operationName, "POST", path("services", id, "actions"), { body: { action } });
  return {
    runAction: (id: string, action: "restart" | "suspend" | "resume") =>
      show("operation", operationAnswer, run(`${action} the service`, id, action)),
    clearCache: (id: string) => {
      const request = run("deploy without the cache", id, "clear-cache");
      return show("deployment", deploymentAnswer, request, { about: deploymentSubject });
    },
    getOperation: (id: string, operationId: string) => {
      const request = requestOf("getOperation", "GET", path("services", id, "operations", operationId));
      return show("operation", operationAnswer, request, readingOperation(operationId, gaps));
    },
  };
}

const isAnyApplied = (sent: Body, service: Service): boolean =>
  Object.entries(sent).some(([field, value]) =>
    plainEqual(value as Plain, service.configuration[field] as Plain),
  );

/** Interface, "Deployments", and the gap "roll back". */
export function deploymentEndpoints({ path, gaps, ask, show }: EndpointCall) {
  const deploys = (id: string, ...below: readonly string[]) => path("services", id, "deploys", ...below);
  return {
    /** Reads one page, newest first. */
    listDeployments: (id: string, { limit, cursor }: { limit?: number; cursor?: string } = {}) => {
      const query: Record<string, string> = {};
      if (limit !== undefined) query.limit = String(limit);
      if (cursor !== undefined) query.cursor = cursor;
      return ask(deploymentsAnswer, requestOf("listDeployments", "GET", deploys(id), { query }));
    },
    getDeployment: (id: string, deploymentId: string) => {
      const request = requestOf("getDeployment", "GET", deploys(id, deploymentId));
      return show("deployment", deploymentAnswer, request, { asked: { id: deploymentId } });
    },
    queueDeployment: (id: string, body: { commitSha?: string }) => {
      const request = requestOf("queueDeployment", "POST", deploys(id), { body });
      return show("deployment", deploymentAnswer, request, { about: deploymentSubject });
    },
    cancelDeployment: async (id: string, deploymentId: string): Promise<void> => {
      const cancel = deploys(id, deploymentId, "cancel");
      await ask(cancelAnswer, requestOf("cancelDeployment", "POST", cancel, { body: {} }));
    },
    /** `confirm` is the exact service name. */
    rollBack: async (id: string, deploymentId: string, confirm: string): Promise<Deployment> => {
      const body = rollBackBody(gaps, deploymentId, confirm);
      const shared = requestOf("rollBack", "POST", path("services", id), { body, ...keyOnGapRoute(gaps) });
      if (gaps.rollBack === "off") throw routeOffError(shared, "rollBack");
      const request = { ...shared, path: pathUnder(path, gaps.rollBack, { serviceId: id, deploymentId }) };
      const inner = (answered: unknown) => wrapIn("deployment", answered, gaps.rollBackAnswer);
      return show("deployment", deploymentAnswer, request, { inner, about: deploymentSubject }).catch(
        (failure: unknown) => {
          throw withGapHint(
            failure,
            "roll back",
            "the deployment may be no retained release any more; the dashboard shows those that are. Besides, ",
          );
        },
      );
    },
  };
}

const deploymentSubject = ({
  deployment: { id, createdAt },
}: {
  readonly deployment: Deployment;
}): About => ({
  id,
  madeAt: createdAt ?? undefined,
});

function rollBackBody(
  { rollBack: template, rollBackBody: setting }: GapSettings,
  deploymentId: string,
  confirm: string,
): Readonly<Record<string, unknown>> {
  if (setting !== "auto") return fillBody(setting, { confirm, deploymentId });
  return template.includes("{deploymentId}") ? { confirm } : { confirm, deploymentId };
}
