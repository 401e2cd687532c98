import type { EndpointCall } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { operationIn, withEnvironmentFields } from "./gap-answers";
import { turnedOff, underGap } from "./gap-failure";
import { filledPath } from "./gap-requests";
import { aboutDeletion, aboutThing, ask, parseAnswer } from "./parse-answer";
import { readPages } from "./read-pages";
import type { ApiRequest } from "./send";
import { deletion, operation } from "./wire/common";
import { type Project, projectAnswer, projectsAnswer } from "./wire/project";

type ProjectEndpoints = Pick<
  Endpoints,
  "listProjects" | "getProject" | "createProject" | "updateProject" | "deleteProject" | "getProjectOperation"
>;

/** Interface, "Projects". */
export function projectEndpoints({ send, path, gaps, read, write }: EndpointCall): ProjectEndpoints {
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
