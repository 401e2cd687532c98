import { documentedDefaults } from "../../../src/api/wire/configuration";
import { freshName } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  expectError,
  liveService,
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
      quote: "Reading one service: exact path and body shape not shown.",
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
  row(
    {
      rule: "States Delete",
      quote: "service active | Delete | No runtime infrastructure | deleted | Response `deleted: true`.",
      endpoints: [`DELETE ${one}`],
    },
    async (service) => {
      const made = await newService(service);
      const answer = await service.request("DELETE", pathOf(service, made.id), {
        body: { confirm: made.name },
      });
      expect([answer.status, answer.body.deleted]).toEqual([200, true]);
      expectError(
        await service.request("DELETE", pathOf(service, made.id), { body: { confirm: made.name } }),
        404,
      );
    },
  ),
  controlledRow(
    {
      rule: "States Delete",
      quote:
        "service active | Delete | Runtime infrastructure exists | archived, deletion queued | Response `deleted: false`, `queued: true`; HTTP 200.",
      endpoints: [`DELETE ${one}`, `GET ${one}/operations/{operationId}`],
    },
    async (service, control) => {
      const { id, name } = liveService(control);
      const answer = await service.request("DELETE", pathOf(service, id), { body: { confirm: name } });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        deleted: false,
        queued: true,
        operation: { status: "queued", id: expect.stringMatching(uuid) },
      });
      const path = `${pathOf(service, id)}/operations/${answer.body.operation.id}`;
      expect((await service.request("GET", path)).body.status).toBe("queued");
      expect((await service.request("GET", pathOf(service, id))).body.service).toMatchObject({
        archived: true,
        deletionRequestedAt: expect.stringMatching(timestamp),
      });
      control.clock.advance(60_000);
      expect((await service.request("GET", path)).body.status).toBe("complete");
      expectError(await service.request("GET", pathOf(service, id)), 404);
    },
  ),
  row(
    {
      rule: "States Archive",
      quote: "service archived=false | Archive | archived=true | New deployments are prevented.",
      endpoints: [`POST ${one}/archive`, `POST ${one}/deploys`, `POST ${one}/actions`],
    },
    async (service) => {
      const made = await newService(service, {
        configuration: { repository: "https://git.example.com/a/b" },
      });
      const path = pathOf(service, made.id);
      expect((await service.request("POST", `${path}/archive`, { body: {} })).body.service.archived).toBe(
        true,
      );
      expectError(await service.request("POST", `${path}/deploys`, { body: {} }), 409);
      expectError(await service.request("POST", `${path}/actions`, { body: { action: "deploy" } }), 409);
    },
  ),
  controlledRow({ rule: "States Archive", quote: "Runtime is not suspended." }, async (service, control) => {
    const { id, liveDeploymentId } = liveService(control);
    await service.request("POST", `${pathOf(service, id)}/archive`, { body: {} });
    expect((await service.request("GET", pathOf(service, id))).body.service).toMatchObject({
      liveDeploymentId,
      healthStatus: "ready",
    });
  }),
  row(
    {
      rule: "States Restore",
      quote:
        "service archived=true | Restore | archived=false | No deployment and no resume of infrastructure.",
      endpoints: [`POST ${one}/restore`],
    },
    async (service) => {
      const made = await newService(service);
      await service.request("POST", `${pathOf(service, made.id)}/archive`, { body: {} });
      const restored = (await service.request("POST", `${pathOf(service, made.id)}/restore`, { body: {} }))
        .body.service;
      expect(restored.archived).toBe(false);
      expect(restored.deploymentId ?? null).toBeNull();
    },
  ),
  row(
    {
      rule: "Services actions",
      quote: "one of `restart`, `suspend`, `resume`, `deploy`, `clear-cache`",
      endpoints: [`POST ${one}/actions`],
    },
    async (service) => {
      const made = await newService(service);
      expectError(
        await service.request("POST", `${pathOf(service, made.id)}/actions`, { body: { action: "explode" } }),
        400,
      );
      expectError(await service.request("POST", `${pathOf(service, made.id)}/actions`, { body: {} }), 400);
    },
  ),
  row(
    {
      rule: "States Actions",
      quote: "Hosting enabled, provisioned runtime exists",
      endpoints: [`POST ${one}/actions`],
    },
    async (service) => {
      const made = await newService(service);
      for (const action of ["restart", "suspend", "resume"]) {
        expectError(
          await service.request("POST", `${pathOf(service, made.id)}/actions`, { body: { action } }),
          409,
        );
      }
    },
  ),
  controlledRow(
    {
      rule: "Services actions",
      quote: "for `restart`, `suspend`, `resume`: {queued: true, operation: Operation}",
      endpoints: [`POST ${one}/actions`, `GET ${one}/operations/{operationId}`],
    },
    async (service, control) => {
      const { id } = liveService(control);
      for (const action of ["suspend", "resume", "restart"]) {
        const { body } = await service.request("POST", `${pathOf(service, id)}/actions`, {
          body: { action },
        });
        expect(body).toMatchObject({ queued: true, operation: { kind: action, status: "queued" } });
        const path = `${pathOf(service, id)}/operations/${body.operation.id}`;
        control.clock.advance(1000);
        expect((await service.request("GET", path)).body.status).toBe("running");
        control.clock.advance(1000);
        expect((await service.request("GET", path)).body).toEqual({
          ...body.operation,
          status: "complete",
          updatedAt: expect.stringMatching(timestamp),
        });
      }
    },
  ),
  controlledRow(
    {
      rule: "Services actions",
      quote: "for `deploy`, `clear-cache`: {deployment: Deployment}",
      endpoints: [`POST ${one}/actions`],
    },
    async (service, control) => {
      const { id } = liveService(control);
      for (const action of ["deploy", "clear-cache"]) {
        const { body } = await service.request("POST", `${pathOf(service, id)}/actions`, {
          body: { action },
        });
        expect(body).toEqual({
          deployment: expect.objectContaining({ status: "queued", id: expect.stringMatching(uuid) }),
        });
      }
    },
  ),
  controlledRow(
    {
      rule: "Services operations",
      quote: "Operation state of a job of this workspace and service",
      endpoints: [`GET ${one}/operations/{operationId}`],
    },
    async (service, control) => {
      const { id } = liveService(control);
      const other = liveService(control);
      const { operation } = (
        await service.request("POST", `${pathOf(service, id)}/actions`, { body: { action: "restart" } })
      ).body;
      expectError(
        await service.request("GET", `${pathOf(service, other.id)}/operations/${operation.id}`),
        404,
      );
      expectError(await service.request("GET", `${pathOf(service, id)}/operations/${unknownId}`), 404);
    },
  ),
];
