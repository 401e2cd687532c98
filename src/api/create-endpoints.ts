import type { Catalog } from "../model/catalog";
import { Secret } from "../model/secret";
import { ApiError } from "./api-error";
import type { CanvasScope, DetectedPatchFormat, EndpointCall, Endpoints } from "./endpoints";
import {
  fillBody,
  filledPath,
  pathUnder,
  readingOperation,
  turnedOff,
  underGap,
  variablesIn,
  withEnvironmentFields,
  wrappedAs,
} from "./gap-rules";
import { defaultGaps, type GapSettings, jsonObject } from "./gaps";
import { aboutDeletion, ask, parseAnswer, readPages, shows } from "./parse-answer";
import { type ApiRequest, pathSegment, requestOf, type Send } from "./send";
import { actionEndpoints, deploymentEndpoints, serviceEndpoints } from "./service-endpoints";
import {
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
  variableAnswer,
  variablesAnswer,
} from "./wire/shapes";

/**
 * Returns one function per endpoint of the interface, over any `Send`. Cheap: apply makes one set for each change.
 * `detected` carries the bodies that the service was seen to take from one set to the next.
 * @example
 * const { send } = await context.connect();
 * const projects = await createEndpoints(send, context.workspaceId).listProjects();
 */
export function createEndpoints(
  send: Send,
  workspaceId: string,
  gaps: GapSettings = defaultGaps,
  detected: DetectedPatchFormat = {},
): Endpoints {
  const call: EndpointCall = {
    send,
    gaps,
    detected,
    path: (...segments) => ["", "workspaces", workspaceId, ...segments].map(pathSegment).join("/"),
    read: (schema, request, reading = {}) => ask(send, schema, request, reading),
    write: (schema, request, reading = {}) => ask(send, schema, { ...request, keyed: true }, reading),
  };
  return {
    catalog: async () => {
      const shown = await call.read(catalog, requestOf("catalog", "GET", "/catalog"));
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

/** The assumptions that planning rests on. */
const assumedOf = ({ projectColor, productionEnvironment, kindDefaults }: GapSettings): Assumed => ({
  projectColor,
  productionEnvironment,
  kindDefaults: (jsonObject(kindDefaults) ?? {}) as Assumed["kindDefaults"],
});

type Assumed = NonNullable<Catalog["assumed"]>;

/** Interface, "Projects". */
function projectEndpoints({ send, path, gaps, read, write }: EndpointCall) {
  const projectIn = ({ project }: { readonly project: Project }) => withEnvironmentFields(project, gaps);
  return {
    listProjects: async () => {
      const request = requestOf("listProjects", "GET", path("projects"));
      const listed = await readPages(send, request, (response) => {
        const { projects, page } = parseAnswer(projectsAnswer, request, response);
        return { items: projects, page };
      });
      return listed.map((project) => withEnvironmentFields(project, gaps));
    },
    getProject: async (id) => {
      const request = requestOf("getProject", "GET", path("projects", id));
      return projectIn(await read(projectAnswer, request, { about: shows("project", { id }) }));
    },
    getProjectOperation: async (projectId, operationId) => {
      const project = requestOf("getProjectOperation", "GET", path("projects", projectId));
      const { projectOperation: template } = gaps;
      if (template === "off") throw turnedOff(project, "projectOperation");
      const request = { ...project, path: `${path()}${filledPath(template, { projectId, operationId })}` };
      return (await read(operationAnswer, request, readingOperation(operationId, gaps))).operation;
    },
    createProject: async (draft) => {
      const body = { ...draft, color: draft.color ?? gaps.projectColor };
      const request = requestOf("createProject", "POST", path("projects"), { body });
      const about = shows("project", { name: body.name });
      return projectIn(await write(projectAnswer, request, { about }).catch(refusedColor(body.color)));
    },
    updateProject: async (id, body) => {
      const request = requestOf("updateProject", "PATCH", path("projects", id), { body });
      if (body.name !== undefined && gaps.renameProject === "off") throw turnedOff(request, "renameProject");
      const about = shows("project", { id });
      const answer = await write(projectAnswer, request, { about }).catch((failure: unknown) => {
        if (body.name !== undefined) throw underGap(failure, "rename a project");
        return refusedColor(body.color)(failure);
      });
      return projectIn(answer);
    },
    deleteProject: (id, confirm) => {
      const request = requestOf("deleteProject", "DELETE", path("projects", id), { body: { confirm } });
      return write(deletion, request, { about: aboutDeletion });
    },
  } satisfies Partial<Endpoints>;
}

/** Returns the failure with a hint at its color, where the answer may mean that the service has no such color. */
const refusedColor =
  (color: string | undefined) =>
  (failure: unknown): never => {
    throw color === undefined
      ? failure
      : underGap(failure, "project color", `the color ${JSON.stringify(color)} may be none: `);
  };

/** Interface, "Canvas". */
function canvasEndpoints({ send, path, read }: EndpointCall) {
  const query = ({ projectId, environmentId }: CanvasScope): Record<string, string> => ({
    ...(projectId === undefined ? {} : { projectId }),
    ...(environmentId === undefined ? {} : { environmentId }),
  });
  return {
    canvas: (scope = {}) =>
      read(canvasAnswer, requestOf("canvas", "GET", path("canvas"), { query: query(scope) })),
    saveCanvas: (scope, body) => {
      const request = requestOf("saveCanvas", "PATCH", path("canvas"), { query: query(scope), body });
      return ask(send, canvasAnswer, request, {});
    },
  } satisfies Partial<Endpoints>;
}

/** Interface, "Variables", and the gaps "list variables" and "change a variable". */
function variableEndpoints(call: EndpointCall) {
  const { send, path, write } = call;
  const reveal = async (id: string, variableId: string): Promise<string> => {
    const revealed = path("services", id, "variables", variableId, "reveal");
    const request = requestOf("revealVariable", "POST", revealed, { sensitive: true, reveals: "value" });
    return parseAnswer(revealAnswer, request, await send(request)).value;
  };
  return {
    listVariables: (id) => listVariables(call, id),
    createVariable: async (id, body) => {
      const variables = path("services", id, "variables");
      const request = requestOf("createVariable", "POST", variables, { body, sensitive: true });
      const about = shows("variable", { key: body.key });
      return (await write(variableAnswer, request, { about })).variable;
    },
    updateVariable: (id, variableId, change) => updateVariable(call, id, variableId, change),
    deleteVariable: (id, variableId) => {
      const variable = path("services", id, "variables", variableId);
      const request = requestOf("deleteVariable", "DELETE", variable, { body: {} });
      return write(deletion, request, { about: aboutDeletion });
    },
    revealVariable: async (id, variableId) => new Secret(await reveal(id, variableId)),
    revealVariableText: reveal,
  } satisfies Partial<Endpoints>;
}

/** Gap "list variables"; all pages. */
async function listVariables({ send, path, gaps }: EndpointCall, id: string): Promise<readonly Variable[]> {
  const listed = requestOf("listVariables", "GET", path("services", id, "variables"));
  if (gaps.listVariables === "off") throw turnedOff(listed, "listVariables");
  const request: ApiRequest = {
    ...listed,
    path: pathUnder(path, gaps.listVariables, { serviceId: id }),
    ...(gaps.variableItems === "." ? { mayBeList: true } : {}),
  };
  try {
    return await readPages(send, request, (response) => {
      const listed = variablesIn(response.body, gaps.variableItems);
      const { variables, page } = parseAnswer(variablesAnswer, request, response, listed);
      return { items: variables, page };
    });
  } catch (failure) {
    throw underGap(failure, "list variables");
  }
}

type VariableChange = Parameters<Endpoints["updateVariable"]>[2];

const assumedNames = "key,value";
const otherNames = "name,value";

/**
 * Gap "change a variable": the body as it is set; `auto` tries other names once after a 400 and keeps to those that the
 * service took. A change that was accepted without being shown is looked up in the list.
 */
async function updateVariable(
  call: EndpointCall,
  id: string,
  variableId: string,
  change: VariableChange,
): Promise<Variable> {
  const { path, gaps, detected, write } = call;
  const variable = path("services", id, "variables", variableId);
  const request = requestOf("updateVariable", "PATCH", variable, { sensitive: true });
  const { patchVariable: setting } = gaps;
  if (setting === "off") throw turnedOff(request, "patchVariable");
  const patch = async (form: string): Promise<Variable> => {
    const body = { ...request, body: variableBody(form, change) };
    const { variable } = await write(patchedVariableAnswer, body, {
      inner: (answered) => wrappedAs("variable", answered, gaps.variableAnswer),
      about: shows("variable", { id: variableId }),
    });
    detected.patchVariable = form;
    return variable ?? (await listedVariable(call, id, variableId));
  };
  const isChosen = setting !== "auto" && setting !== "route";
  try {
    return await patch(isChosen ? setting : (detected.patchVariable ?? assumedNames));
  } catch (failure) {
    if (isChosen || detected.patchVariable !== undefined || !isRefusedBody(failure))
      throw detected.patchVariable === undefined ? underGap(failure, "change a variable") : failure;
    return patch(otherNames).catch((second: unknown) => {
      throw isRefusedBody(second) ? underGap(failure, "change a variable") : second;
    });
  }
}

function variableBody(form: string, { key, value }: VariableChange): Readonly<Record<string, unknown>> {
  if (form.startsWith("{")) return fillBody(form, { key, value });
  const [keyField = "key", valueField = "value"] = form.split(",");
  // What is undefined is no part of the JSON.
  return { [keyField]: key, [valueField]: value };
}

const isRefusedBody = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.kind === "refused" && failure.status === 400;

async function listedVariable(call: EndpointCall, id: string, variableId: string): Promise<Variable> {
  const found = (await listVariables(call, id)).find((one) => one.id === variableId);
  if (found !== undefined) return found;
  const path = call.path("services", id, "variables", variableId);
  throw new ApiError({
    kind: "malformed",
    ...{ operation: "updateVariable", method: "PATCH", path, requestId: "", attempts: 1 },
    message: "the answer does not show the variable, and no list does",
  });
}
