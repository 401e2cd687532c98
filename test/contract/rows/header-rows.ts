import { type Answer, type ContractService, type Control, freshKey, freshName } from "../contract-service";
import { replayHeaderOf } from "../replay";
import { controlledRow, type Row, row } from "../row";
import {
  createProject,
  expectDone,
  expectError,
  expectRefused,
  liveService,
  newProject,
  newService,
  pathOf,
  projectDraft,
  unknownId,
} from "../things";

const day = 24 * 60 * 60 * 1000;

/** A path that answers 404 with an error body. */
const missing = (service: ContractService): string => `${service.workspace}/projects/${unknownId}`;

async function countNamed(service: ContractService, name: string): Promise<number> {
  const { projects } = (await service.get(`${service.workspace}/projects`)).body;
  return projects.filter((project: { name: string }) => project.name === name).length;
}

export async function refuseOtherBody(service: ContractService): Promise<void> {
  const [body, key] = [projectDraft(service), freshKey()];
  await createProject(service, { body, key });
  const other = await createProject(service, { body: { ...body, description: "other" }, key });
  expectError(other, 409, "idempotency_conflict");
}

export async function refuseLegacyKey(service: ContractService, control: Control): Promise<void> {
  const { id } = liveService(control);
  const key = freshKey();
  control.emulator.store.addLegacyDeployment(id, key);
  const count = control.emulator.store.deployments(id).length;
  const answer = await service.post(`${pathOf(service, id)}/deploys`, {}, { key });
  expectError(answer, 409, "idempotency_legacy_conflict");
  expect(control.emulator.store.deployments(id)).toHaveLength(count);
}

