import type { ContractService } from "../contract-service";
import { environmentIdOf, newProject, newService } from "../things";

/** A project of its own with one service: its canvas is its own. */
export async function scoped(service: ContractService) {
  const project = await newProject(service);
  const environmentId = environmentIdOf(service, project);
  const { id } = await newService(service, { projectId: project.id, environmentId });
  const path = `${service.workspace}/canvas?projectId=${project.id}`;
  const put = (fields: object, query = "") =>
    service.patch(`${path}${query}`, { revision: 0, positions: {}, viewport: null, ...fields });
  return { project, environmentId, id, path, put };
}
