import { controlledRow, type Row } from "../row";
import { deployed, expectError, expectRefused, liveService, newService, pathOf, timestamp } from "../things";

const all = "/workspaces/{workspaceId}/services/{serviceId}/deploys";
const repository = { configuration: { repository: "https://git.example.com/shop/api" } };

export const deploymentStateRows: readonly Row[] = [
  controlledRow("General behaviour 3", async (service, control) => {
    const { id, configuration } = await newService(service, {
      configuration: { ...repository.configuration, plan: "starter" },
    });
    expect(configuration.plan).toBe("starter");
    const waiting = await deployed(service, control, id);
    expect(waiting.status).toBe("queued");
    expect(waiting.blockedReason).toMatch(/checkout/i);
    control.emulator.store.completeCheckout(id);
    // Whether the waiting one starts by itself is not shown.
    expect((await deployed(service, control, id)).status).toBe("live");
  }),
  controlledRow("Authentication rule 7", async (service, control) => {
    const { id } = await newService(service, {
      configuration: { ...repository.configuration, plan: "starter" },
    });
    expect((await deployed(service, control, id)).status).toBe("queued");
    expect((await deployed(service, control, id)).status).toBe("queued");
  }),
  controlledRow(
    "States Cancel (in progress)",
    [`POST ${all}/{deploymentId}/cancel`],
    async (service, { clock }) => {
      const { id } = await newService(service, repository);
      const path = `${pathOf(service, id)}/deploys`;
      const { deployment } = (await service.post(path, {})).body;
      const cancelled = await service.post(`${path}/${deployment.id}/cancel`, {});
      expect(cancelled.body).toEqual({ cancelRequested: true });
      expect((await service.get(`${path}/${deployment.id}`)).body.deployment).toMatchObject({
        status: "queued",
        cancelRequested: true,
      });
      clock.advance(60_000);
      const ended = (await service.get(`${path}/${deployment.id}`)).body.deployment;
      // Which of the terminal states it is, is not shown.
      expect(["cancelled", "superseded", "live"]).toContain(ended.status);
      expect(ended.finishedAt).toMatch(timestamp);
    },
  ),
  controlledRow(
    "States Cancel (terminal)",
    [`POST ${all}/{deploymentId}/cancel`],
    async (service, control) => {
      const { id } = await newService(service, repository);
      const deployment = await deployed(service, control, id);
      const path = `${pathOf(service, id)}/deploys/${deployment.id}`;
      // Status and code of it are not shown.
      expectRefused(await service.post(`${path}/cancel`, {}));
      expect((await service.get(path)).body.deployment).toEqual(deployment);
    },
  ),
  controlledRow("General behaviour 1", async (service, control) => {
    const { id, liveDeploymentId } = liveService(control);
    const { deployment } = (await service.post(`${pathOf(service, id)}/deploys`, {})).body;
    expect((await service.get(pathOf(service, id))).body.service).toMatchObject({
      liveDeploymentId,
      deploymentId: deployment.id,
    });
    control.clock.advance(60_000);
    expect((await service.get(pathOf(service, id))).body.service.liveDeploymentId).toBe(deployment.id);
  }),
  controlledRow("General behaviour 2", async (service, control) => {
    const { id } = liveService(control);
    control.emulator.store.failNextDeployment(id, "no such branch");
    const answer = await service.post(`${pathOf(service, id)}/deploys`, {});
    expect(answer.status).toBe(200);
    control.clock.advance(60_000);
    const path = `${pathOf(service, id)}/deploys/${answer.body.deployment.id}`;
    expect((await service.get(path)).body.deployment).toMatchObject({
      status: "failed",
      error: "no such branch",
    });
  }),
  controlledRow("Deployment status values", async (service, { clock }) => {
    const { id } = await newService(service, repository);
    const path = `${pathOf(service, id)}/deploys`;
    const { deployment } = (await service.post(path, {})).body;
    const seen = new Set<string>();
    for (let step = 0; step < 200; step += 1) {
      seen.add((await service.get(`${path}/${deployment.id}`)).body.deployment.status);
      clock.advance(100);
    }
    const stated = [
      ...["queued", "preparing", "cloning", "building", "predeploy", "deploying", "checking"],
      ...["live", "failed", "cancelled", "superseded"],
    ];
    expect([...seen].filter((status) => !stated.includes(status))).toEqual([]);
    expect([...seen].at(0)).toBe("queued");
    expect([...seen].at(-1)).toBe("live");
    expect(seen.size).toBeGreaterThan(2);
  }),
  controlledRow("Deployment status superseded", async (service, control) => {
    const { id } = await newService(service, repository);
    const path = `${pathOf(service, id)}/deploys`;
    const first = (await service.post(path, {})).body.deployment;
    const second = await deployed(service, control, id);
    expect(second.status).toBe("live");
    expect((await service.get(`${path}/${first.id}`)).body.deployment.status).toBe("superseded");
  }),
  controlledRow("Gap Rollback", [`POST ${all}/{deploymentId}/rollback`], async (service, control) => {
    const { id, name } = await newService(service, repository);
    const first = await deployed(service, control, id);
    const second = await deployed(service, control, id);
    const path = `${pathOf(service, id)}/deploys`;
    expect((await service.get(`${path}/${first.id}`)).body.deployment.canRollback).toBe(true);
    expect(second.canRollback).toBe(false);
    expectError(await service.post(`${path}/${first.id}/rollback`, { confirm: "other" }), 400);
    expectError(await service.post(`${path}/${second.id}/rollback`, { confirm: name }), 409);
    const { deployment } = (await service.post(`${path}/${first.id}/rollback`, { confirm: name })).body;
    expect(deployment).toMatchObject({ status: "queued", sourceDeploymentId: first.id });
  }),
];