export const headerRows: readonly Row[] = [
  row("Header and parameter X-Request-ID (returned)", async (service) => {
    for (const id of ["a", "A.b_c-1", "0".repeat(64)]) {
      const headers = { "x-request-id": id };
      expect((await service.get("/catalog", { headers })).headers.get("x-request-id")).toBe(id);
      expect((await service.get(missing(service), { headers })).body.requestId).toBe(id);
    }
    expect((await service.get("/catalog")).headers.get("x-request-id")).toMatch(/./);
  }),
  row("Header and parameter X-Request-ID (invalid)", async (service) => {
    for (const id of ["-a", "a b", "a/b", "ü"]) {
      const answer = await service.get(missing(service), {
        headers: { "x-request-id": Buffer.from(id).toString("latin1") },
      });
      expect(answer.body.requestId).not.toBe(id);
      expect(answer.body.requestId).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    }
  }),
  row("Limits X-Request-ID length", async (service) => {
    const id = "a".repeat(65);
    expect(
      (await service.get("/catalog", { headers: { "x-request-id": id } })).headers.get("x-request-id"),
    ).not.toBe(id);
  }),
  row("Header and parameter X-Request-ID (no idempotency key)", async (service) => {
    const body = projectDraft(service);
    const headers = { "x-request-id": `r-${freshName()}` };
    const ids = [
      await createProject(service, { body, headers }),
      await createProject(service, { body, headers }),
    ].map((answer) => answer.body.project.id);
    expect(ids[0]).not.toBe(ids[1]);
  }),
  row("Header and parameter X-CSRFToken", async (service) => {
    expectDone(await createProject(service));
    expectDone(await createProject(service, { headers: { "x-csrftoken": "anything" } }));
  }),
  row("Header and parameter limit", async (service) => {
    const made = [await newProject(service), await newProject(service), await newProject(service)].map(
      ({ id }) => id,
    );
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "limit=2" : `limit=2&cursor=${encodeURIComponent(cursor)}`;
      const { projects, page } = (await service.get(`${service.workspace}/projects?${query}`)).body;
      expect(projects.length).toBeLessThanOrEqual(2);
      expect(page).toMatchObject({ hasMore: page.nextCursor !== null, limit: 2 });
      seen.push(...projects.map((project: { id: string }) => project.id));
      cursor = page.nextCursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(made));
  }),
  row("Limits Page size", async (service) => {
    const list = (limit: string) => service.get(`${service.workspace}/projects?limit=${limit}`);
    for (const wrong of ["0", "201", "-1", "1.5", "ten"]) expectError(await list(wrong), 400);
    for (const right of ["1", "200"]) expect((await list(right)).body.page.limit).toBe(Number(right));
    const { id } = await newService(service);
    expect((await service.get(`${pathOf(service, id)}/deploys`)).body.page.limit).toBe(100);
  }),
  row("Header and parameter cursor (invalid)", async (service) => {
    for (const cursor of ["nothing", "AAAA", Buffer.from('{"offset":2}').toString("base64")]) {
      expectError(
        await service.get(`${service.workspace}/projects?cursor=${encodeURIComponent(cursor)}`),
        400,
      );
    }
  }),
  controlledRow("Header and parameter cursor (reuse)", async (service, control) => {
    await newProject(service);
    await newProject(service);
    const { nextCursor } = (await service.get(`${service.workspace}/projects?limit=1`)).body.page;
    expect((await service.get(`${service.workspace}/projects?limit=1&cursor=${nextCursor}`)).status).toBe(
      200,
    );
    expectError(await service.get(`${service.workspace}/projects?limit=2&cursor=${nextCursor}`), 400);
    expectError(
      await service.get(`${pathOf(service, liveService(control).id)}/deploys?limit=1&cursor=${nextCursor}`),
      400,
    );
  }),
  row("Header and parameter Idempotency-Key", async (service) => {
    for (const key of ["with space", "a".repeat(161), "\u00e9"])
      expectRefused(await createProject(service, { key }));
    expectDone(await createProject(service, { key: `!~${freshKey()}` }));
  }),
  row("Limits Idempotency-Key length", async (service) => {
    expectDone(await createProject(service, { key: freshKey().padEnd(160, "x") }));
    expectRefused(await createProject(service, { key: freshKey().padEnd(161, "x") }));
  }),
  row("Idempotency rule 1 (retention)", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const first = await createProject(service, { body, key });
    const second = await createProject(service, { body, key });
    expect(second.body).toEqual(first.body);
    expect(second.status).toBe(first.status);
    expect(await countNamed(service, body.name)).toBe(1);
  }),
  controlledRow("Limits Idempotency retention", async (service, { clock }) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const first = await createProject(service, { body, key });
    clock.advance(day - 1000);
    expect((await createProject(service, { body, key })).body).toEqual(first.body);
    clock.advance(1000);
    const later = await createProject(service, { body, key });
    expect(replayHeaderOf(later)).toBe("false");
    expect(later.body.project.id).not.toBe(first.body.project.id);
  }),
  controlledRow("Idempotency rule 1 (scope)", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const { project } = (await createProject(service, { body, key })).body;
    const admin = await createProject(service, { body, key, apiKey: "rnv_admin" });
    expect(replayHeaderOf(admin)).toBe("false");
    expect(admin.body.project.id).not.toBe(project.id);
    const path = `${service.workspace}/projects/${project.id}`;
    expect(replayHeaderOf(await service.patch(path, { description: "x" }, { key }))).toBe("false");
    expect(replayHeaderOf(await service.delete(path, { confirm: project.name }, { key }))).toBe("false");
  }),
  row("Idempotency rule 1 (a refusal is not retained)", async (service) => {
    const key = freshKey();
    expectError(await createProject(service, { body: { ...projectDraft(service), name: 7 }, key }), 400);
    expectDone(await createProject(service, { key }));
  }),
  row("Idempotency rule 2", refuseOtherBody),
  controlledRow("Idempotency rule 2 (the order of its fields is no change)", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    await createProject(service, { body, key });
    const reordered = { color: body.color, name: body.name };
    expect(replayHeaderOf(await createProject(service, { body: reordered, key }))).toBe("true");
  }),
  controlledRow("Idempotency rule 3", async (service, control) => {
    const path = `${pathOf(service, liveService(control).id)}/deploys`;
    const key = freshKey();
    expectError(await service.post(path, { requestId: "other" }, { key }), 400);
    expect((await service.post(path, { requestId: key }, { key })).status).toBe(200);
  }),
  row("Idempotency rule 4", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const saying = (answer: Answer, word: string) =>
      [...answer.headers].filter(([, value]) => value === word).map(([name]) => name);
    const first = saying(await createProject(service, { body, key }), "false");
    const again = saying(await createProject(service, { body, key }), "true");
    // Whatever it is called: one header says first the one, then the other, and is not there without a key.
    const [name = "", ...others] = first.filter((one) => again.includes(one));
    expect([name, others]).toEqual([expect.stringMatching(/./), []]);
    expect((await createProject(service)).headers.has(name)).toBe(false);
  }),
  controlledRow("Idempotency rule 5", refuseLegacyKey),
];
