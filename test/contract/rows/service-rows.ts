import { documentedDefaults } from "../../../src/api/wire/configuration";
import { freshName } from "../contract-service";
import { type Row, row } from "../row";
import { expectError, newProject, newService, pathOf, timestamp, unknownId, uuid } from "../things";

const create = "POST /workspaces/{workspaceId}/services";
const one = "/workspaces/{workspaceId}/services/{serviceId}";

export const serviceRows: readonly Row[] = [
  row(
    { rule: "Services create", quote: "`deploy` false saves without deploying", endpoints: [create] },
    async (service) => {
      const made = await newService(service, { configuration: { branch: "trunk", port: 3000 } });
      expect(made).toMatchObject({
        kind: "web",
        archived: false,
        projectId: null,
        environmentId: null,
        environmentGroupIds: [],
      });
      expect([made.id, made.createdAt, made.updatedAt]).toEqual([
        expect.stringMatching(uuid),
        expect.stringMatching(timestamp),
        expect.stringMatching(timestamp),
      ]);
      expect(made.configuration).toMatchObject({ branch: "trunk", port: 3000 });
      expect(made.estimatedMonthly).toEqual({
        ngn: expect.any(Number),
        usd: expect.any(Number),
        priced: expect.any(Boolean),
      });
      expect(made.liveDeploymentId ?? null).toBeNull();
      expect(made.deploymentId ?? null).toBeNull();
    },
  ),
  row(
    {
      rule: "Service configuration",
      quote: "Defaults (also returned by the catalog under `defaults`)",
      endpoints: [create],
    },
    async (service) => {
      expect((await newService(service)).configuration).toMatchObject(documentedDefaults);
    },
  ),
  row(
    {
      rule: "Services create",
      quote: "`projectId` and a compatible `environmentId` are given together",
      endpoints: [create],
    },
    async (service) => {
      const project = await newProject(service);
      const other = await newProject(service);
      const environmentId = project.environments[0].id;
      expect(await newService(service, { projectId: project.id, environmentId })).toMatchObject({
        projectId: project.id,
        environmentId,
      });
      const draft = { name: freshName(), kind: "web", configuration: {}, deploy: false };
      const send = (fields: object) =>
        service.request("POST", `${service.workspace}/services`, { body: { ...draft, ...fields } });
      expectError(await send({ projectId: project.id }), 400);
      expectError(await send({ environmentId }), 400);
      expectError(await send({ projectId: other.id, environmentId }), 400);
      expectError(await send({ projectId: unknownId, environmentId }), 404);
    },
  ),
  row(
    {
      rule: "Services create",
      quote: "body {name: string, kind: string, configuration: object, deploy: boolean",
      endpoints: [create],
    },
    async (service) => {
      const draft = { name: freshName(), kind: "web", configuration: {}, deploy: false };
      for (const wrong of [
        { name: 1 },
        { name: "" },
        { kind: undefined },
        { configuration: { port: "80" } },
        { deploy: "no" },
      ]) {
        expectError(
          await service.request("POST", `${service.workspace}/services`, { body: { ...draft, ...wrong } }),
          400,
        );
      }
    },
  ),
  row(
    { rule: "Gap Services kind", quote: "Immutable after creation.", endpoints: [`PATCH ${one}`] },
    async (service) => {
      const made = await newService(service);
      expectError(
        await service.request("PATCH", pathOf(service, made.id), { body: { kind: "static" } }),
        400,
      );
      expect((await service.request("GET", pathOf(service, made.id))).body.service.kind).toBe("web");
    },
  ),
  row(
    {
      rule: "Gap Services read",
      quote:
        "Reading one service, and the PATCH that merges configuration fields: exact path and body shape not shown.",
      endpoints: [`GET ${one}`],
    },
    async (service) => {
      const made = await newService(service);
      expect((await service.request("GET", pathOf(service, made.id))).body.service).toMatchObject({
        id: made.id,
        name: made.name,
      });
      expectError(await service.request("GET", pathOf(service, unknownId)), 404);
    },
  ),
  row(
    {
      rule: "Gap Services change",
      quote: "PATCH merges supplied fields; omitted fields keep their values.",
      endpoints: [`PATCH ${one}`],
    },
    async (service) => {
      const made = await newService(service, { configuration: { branch: "trunk", port: 3000 } });
      const path = pathOf(service, made.id);
      const changed = (await service.request("PATCH", path, { body: { configuration: { port: 4000 } } })).body
        .service;
      expect(changed.configuration).toEqual({ ...made.configuration, port: 4000 });
      expect(changed.updatedAt > made.updatedAt).toBe(true);
      expect((await service.request("GET", path)).body.service).toEqual(changed);
    },
  ),
  row(
    {
      rule: "Services delete",
      quote: "body {confirm: string} equal to the service name",
      endpoints: [`DELETE ${one}`],
    },
    async (service) => {
      const made = await newService(service);
      for (const confirm of [made.name.toUpperCase(), `${made.name} `, "", made.id]) {
        expectError(await service.request("DELETE", pathOf(service, made.id), { body: { confirm } }), 400);
      }
      expectError(await service.request("DELETE", pathOf(service, made.id), { body: {} }), 400);
      const { body } = await service.request("DELETE", pathOf(service, made.id), {
        body: { confirm: made.name },
      });
      expect(body.deleted).toBe(true);
    },
  ),
];
