import { type Answer, type ContractService, freshKey, freshName } from "../contract-service";
import { replayHeaderOf } from "../replay";
import { controlledRow, type Row, row } from "../row";
import {
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

const post = (service: ContractService, options: Parameters<ContractService["request"]>[2] = {}) =>
  service.request("POST", `${service.workspace}/projects`, { body: projectDraft(service), ...options });
const day = 24 * 60 * 60 * 1000;

/** A path that answers 404 with an error body. */
const missing = (service: ContractService): string => `${service.workspace}/projects/${unknownId}`;

async function countNamed(service: ContractService, name: string): Promise<number> {
  const { projects } = (await service.request("GET", `${service.workspace}/projects`)).body;
  return projects.filter((project: { name: string }) => project.name === name).length;
}

export const headerRows: readonly Row[] = [
  row("Header and parameter X-Request-ID (returned)", async (service) => {
    for (const id of ["a", "A.b_c-1", "0".repeat(64)]) {
      const headers = { "x-request-id": id };
      expect((await service.request("GET", "/catalog", { headers })).headers.get("x-request-id")).toBe(id);
      expect((await service.request("GET", missing(service), { headers })).body.requestId).toBe(id);
    }
    expect((await service.request("GET", "/catalog")).headers.get("x-request-id")).toMatch(/./);
  }),
  row("Header and parameter X-Request-ID (invalid)", async (service) => {
    for (const id of ["-a", "a b", "a/b", "ü"]) {
      const answer = await service.request("GET", missing(service), {
        headers: { "x-request-id": Buffer.from(id).toString("latin1") },
      });
      expect(answer.body.requestId).not.toBe(id);
      expect(answer.body.requestId).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    }
  }),
  row("Limits X-Request-ID length", async (service) => {
    const id = "a".repeat(65);
    expect(
      (await service.request("GET", "/catalog", { headers: { "x-request-id": id } })).headers.get(
        "x-request-id",
      ),
    ).not.toBe(id);
  }),
  row("Header and parameter X-Request-ID (no idempotency key)", async (service) => {
    const body = projectDraft(service);
    const headers = { "x-request-id": `r-${freshName()}` };
    const ids = [await post(service, { body, headers }), await post(service, { body, headers })].map(
      (answer) => answer.body.project.id,
    );
    expect(ids[0]).not.toBe(ids[1]);
  }),
  row("Header and parameter X-CSRFToken", async (service) => {
    expectDone(await post(service));
    expectDone(await post(service, { headers: { "x-csrftoken": "anything" } }));
  }),
  row("Header and parameter limit", async (service) => {
    const made = [await newProject(service), await newProject(service), await newProject(service)].map(
      ({ id }) => id,
    );
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "limit=2" : `limit=2&cursor=${encodeURIComponent(cursor)}`;
      const { projects, page } = (await service.request("GET", `${service.workspace}/projects?${query}`))
        .body;
      expect(projects.length).toBeLessThanOrEqual(2);
      expect(page).toMatchObject({ hasMore: page.nextCursor !== null, limit: 2 });
      seen.push(...projects.map((project: { id: string }) => project.id));
      cursor = page.nextCursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(made));
  }),
  row("Limits Page size", async (service) => {
    const list = (limit: string) => service.request("GET", `${service.workspace}/projects?limit=${limit}`);
    for (const wrong of ["0", "201", "-1", "1.5", "ten"]) expectError(await list(wrong), 400);
    for (const right of ["1", "200"]) expect((await list(right)).body.page.limit).toBe(Number(right));
    const { id } = await newService(service);
    expect((await service.request("GET", `${pathOf(service, id)}/deploys`)).body.page.limit).toBe(100);
  }),
  row("Header and parameter cursor (invalid)", async (service) => {
    for (const cursor of ["nothing", "AAAA", Buffer.from('{"offset":2}').toString("base64")]) {
      expectError(
        await service.request("GET", `${service.workspace}/projects?cursor=${encodeURIComponent(cursor)}`),
        400,
      );
    }
  }),
  controlledRow("Header and parameter cursor (reuse)", async (service, control) => {
    await newProject(service);
    await newProject(service);
    const { nextCursor } = (await service.request("GET", `${service.workspace}/projects?limit=1`)).body.page;
    expect(
      (await service.request("GET", `${service.workspace}/projects?limit=1&cursor=${nextCursor}`)).status,
    ).toBe(200);
    expectError(
      await service.request("GET", `${service.workspace}/projects?limit=2&cursor=${nextCursor}`),
      400,
    );
    expectError(
      await service.request(
        "GET",
        `${pathOf(service, liveService(control).id)}/deploys?limit=1&cursor=${nextCursor}`,
      ),
      400,
    );
  }),
  row("Header and parameter Idempotency-Key", async (service) => {
    for (const key of ["with space", "a".repeat(161), "\u00e9"]) expectRefused(await post(service, { key }));
    expectDone(await post(service, { key: `!~${freshKey()}` }));
  }),
  row("Limits Idempotency-Key length", async (service) => {
    expectDone(await post(service, { key: freshKey().padEnd(160, "x") }));
    expectRefused(await post(service, { key: freshKey().padEnd(161, "x") }));
  }),
  row("Idempotency rule 1 (retention)", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const first = await post(service, { body, key });
    const second = await post(service, { body, key });
    expect(second.body).toEqual(first.body);
    expect(second.status).toBe(first.status);
    expect(await countNamed(service, body.name)).toBe(1);
  }),
  controlledRow("Limits Idempotency retention", async (service, { clock }) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const first = await post(service, { body, key });
    clock.advance(day - 1000);
    expect((await post(service, { body, key })).body).toEqual(first.body);
    clock.advance(1000);
    const later = await post(service, { body, key });
    expect(replayHeaderOf(later)).toBe("false");
    expect(later.body.project.id).not.toBe(first.body.project.id);
  }),
  controlledRow("Idempotency rule 1 (scope)", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const { project } = (await post(service, { body, key })).body;
    const admin = await post(service, { body, key, apiKey: "rnv_admin" });
    expect(replayHeaderOf(admin)).toBe("false");
    expect(admin.body.project.id).not.toBe(project.id);
    const path = `${service.workspace}/projects/${project.id}`;
    expect(replayHeaderOf(await service.request("PATCH", path, { body: { description: "x" }, key }))).toBe(
      "false",
    );
    expect(
      replayHeaderOf(await service.request("DELETE", path, { body: { confirm: project.name }, key })),
    ).toBe("false");
  }),
  row("Idempotency rule 1 (a refusal is not retained)", async (service) => {
    const key = freshKey();
    expectError(await post(service, { body: { ...projectDraft(service), name: 7 }, key }), 400);
    expectDone(await post(service, { key }));
  }),
  row("Idempotency rule 2", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    await post(service, { body, key });
    expectError(
      await post(service, { body: { ...body, description: "other" }, key }),
      409,
      "idempotency_conflict",
    );
  }),
  controlledRow("Idempotency rule 2 (the order of its fields is no change)", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    await post(service, { body, key });
    const reordered = { color: body.color, name: body.name };
    expect(replayHeaderOf(await post(service, { body: reordered, key }))).toBe("true");
  }),
  controlledRow("Idempotency rule 3", async (service, control) => {
    const path = `${pathOf(service, liveService(control).id)}/deploys`;
    const key = freshKey();
    expectError(await service.request("POST", path, { body: { requestId: "other" }, key }), 400);
    expect((await service.request("POST", path, { body: { requestId: key }, key })).status).toBe(200);
  }),
  row("Idempotency rule 4", async (service) => {
    const [body, key] = [projectDraft(service), freshKey()];
    const saying = (answer: Answer, word: string) =>
      [...answer.headers].filter(([, value]) => value === word).map(([name]) => name);
    const first = saying(await post(service, { body, key }), "false");
    const again = saying(await post(service, { body, key }), "true");
    // Whatever it is called: one header says first the one, then the other, and is not there without a key.
    const [name = "", ...others] = first.filter((one) => again.includes(one));
    expect([name, others]).toEqual([expect.stringMatching(/./), []]);
    expect((await post(service)).headers.has(name)).toBe(false);
  }),
  controlledRow("Idempotency rule 5", async (service, control) => {
    const { id } = liveService(control);
    const key = freshKey();
    control.emulator.store.addLegacyDeployment(id, key);
    const count = control.emulator.store.deployments(id).length;
    expectError(
      await service.request("POST", `${pathOf(service, id)}/deploys`, { body: {}, key }),
      409,
      "idempotency_legacy_conflict",
    );
    expect(control.emulator.store.deployments(id)).toHaveLength(count);
  }),
];
