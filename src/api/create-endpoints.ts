import type { Catalog } from "../model/catalog";
import { deploymentEndpoints } from "./deployment-endpoints";
import type { CanvasScope, DetectedPatchFormat, EndpointCall, Endpoints } from "./endpoints";
import { jsonObject } from "./gap-forms";
import { filledPath, operationIn, turnedOff, underGap, withEnvironmentFields } from "./gap-rules";
import { defaultGaps, type GapSettings } from "./gaps";
import { aboutDeletion, aboutThing, ask, parseAnswer, readPages } from "./parse-answer";
import { type About, type ApiRequest, pathSegment, type Send } from "./send";
import { actionEndpoints, serviceEndpoints } from "./service-endpoints";
import { variableEndpoints } from "./variable-endpoints";
import {
  type Canvas,
  canvas,
  catalog,
  deletion,
  operation,
  type Project,
  projectAnswer,
  projectsAnswer,
} from "./wire/shapes";

/**
 * One function per endpoint of the interface, over any `Send`. Cheap: apply makes one set for each change.
 * `learned` carries what was found out about the gaps from one set to the next.
 */
export function createEndpoints(
  send: Send,
  workspaceId: string,
  gaps: GapSettings = defaultGaps,
  learned: DetectedPatchFormat = {},
): Endpoints {
  const call: EndpointCall = {
    send,
    gaps,
    learned,
    path: (...segments) => ["", "workspaces", workspaceId, ...segments].map(pathSegment).join("/"),
    read: (schema, operation, path, query, how = {}) =>
      ask(send, schema, { operation, method: "GET", path, query, keyed: false }, how),
    write: (schema, request, how) => ask(send, schema, { ...request, keyed: true }, how),
  };
  return {
    catalog: async () => ({ ...(await call.read(catalog, "catalog", "/catalog")), assumed: assumedOf(gaps) }),
    ...projectEndpoints(call),
    ...serviceEndpoints(call),
    ...actionEndpoints(call),
    ...deploymentEndpoints(call),
    ...variableEndpoints(call),
    ...canvasEndpoints(call),
  };
}

/** What planning needs to know of the gaps. */
const assumedOf = ({ projectColor, productionEnvironment, kindDefaults }: GapSettings): Assumed => ({
  projectColor,
  productionEnvironment,
  kindDefaults: (jsonObject(kindDefaults) ?? {}) as Assumed["kindDefaults"],
});

type Assumed = NonNullable<Catalog["assumed"]>;

type ProjectEndpoints = Pick<
  Endpoints,
  "listProjects" | "getProject" | "createProject" | "updateProject" | "deleteProject" | "getProjectOperation"
>;

/** Interface, "Projects". */
function projectEndpoints({ send, path, gaps, read, write }: EndpointCall): ProjectEndpoints {
  const one = (answer: { project: Project }) => withEnvironmentFields(answer.project, gaps);
  return {
    listProjects: async () => {
      const request: ApiRequest = {
        operation: "listProjects",
        method: "GET",
        path: path("projects"),
        keyed: false,
      };
      const listed = await readPages(send, request, (response) => {
        const { projects, page } = parseAnswer(projectsAnswer, request, response);
        return { items: projects, page };
      });
      return listed.map((project) => one({ project }));
    },
    getProject: async (id) =>
      one(
        await read(projectAnswer, "getProject", path("projects", id), undefined, {
          about: ({ project }) => aboutThing("project", project, { id }),
        }),
      ),
    getProjectOperation: (projectId, operationId) => {
      const { projectOperation: template } = gaps;
      const request: ApiRequest = {
        operation: "getProjectOperation",
        method: "GET",
        path:
          template === "off"
            ? path("projects", projectId)
            : `${path()}${filledPath(template, { projectId, operationId })}`,
        keyed: false,
      };
      if (template === "off") throw turnedOff(request, "projectOperation");
      return ask(send, operation, request, {
        inner: (body) => operationIn(body, gaps.operationBody),
        about: (shown) => aboutThing("operation", shown, { id: operationId }),
      });
    },
    createProject: async (draft) => {
      const body = { ...draft, color: draft.color ?? gaps.projectColor };
      const request = { operation: "createProject", method: "POST", path: path("projects"), body } as const;
      const about = ({ project }: { readonly project: Project }) =>
        aboutThing("project", project, { name: body.name });
      return one(await write(projectAnswer, request, { about }).catch(refusedColor(body.color)));
    },
    updateProject: async (id, body) => {
      const request = {
        operation: "updateProject",
        method: "PATCH",
        path: path("projects", id),
        body,
      } as const;
      if (body.name !== undefined && gaps.renameProject === "off") throw turnedOff(request, "renameProject");
      const about = ({ project }: { readonly project: Project }) => aboutThing("project", project, { id });
      const answer = await write(projectAnswer, request, { about }).catch((failure: unknown) => {
        if (body.name !== undefined) throw underGap(failure, "rename a project");
        return refusedColor(body.color)(failure);
      });
      return one(answer);
    },
    deleteProject: (id, confirm) =>
      write(
        deletion,
        { operation: "deleteProject", method: "DELETE", path: path("projects", id), body: { confirm } },
        { about: aboutDeletion },
      ),
  };
}

/** The failure with a hint at its color, where the answer may mean that the service has no such color. */
const refusedColor =
  (color: string | undefined) =>
  (failure: unknown): never => {
    throw color === undefined
      ? failure
      : underGap(failure, "project color", `the color ${JSON.stringify(color)} may be none: `);
  };

type CanvasEndpoints = Pick<Endpoints, "canvas" | "saveCanvas">;

/** Interface, "Canvas". */
function canvasEndpoints({ send, path, read }: EndpointCall): CanvasEndpoints {
  const query = ({ projectId, environmentId }: CanvasScope): Record<string, string> => ({
    ...(projectId === undefined ? {} : { projectId }),
    ...(environmentId === undefined ? {} : { environmentId }),
  });
  return {
    canvas: (scope = {}) =>
      read(canvas, "canvas", path("canvas"), query(scope), {
        about: (shown) => aboutScope(shown, scope),
      }),
    saveCanvas: async (scope, body) => {
      const request: ApiRequest = {
        operation: "saveCanvas",
        method: "PATCH",
        path: path("canvas"),
        query: query(scope),
        body,
        keyed: false,
      };
      return ask(send, canvas, request, { about: (shown) => aboutScope(shown, scope) });
    },
  };
}

/** A canvas is that of its scope; nothing on it has an id that was asked for. */
function aboutScope({ scope }: Canvas, { projectId, environmentId }: CanvasScope): About {
  const asked = { projectId: projectId ?? null, environmentId: environmentId ?? null };
  const { mismatch } = aboutThing("scope", { ...scope, id: "" }, asked);
  return mismatch === undefined ? {} : { mismatch };
}
