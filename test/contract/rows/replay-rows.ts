import { type ContractService, type Control, freshKey, freshName } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  expectDone,
  liveService,
  newProject,
  newService,
  pathOf,
  projectDraft,
  removeLater,
} from "../things";

interface Write {
  readonly path: string;
  readonly body: unknown;
}

const one = "/workspaces/{workspaceId}/services/{serviceId}";
const newVariable = async (service: ContractService): Promise<string> => {
  const path = `${pathOf(service, (await newService(service)).id)}/variables`;
  const answer = await service.post(path, { key: "TOKEN", value: "contract-secret-5d1f" });
  return `${path}/${answer.body.variable.id}`;
};

/** Writes that any service can be asked for: nothing has to run. */
const anywhere: Readonly<Record<string, (service: ContractService) => Promise<Write>>> = {
  "POST /workspaces/{workspaceId}/projects": async (service) => ({
    path: `${service.workspace}/projects`,
    body: projectDraft(service),
  }),
  "PATCH /workspaces/{workspaceId}/projects/{projectId}": async (service) => ({
    path: `${service.workspace}/projects/${(await newProject(service)).id}`,
    body: { description: "changed" },
  }),
  "DELETE /workspaces/{workspaceId}/projects/{projectId}": async (service) => {
    const { id, name } = await newProject(service);
    return { path: `${service.workspace}/projects/${id}`, body: { confirm: name } };
  },
  "POST /workspaces/{workspaceId}/services": async (service) => ({
    path: `${service.workspace}/services`,
    body: { name: freshName(), kind: "web", configuration: {}, deploy: false },
  }),
  [`DELETE ${one}`]: async (service) => {
    const { id, name } = await newService(service);
    return { path: pathOf(service, id), body: { confirm: name } };
  },
  [`POST ${one}/archive`]: async (service) => ({
    path: `${pathOf(service, (await newService(service)).id)}/archive`,
    body: {},
  }),
  [`POST ${one}/restore`]: async (service) => {
    const path = pathOf(service, (await newService(service)).id);
    expectDone(await service.post(`${path}/archive`, {}));
    return { path: `${path}/restore`, body: {} };
  },
  [`POST ${one}/variables`]: async (service) => ({
    path: `${pathOf(service, (await newService(service)).id)}/variables`,
    body: { key: "TOKEN", value: "contract-secret-5d1f" },
  }),
  [`DELETE ${one}/variables/{variableId}`]: async (service) => ({
    path: await newVariable(service),
    body: {},
  }),
};

/** Writes that need a release that serves, or a body that is not shown. */
const staged: Readonly<Record<string, (service: ContractService, control: Control) => Promise<Write>>> = {
  [`POST ${one}/actions`]: async (service, control) => ({
    path: `${pathOf(service, liveService(control).id)}/actions`,
    body: { action: "restart" },
  }),
  [`POST ${one}/deploys`]: async (service, control) => ({
    path: `${pathOf(service, liveService(control).id)}/deploys`,
    body: {},
  }),
  [`POST ${one}/deploys/{deploymentId}/cancel`]: async (service, control) => {
    const path = `${pathOf(service, liveService(control).id)}/deploys`;
    const { deployment } = (await service.post(path, {})).body;
    return { path: `${path}/${deployment.id}/cancel`, body: {} };
  },
  [`PATCH ${one}/variables/{variableId}`]: async (service) => ({
    path: await newVariable(service),
    body: { value: "contract-secret-77aa" },
  }),
};

/** The same request with the same key is answered as before: same status, same body, same ids and times. */
async function expectReplay(
  service: ContractService,
  endpoint: string,
  { path, body }: Write,
): Promise<void> {
  const method = endpoint.slice(0, endpoint.indexOf(" "));
  const key = freshKey();
  const first = await service.request(method, path, { body, key });
  expectDone(first);
  if (first.body.service !== undefined) removeLater(service, first.body.service);
  service.control?.clock.advance(5000);
  const again = await service.request(method, path, { body, key });
  expect({ status: again.status, body: again.body }).toEqual({ status: first.status, body: first.body });
}

export const replayRows: readonly Row[] = [
  ...Object.entries(anywhere).map(([endpoint, prepare]) =>
    row(`Keyed replay ${endpoint}`, [endpoint], async (service) =>
      expectReplay(service, endpoint, await prepare(service)),
    ),
  ),
  ...Object.entries(staged).map(([endpoint, prepare]) =>
    controlledRow(`Keyed replay ${endpoint}`, [endpoint], async (service, control) =>
      expectReplay(service, endpoint, await prepare(service, control)),
    ),
  ),
];
