import type { EndpointCall } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { withEnvironmentFields } from "./gap-answers";
import { parseAnswer } from "./parse-answer";
import { readPages } from "./read-pages";
import type { ApiRequest } from "./send";
import { deletion } from "./wire/common";
import { type Project, projectAnswer, projectsAnswer } from "./wire/project";

type ProjectEndpoints = Pick<
  Endpoints,
  "listProjects" | "getProject" | "createProject" | "updateProject" | "deleteProject"
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
    getProject: async (id) => one(await read(projectAnswer, "getProject", path("projects", id))),
    createProject: async (body) =>
      one(
        await write(projectAnswer, {
          operation: "createProject",
          method: "POST",
          path: path("projects"),
          body,
        }),
      ),
    updateProject: async (id, body) =>
      one(
        await write(projectAnswer, {
          operation: "updateProject",
          method: "PATCH",
          path: path("projects", id),
          body,
        }),
      ),
    deleteProject: (id, confirm) =>
      write(deletion, {
        operation: "deleteProject",
        method: "DELETE",
        path: path("projects", id),
        body: { confirm },
      }),
  };
}
