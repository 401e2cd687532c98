import type { Catalog } from "../model/catalog";
import { Secret } from "../model/secret";
import { ApiError } from "./api-error";
import { type DetectedPatchFormat, type EndpointCall, endpointCall, patchInForm } from "./endpoint-call";
import {
  fillBody,
  filledPath,
  pathUnder,
  readingOperation,
  routeOffError,
  variablesIn,
  withEnvironmentFields,
  withGapHint,
  wrapIn,
} from "./gap-rules";
import { defaultGaps, type GapSettings, jsonObject } from "./gaps";
import { type AskedFor, deletionSubject, parseAnswer, readPages } from "./parse-answer";
import { type ApiRequest, requestOf, type Send } from "./request";
import { actionEndpoints, deploymentEndpoints, serviceEndpoints } from "./service-endpoints";
import {
  type CanvasPosition,
  canvasAnswer,
  catalog,
  deletion,
  operationAnswer,
  type Project,
  patchedVariableAnswer,
  projectAnswer,
  projectsAnswer,
  revealAnswer,
  type Variable,
  type Viewport,
  variableAnswer,
  variablesAnswer,
} from "./wire/shapes";

/** One function per endpoint of the interface. Every answer is parsed by its wire schema; all throw `ApiError`. */
export type Endpoints = ReturnType<typeof createEndpoints>;

/**
 * Returns one function per endpoint of the interface, over any `Send`. Cheap: apply makes one set for each change.
 * `detected` carries the bodies that the service was seen to take from one set to the next.
 */
export function createEndpoints(
  send: Send,
  workspaceId: string,
  gaps: GapSettings = defaultGaps,
  detected: DetectedPatchFormat = {},
) {
  const call = endpointCall(send, workspaceId, gaps, detected);
  return {
    /** Reads the catalog, with the assumptions of `gaps.ts` that planning rests on. */
    catalog: async () => {
      const shown = await call.ask(catalog, requestOf("catalog", "GET", "/catalog"));
      return { ...shown, assumed: assumedOf(gaps) };
    },
    ...projectEndpoints(call),
    ...serviceEndpoints(call),
    ...actionEndpoints(call),
    ...deploymentEndpoints(call),
    ...variableEndpoints(call),
    ...canvasEndpoints(call),
  };
}

const assumedOf = ({ projectColor, productionEnvironment, kindDefaults }: GapSettings): Assumed => ({
  projectColor,
  productionEnvironment,
  kindDefaults: (jsonObject(kindDefaults) ?? {}) as Assumed["kindDefaults"],
});

type Assumed = NonNullable<Catalog["assumed"]>;

/** Interface, "Projects", and the gaps "project color" and "rename a project". */
function projectEndpoints({ send, path, gaps, ask, show }: EndpointCall) {
  const projectIn = async (request: ApiRequest, asked: AskedFor): Promise<Project> =>
    withEnvironmentFields(await show("project", projectAnswer, request, { asked }), gaps);
  return {
    /** Reads the complete list: neither `limit` nor `cursor` is sent. */
    listProjects: async (): Promise<readonly Project[]> => {
      const request = requestOf("listProjects", "GET", path("projects"));
      const listed = await readPages(send, request, (response) => {
        const { projects, page } = parseAnswer(projectsAnswer, request, response);
        return { items: projects, page };
      });
      return listed.map((project) => withEnvironmentFields(project, gaps));
    },
    getProject: (id: string) => projectIn(requestOf("getProject", "GET", path("projects", id)), { id }),
    /** Gap "operations of a project". */
    getProjectOperation: async (projectId: string, operationId: string) => {
      const project = requestOf("getProjectOperation", "GET", path("projects", projectId));
      const { projectOperation: template } = gaps;
      if (template === "off") throw routeOffError(project, "projectOperation");
      const request = { ...project, path: `${path()}${filledPath(template, { projectId, operationId })}` };
      return show("operation", operationAnswer, request, readingOperation(operationId, gaps));
    },
    /** A color is sent where none is given, because the service requires it. */
    createProject: (draft: { name: string; color?: string; description?: string }) => {
      const body = { ...draft, color: draft.color ?? gaps.projectColor };
      const request = requestOf("createProject", "POST", path("projects"), { body });
      return projectIn(request, {}).catch(refusedColor(body.color));
    },
    updateProject: async (id: string, body: { name?: string; color?: string; description?: string }) => {
      const request = requestOf("updateProject", "PATCH", path("projects", id), { body });
      if (body.name !== undefined && gaps.renameProject === "off")
        throw routeOffError(request, "renameProject");
      return projectIn(request, { id }).catch((failure: unknown) => {
        if (body.name !== undefined) throw withGapHint(failure, "rename a project");
        return refusedColor(body.color)(failure);
      });
    },
    deleteProject: (id: string, confirm: string) => {
      const request = requestOf("deleteProject", "DELETE", path("projects", id), { body: { confirm } });
      return ask(deletion, request, { about: deletionSubject });
    },
  };
}

