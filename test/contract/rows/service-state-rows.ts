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
    const answer = await service.delete(pathOf(service, made.id), { confirm: made.name });
    expect([answer.status, answer.body.deleted]).toEqual([200, true]);
    expectError(await service.delete(pathOf(service, made.id), { confirm: made.name }), 404);
  }),
  controlledRow(
    "States Delete (something runs)",
    [`DELETE ${one}`, `GET ${one}/operations/{operationId}`],
    async (service, control) => {
      const { id, name } = liveService(control);
      const answer = await service.delete(pathOf(service, id), { confirm: name });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        deleted: false,
        queued: true,
        operation: { status: "queued", id: expect.stringMatching(uuid) },
      });
      const path = `${pathOf(service, id)}/operations/${answer.body.operation.id}`;
      expect((await service.get(path)).body.status).toBe("queued");
      expect((await service.get(pathOf(service, id))).body.service).toMatchObject({
        archived: true,
        deletionRequestedAt: expect.stringMatching(timestamp),
      });
      control.clock.advance(60_000);
      expect((await service.get(path)).body.status).toBe("complete");
      expectError(await service.get(pathOf(service, id)), 404);
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
      expect((await service.post(`${path}/archive`, {})).body.service.archived).toBe(true);
      expectRefused(await service.post(`${path}/deploys`, {}));
      expectRefused(await service.post(`${path}/actions`, { action: "deploy" }));
    },
  ),
  controlledRow("States Archive (runtime)", async (service, control) => {
    const { id, liveDeploymentId } = liveService(control);
    await service.post(`${pathOf(service, id)}/archive`, {});
    expect((await service.get(pathOf(service, id))).body.service.healthStatus).toBe("ready");
    // Whether its record still names the release is not shown.
    const held = control.emulator.store.services().find((one) => one.id === id);
    expect(held).toMatchObject({ liveDeploymentId, runtime: "running" });
  }),
  row("States Restore", [`POST ${one}/restore`], async (service) => {
    const made = await newService(service);
    await service.post(`${pathOf(service, made.id)}/archive`, {});
    const restored = (await service.post(`${pathOf(service, made.id)}/restore`, {})).body.service;
    expect(restored.archived).toBe(false);
    expect(restored.deploymentId ?? null).toBeNull();
  }),
  row("Services actions (words)", [`POST ${one}/actions`], async (service) => {
    const made = await newService(service);
    expectError(await service.post(`${pathOf(service, made.id)}/actions`, { action: "explode" }), 400);
    expectError(await service.post(`${pathOf(service, made.id)}/actions`, {}), 400);
  }),
  row("States Actions", [`POST ${one}/actions`], async (service) => {
    const made = await newService(service);
    for (const action of ["restart", "suspend", "resume"]) {
      expectRefused(await service.post(`${pathOf(service, made.id)}/actions`, { action }));
    }
  }),
  controlledRow(
    "Services actions (operations)",
    [`POST ${one}/actions`, `GET ${one}/operations/{operationId}`],
    async (service, control) => {
      const { id } = liveService(control);
      for (const action of ["suspend", "resume", "restart"]) {
        const { body } = await service.post(`${pathOf(service, id)}/actions`, { action });
        expect(body).toMatchObject({ queued: true, operation: { kind: action, status: "queued" } });
        const path = `${pathOf(service, id)}/operations/${body.operation.id}`;
        control.clock.advance(1000);
        expect((await service.get(path)).body.status).toBe("running");
        control.clock.advance(1000);
        expect((await service.get(path)).body).toEqual({
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
      const { body } = await service.post(`${pathOf(service, id)}/actions`, { action });
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
      const { operation } = (await service.post(`${pathOf(service, id)}/actions`, { action: "restart" }))
        .body;
      const path = `${pathOf(service, id)}/operations/${operation.id}`;
      control.clock.advance(60_000);
      const { body } = await service.get(path);
      expect(body.status).toBe("failed");
      // "Internal payloads and error details of an operation are not exposed."
      expect(Object.keys(body).sort()).toEqual(["createdAt", "id", "kind", "status", "updatedAt"]);
    },
  ),
  controlledRow("Services operations", [`GET ${one}/operations/{operationId}`], async (service, control) => {
    const { id } = liveService(control);
    const other = liveService(control);
    const { operation } = (await service.post(`${pathOf(service, id)}/actions`, { action: "restart" })).body;
    expectError(await service.get(`${pathOf(service, other.id)}/operations/${operation.id}`), 404);
    expectError(await service.get(`${pathOf(service, id)}/operations/${unknownId}`), 404);
  }),
];
