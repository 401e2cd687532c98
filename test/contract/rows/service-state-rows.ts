import { controlledRow, type Row, row } from "../row";
import {
  expectError,
  expectRefused,
  liveService,
  newService,
  pathOf,
  timestamp,
  unknownId,
  uuid,
} from "../things";

const one = "/workspaces/{workspaceId}/services/{serviceId}";

export const serviceStateRows: readonly Row[] = [
  row("States Delete (nothing runs)", [`DELETE ${one}`], async (service) => {
    const made = await newService(service);
    const answer = await service.request("DELETE", pathOf(service, made.id), {
      body: { confirm: made.name },
    });
    expect([answer.status, answer.body.deleted]).toEqual([200, true]);
    expectError(
      await service.request("DELETE", pathOf(service, made.id), { body: { confirm: made.name } }),
      404,
    );
  }),
  controlledRow(
    "States Delete (something runs)",
    [`DELETE ${one}`, `GET ${one}/operations/{operationId}`],
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
    "States Archive (deployments)",
    [`POST ${one}/archive`, `POST ${one}/deploys`, `POST ${one}/actions`],
    async (service) => {
      // A repository that it could be deployed from, where that is known: then nothing else blocks.
      const repository = "https://git.example.com/a/b";
      const made = await newService(service, service.control ? { configuration: { repository } } : {});
      const path = pathOf(service, made.id);
      expect((await service.request("POST", `${path}/archive`, { body: {} })).body.service.archived).toBe(
        true,
      );
      expectRefused(await service.request("POST", `${path}/deploys`, { body: {} }));
      expectRefused(await service.request("POST", `${path}/actions`, { body: { action: "deploy" } }));
    },
  ),
  controlledRow("States Archive (runtime)", async (service, control) => {
    const { id, liveDeploymentId } = liveService(control);
    await service.request("POST", `${pathOf(service, id)}/archive`, { body: {} });
    expect((await service.request("GET", pathOf(service, id))).body.service.healthStatus).toBe("ready");
    // Whether its record still names the release is not shown.
    const held = control.emulator.store.services().find((one) => one.id === id);
    expect(held).toMatchObject({ liveDeploymentId, runtime: "running" });
  }),
  row("States Restore", [`POST ${one}/restore`], async (service) => {
    const made = await newService(service);
    await service.request("POST", `${pathOf(service, made.id)}/archive`, { body: {} });
    const restored = (await service.request("POST", `${pathOf(service, made.id)}/restore`, { body: {} })).body
      .service;
    expect(restored.archived).toBe(false);
    expect(restored.deploymentId ?? null).toBeNull();
  }),
  row("Services actions (words)", [`POST ${one}/actions`], async (service) => {
    const made = await newService(service);
    expectError(
      await service.request("POST", `${pathOf(service, made.id)}/actions`, { body: { action: "explode" } }),
      400,
    );
    expectError(await service.request("POST", `${pathOf(service, made.id)}/actions`, { body: {} }), 400);
  }),
  row("States Actions", [`POST ${one}/actions`], async (service) => {
    const made = await newService(service);
    for (const action of ["restart", "suspend", "resume"]) {
      expectRefused(
        await service.request("POST", `${pathOf(service, made.id)}/actions`, { body: { action } }),
      );
    }
  }),
  controlledRow(
    "Services actions (operations)",
    [`POST ${one}/actions`, `GET ${one}/operations/{operationId}`],
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
  controlledRow("Services actions (deployments)", [`POST ${one}/actions`], async (service, control) => {
    const { id } = liveService(control);
    for (const action of ["deploy", "clear-cache"]) {
      const { body } = await service.request("POST", `${pathOf(service, id)}/actions`, {
        body: { action },
      });
      expect(body).toEqual({
        deployment: expect.objectContaining({ status: "queued", id: expect.stringMatching(uuid) }),
      });
    }
  }),
  controlledRow(
    "Operation status values",
    [`GET ${one}/operations/{operationId}`],
    async (service, control) => {
      const { id } = liveService(control);
      control.emulator.store.failNextOperation(id);
      const { operation } = (
        await service.request("POST", `${pathOf(service, id)}/actions`, { body: { action: "restart" } })
      ).body;
      const path = `${pathOf(service, id)}/operations/${operation.id}`;
      control.clock.advance(60_000);
      const { body } = await service.request("GET", path);
      expect(body.status).toBe("failed");
      // "Internal payloads and error details of an operation are not exposed."
      expect(Object.keys(body).sort()).toEqual(["createdAt", "id", "kind", "status", "updatedAt"]);
    },
  ),
  controlledRow("Services operations", [`GET ${one}/operations/{operationId}`], async (service, control) => {
    const { id } = liveService(control);
    const other = liveService(control);
    const { operation } = (
      await service.request("POST", `${pathOf(service, id)}/actions`, { body: { action: "restart" } })
    ).body;
    expectError(await service.request("GET", `${pathOf(service, other.id)}/operations/${operation.id}`), 404);
    expectError(await service.request("GET", `${pathOf(service, id)}/operations/${unknownId}`), 404);
  }),
];