const refusedColor =
  (color: string | undefined) =>
  (failure: unknown): never => {
    const namesOther = failure instanceof ApiError && /\b(name|description)\b/i.test(failure.message);
    throw color === undefined || namesOther
      ? failure
      : withGapHint(failure, "project color", `the color ${JSON.stringify(color)} may be none: `);
  };

export interface CanvasScope {
  /** Absent: all of the workspace. */
  readonly projectId?: string;
  readonly environmentId?: string;
}

type CanvasDraft = {
  readonly revision: number;
  readonly positions: Readonly<Record<string, CanvasPosition>>;
  readonly viewport: Viewport | null;
};

/** Interface, "Canvas". */
function canvasEndpoints({ path, ask }: EndpointCall) {
  const request = (name: string, method: "GET" | "PATCH", scope: CanvasScope, body?: CanvasDraft) => {
    const query = Object.fromEntries(Object.entries(scope).filter(([, id]) => id !== undefined));
    return requestOf(name, method, path("canvas"), { query, body, keyed: false });
  };
  return {
    canvas: (scope: CanvasScope = {}) => ask(canvasAnswer, request("canvas", "GET", scope)),
    saveCanvas: (scope: CanvasScope, body: CanvasDraft) =>
      ask(canvasAnswer, request("saveCanvas", "PATCH", scope, body)),
  };
}

type VariableChange = {
  readonly key?: string;
  readonly value?: Secret | string;
};

/** Interface, "Variables", and the gaps "list variables" and "change a variable". */
function variableEndpoints(call: EndpointCall) {
  const { send, path, gaps, detected, ask, show } = call;
  const reveal = async (id: string, variableId: string): Promise<string> => {
    const variable = path("services", id, "variables", variableId, "reveal");
    const how = { keyed: false, sensitive: true, reveals: "value" } as const;
    const request = requestOf("revealVariable", "POST", variable, how);
    return parseAnswer(revealAnswer, request, await send(request)).value;
  };
  return {
    listVariables: (id: string) => listVariables(call, id),
    createVariable: (id: string, body: { key: string; value: Secret | string }) => {
      const variables = path("services", id, "variables");
      const request = requestOf("createVariable", "POST", variables, { body, sensitive: true });
      return show("variable", variableAnswer, request, { asked: { key: body.key } });
    },
    /** The body as it is set, else with these names or those; a change that is accepted and not shown is looked up. */
    updateVariable: async (id: string, variableId: string, change: VariableChange): Promise<Variable> => {
      const variable = path("services", id, "variables", variableId);
      const request = requestOf("updateVariable", "PATCH", variable, { sensitive: true });
      if (gaps.patchVariable === "off") throw routeOffError(request, "patchVariable");
      const inner = (answered: unknown) => wrapIn("variable", answered, gaps.variableAnswer);
      return patchInForm(detected, {
        gap: "change a variable",
        known: "patchVariable",
        setting: gaps.patchVariable,
        assumed: ["key,value", "name,value"],
        send: async (form) => {
          const patch = { ...request, body: variableBody(form, change) };
          const asked = { id: variableId };
          const shown = await show("variable", patchedVariableAnswer, patch, { inner, asked });
          const found =
            shown ?? (await listVariables(call, id)).find((variable) => variable.id === variableId);
          if (found !== undefined) return found;
          const message = "the answer does not show the variable, and no list does";
          throw new ApiError(request, { kind: "malformed", message, attempts: 1 });
        },
        isApplied: () => true,
      });
    },
    deleteVariable: (id: string, variableId: string) => {
      const variable = path("services", id, "variables", variableId);
      const request = requestOf("deleteVariable", "DELETE", variable, { body: {} });
      return ask(deletion, request, { about: deletionSubject });
    },
    /** Audited by the service; never keyed, never logged. */
    revealVariable: async (id: string, variableId: string) => new Secret(await reveal(id, variableId)),
    /** As `revealVariable`, as plain text that the caller hands on and keeps no copy of: for Terraform's ephemeral values. */
    revealVariableText: reveal,
  };
}

/** Gap "list variables"; all pages. */
async function listVariables({ send, path, gaps }: EndpointCall, id: string): Promise<readonly Variable[]> {
  const listed = requestOf("listVariables", "GET", path("services", id, "variables"));
  if (gaps.listVariables === "off") throw routeOffError(listed, "listVariables");
  const request: ApiRequest = {
    ...listed,
    path: pathUnder(path, gaps.listVariables, { serviceId: id }),
    mayBeList: gaps.variableItems === ".",
  };
  try {
    return await readPages(send, request, (response) => {
      const listed = variablesIn(response.body, gaps.variableItems);
      const { variables, page } = parseAnswer(variablesAnswer, request, response, listed);
      return { items: variables, page };
    });
  } catch (failure) {
    throw withGapHint(failure, "list variables");
  }
}

function variableBody(form: string, { key, value }: VariableChange): Readonly<Record<string, unknown>> {
  if (form.startsWith("{")) return fillBody(form, { key, value });
  const [keyField = "key", valueField = "value"] = form.split(",");
  return { [keyField]: key, [valueField]: value };
}
