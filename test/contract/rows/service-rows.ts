import { documentedDefaults } from "../../../src/api/wire/shapes";
import { freshName } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  environmentIdOf,
  expectError,
  expectRefused,
  newProject,
  newService,
  pathOf,
  timestamp,
  unknownId,
  uuid,
} from "../things";

const create = "POST /workspaces/{workspaceId}/services";
const one = "/workspaces/{workspaceId}/services/{serviceId}";

export const serviceRows: readonly Row[] = [
  row("Services create (saved only)", [create], async (service) => {
    const made = await newService(service, { configuration: { branch: "trunk", port: 3000 } });
    expect(made).toMatchObject({
      kind: "web",
      archived: false,
      projectId: null,
      environmentId: null,
      environmentGroupIds: expect.any(Array),
    });
    expect([made.id, made.createdAt, made.updatedAt]).toEqual([
      expect.stringMatching(uuid),
      expect.stringMatching(timestamp),
      expect.stringMatching(timestamp),
    ]);
    expect(made.configuration).toMatchObject({ branch: "trunk", port: 3000 });
    expect(made.estimatedMonthly).toMatchObject({
      ngn: expect.any(Number),
      usd: expect.any(Number),
      priced: expect.any(Boolean),
    });
    expect(made.liveDeploymentId ?? null).toBeNull();
    expect(made.deploymentId ?? null).toBeNull();
  }),
  row("Service configuration", [create], async (service) => {
    // Fields that were never set need not be shown.
    const { configuration } = await newService(service);
    expect({ ...documentedDefaults, ...configuration }).toMatchObject(documentedDefaults);
  }),
  row("Services create (project and environment)", [create], async (service) => {
    const project = await newProject(service);
    const other = await newProject(service);
    const environmentId = environmentIdOf(service, project);
    expect(await newService(service, { projectId: project.id, environmentId })).toMatchObject({
      projectId: project.id,
      environmentId,
    });
    const draft = { name: freshName(), kind: "web", configuration: {}, deploy: false };
    const send = (fields: object) => service.post(`${service.workspace}/services`, { ...draft, ...fields });
    expectRefused(await send({ projectId: project.id }));
    expectRefused(await send({ environmentId }));
    expectRefused(await send({ projectId: other.id, environmentId }));
    expectRefused(await send({ projectId: unknownId, environmentId }));
  }),
  row("Services create (body)", [create], async (service) => {
    const draft = { name: freshName(), kind: "web", configuration: {}, deploy: false };
    for (const wrong of [{ name: 1 }, { kind: undefined }, { configuration: "none" }, { deploy: "no" }]) {
      expectError(await service.post(`${service.workspace}/services`, { ...draft, ...wrong }), 400);
    }
  }),
  controlledRow("Gap Services create", [create], async (service) => {
    const draft = { name: freshName(), kind: "web", configuration: {}, deploy: false };
    for (const wrong of [{ name: "" }, { configuration: { port: "80" } }]) {
      const body = { ...draft, ...wrong };
      expectError(await service.post(`${service.workspace}/services`, body), 400);
    }
    const configuration = { repository: "https://git.example.com/api" };
    for (const deploy of [true, false]) {
      const made = await newService(service, { configuration, deploy });
      const listed = await service.get(`${pathOf(service, made.id)}/deploys`);
      expect(listed.body.items).toHaveLength(deploy ? 1 : 0);
    }
  }),
  controlledRow("Gap Services kind", [`PATCH ${one}`], async (service) => {
    const made = await newService(service);
    expectError(await service.patch(pathOf(service, made.id), { kind: "static" }), 400);
    expect((await service.get(pathOf(service, made.id))).body.service.kind).toBe("web");
  }),
  controlledRow("Gap Services read", [`GET ${one}`], async (service) => {
    const made = await newService(service);
    expect((await service.get(pathOf(service, made.id))).body.service).toMatchObject({
      id: made.id,
      name: made.name,
    });
    expectError(await service.get(pathOf(service, unknownId)), 404);
  }),
  controlledRow("Gap Services change", [`PATCH ${one}`], async (service) => {
    const made = await newService(service, { configuration: { branch: "trunk", port: 3000 } });
    const path = pathOf(service, made.id);
    const changed = (await service.patch(path, { configuration: { port: 4000 } })).body.service;
    expect(changed.configuration).toEqual({ ...made.configuration, port: 4000 });
    expect(changed.updatedAt > made.updatedAt).toBe(true);
    expect((await service.get(path)).body.service).toEqual(changed);
  }),
  row("Services delete", [`DELETE ${one}`], async (service) => {
    const made = await newService(service);
    for (const confirm of [made.name.toUpperCase(), `${made.name} `, "", made.id]) {
      // Status and code of a confirmation mismatch are not shown.
      expectRefused(await service.delete(pathOf(service, made.id), { confirm }));
    }
    expectRefused(await service.delete(pathOf(service, made.id), {}));
    const { body } = await service.delete(pathOf(service, made.id), { confirm: made.name });
    expect(body.deleted).toBe(true);
  }),
];
