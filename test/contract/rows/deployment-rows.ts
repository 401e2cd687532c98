import { type Answer, type ContractService, type Control, freshKey } from "../contract-service";
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

async function withoutHosting({ emulator }: Control, ask: () => Promise<Answer>): Promise<Answer> {
  emulator.store.setCondition("hosting-off", true);
  try {
    return await ask();
  } finally {
    emulator.store.setCondition("hosting-off", false);
  }
}

export async function refuseWithoutHosting(service: ContractService, control: Control): Promise<void> {
  const { id } = await newService(service, repository);
  const deploy = () => service.post(`${pathOf(service, id)}/deploys`, {});
  expectError(await withoutHosting(control, deploy), 409, "engine_unavailable");
}

export const deploymentRows: readonly Row[] = [
  controlledRow("Deployments queue", [`POST ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const { deployment } = (await service.post(`${pathOf(service, id)}/deploys`, {})).body;
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
    const { deployment } = (await service.post(path, {})).body;
    expect((await service.get(path)).body.items).toEqual([deployment]);
  }),
  row("Deployments list (of a service that was never deployed)", [`GET ${all}`], async (service) => {
    const { id } = await newService(service);
    const answer = await service.get(`${pathOf(service, id)}/deploys`);
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
    expectError(await service.get(`${pathOf(service, live.id)}/deploys/${unknownId}`), 404);
    expectError(
      await service.get(`${pathOf(service, liveService(control).id)}/deploys/${deployment.id}`),
      404,
    );
  }),
  controlledRow("Limits commitSha", [`POST ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const send = (commitSha: unknown) => service.post(`${pathOf(service, id)}/deploys`, { commitSha });
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
    for (let i = 0; i < 3; i += 1) ids.unshift((await service.post(path, {})).body.deployment.id);
    const { body } = await service.get(path);
    expect(body).toMatchObject({
      available: true,
      page: { hasMore: false, limit: 100, nextCursor: null },
      reason: "",
    });
    expect(body.items.map((item: { id: string }) => item.id)).toEqual(ids);
    const first = (await service.get(`${path}?limit=2`)).body;
    const second = (await service.get(`${path}?limit=2&cursor=${first.page.nextCursor}`)).body;
    expect([...first.items, ...second.items].map((item: { id: string }) => item.id)).toEqual(ids);
  }),
  controlledRow("Deployments rule 1", [`GET ${all}`], async (service, control) => {
    const { id } = await newService(service);
    const { body } = await withoutHosting(control, () => service.get(`${pathOf(service, id)}/deploys`));
    expect(body).toMatchObject({ available: false, items: [], page: { hasMore: false } });
    expect(body.reason).not.toBe("");
  }),
  controlledRow("Deployments rule 2 (hosting)", [`POST ${all}`], refuseWithoutHosting),
  row("Deployments rule 2 (source)", async (service) => {
    const { id } = await newService(service);
    expectRefused(await service.post(`${pathOf(service, id)}/deploys`, {}));
  }),
  controlledRow("Deployments rule 3", [`POST ${all}`], async (service, { clock }) => {
    const { id } = await newService(service, repository);
    const [path, key] = [`${pathOf(service, id)}/deploys`, freshKey()];
    const first = await service.post(path, {}, { key });
    clock.advance(60_000);
    expect((await service.get(`${path}/${first.body.deployment.id}`)).body.deployment.status).toBe("live");
    expect((await service.post(path, {}, { key })).body).toEqual(first.body);
  }),
  controlledRow("Deployments rule 4", [`POST ${all}`], async (service) => {
    const { id } = await newService(service, repository);
    const send = () => service.post(`${pathOf(service, id)}/deploys`, {}, { key: freshKey() });
    expect((await send()).body.deployment.id).not.toBe((await send()).body.deployment.id);
  }),
];
