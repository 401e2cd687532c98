import { freshKey } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  deployed,
  expectDone,
  expectError,
  expectRefused,
  liveService,
  newService,
  pathOf,
  sha,
  timestamp,
  unknownId,
  uuid,
} from "../things";

const all = "/workspaces/{workspaceId}/services/{serviceId}/deploys";
const repository = { configuration: { repository: "https://git.example.com/shop/api" } };

export const deploymentRows: readonly Row[] = [
  controlledRow("Deployments queue", [`POST ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const { deployment } = (await service.request("POST", `${pathOf(service, id)}/deploys`, { body: {} }))
      .body;
    expect(deployment).toEqual({
      id: expect.stringMatching(uuid),
      status: "queued",
      trigger: "manual",
      actor: expect.any(String),
      branch: "main",
      commitSha: "",
      commitMessage: expect.any(String),
      blockedReason: "",
      error: "",
      cancelRequested: false,
      canRollback: false,
      sourceDeploymentId: null,
      createdAt: expect.stringMatching(timestamp),
      startedAt: null,
      finishedAt: null,
      steps: [],
    });
  }),
  controlledRow("States Queue", [`POST ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const path = `${pathOf(service, id)}/deploys`;
    const { deployment } = (await service.request("POST", path, { body: {} })).body;
    expect((await service.request("GET", path)).body.items).toEqual([deployment]);
  }),
  row("Deployments list (of a service that was never deployed)", [`GET ${all}`], async (service) => {
    const { id } = await newService(service);
    const answer = await service.request("GET", `${pathOf(service, id)}/deploys`);
    expectDone(answer);
    expect(answer.body).toMatchObject({
      available: expect.any(Boolean),
      items: [],
      page: { hasMore: false, limit: expect.any(Number), nextCursor: null },
      reason: expect.any(String),
    });
  }),
  controlledRow("Deployments read", [`GET ${all}/{deploymentId}`], async (service, control) => {
    const live = liveService(control);
    const deployment = await deployed(service, control, live.id);
    expect(deployment).toMatchObject({ status: "live", finishedAt: expect.stringMatching(timestamp) });
    expect(deployment.steps.length).toBeGreaterThan(0);
    for (const step of deployment.steps)
      expect(step).toEqual({
        name: expect.any(String),
        startedAt: expect.stringMatching(timestamp),
        finishedAt: expect.stringMatching(timestamp),
      });
    expectError(await service.request("GET", `${pathOf(service, live.id)}/deploys/${unknownId}`), 404);
    expectError(
      await service.request("GET", `${pathOf(service, liveService(control).id)}/deploys/${deployment.id}`),
      404,
    );
  }),
  controlledRow("Limits commitSha", [`POST ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const send = (commitSha: unknown) =>
      service.request("POST", `${pathOf(service, id)}/deploys`, { body: { commitSha } });
    for (const wrong of [
      sha.slice(1),
      sha.toUpperCase(),
      `${sha}${"a".repeat(25)}`,
      `${sha.slice(1)}g`,
      "",
      7,
    ]) {
      expectError(await send(wrong), 400);
    }
    for (const right of [sha, `${sha}${"a".repeat(24)}`])
      expect((await send(right)).body.deployment.commitSha).toBe(right);
  }),
  controlledRow("Deployments list", [`GET ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const path = `${pathOf(service, id)}/deploys`;
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1)
      ids.unshift((await service.request("POST", path, { body: {} })).body.deployment.id);
    const { body } = await service.request("GET", path);
    expect(body).toMatchObject({
      available: true,
      page: { hasMore: false, limit: 100, nextCursor: null },
      reason: "",
    });
    expect(body.items.map((item: { id: string }) => item.id)).toEqual(ids);
    const first = (await service.request("GET", `${path}?limit=2`)).body;
    const second = (await service.request("GET", `${path}?limit=2&cursor=${first.page.nextCursor}`)).body;
    expect([...first.items, ...second.items].map((item: { id: string }) => item.id)).toEqual(ids);
  }),
  controlledRow("Deployments rule 1", [`GET ${all}`], async (service, { emulator }) => {
    const { id } = await newService(service);
    emulator.store.setCondition("hosting-off", true);
    try {
      const { body } = await service.request("GET", `${pathOf(service, id)}/deploys`);
      expect(body).toMatchObject({ available: false, items: [], page: { hasMore: false } });
      expect(body.reason).not.toBe("");
    } finally {
      emulator.store.setCondition("hosting-off", false);
    }
  }),
  controlledRow("Deployments rule 2 (hosting)", [`POST ${all}`], async (service, { emulator }) => {
    const { id } = await newService(service, repository);
    emulator.store.setCondition("hosting-off", true);
    try {
      expectError(
        await service.request("POST", `${pathOf(service, id)}/deploys`, { body: {} }),
        409,
        "engine_unavailable",
      );
    } finally {
      emulator.store.setCondition("hosting-off", false);
    }
  }),
  row("Deployments rule 2 (source)", async (service) => {
    const { id } = await newService(service);
    expectRefused(await service.request("POST", `${pathOf(service, id)}/deploys`, { body: {} }));
  }),
  controlledRow("Deployments rule 3", [`POST ${all}`], async (service, { clock }) => {
    const { id } = await newService(service, repository);
    const [path, key] = [`${pathOf(service, id)}/deploys`, freshKey()];
    const first = await service.request("POST", path, { body: {}, key });
    clock.advance(60_000);
    expect((await service.request("GET", `${path}/${first.body.deployment.id}`)).body.deployment.status).toBe(
      "live",
    );
    expect((await service.request("POST", path, { body: {}, key })).body).toEqual(first.body);
  }),
  controlledRow("Deployments rule 4", [`POST ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const send = () =>
      service.request("POST", `${pathOf(service, id)}/deploys`, { body: {}, key: freshKey() });
    expect((await send()).body.deployment.id).not.toBe((await send()).body.deployment.id);
  }),
];
