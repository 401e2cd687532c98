import { documentedDefaults } from "../../../src/api/wire/configuration";
import { createEmulator } from "../../../src/emulator/emulator";
import type { ManualClock } from "../../../src/emulator/testing";
import { type ContractService, freshKey, freshName, otherWorkspaceId } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  environmentIdOf,
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
import { scoped } from "./canvas-scope";

const createProject = (service: ContractService, options: Parameters<ContractService["request"]>[2] = {}) =>
  service.request("POST", `${service.workspace}/projects`, { body: projectDraft(service), ...options });

export const commonRows: readonly Row[] = [
  row({ rule: "Catalog read", quote: "Catalog object.", endpoints: ["GET /catalog"] }, async (service) => {
    const answer = await service.request("GET", "/catalog");
    expectDone(answer);
    const { body } = answer;
    expect(body.defaults).toMatchObject(documentedDefaults);
    expect(typeof body.capabilities.workerOnline).toBe("boolean");
    for (const plan of [...body.plans, ...body.databasePlans]) {
      expect(plan).toMatchObject({
        id: expect.any(String),
        name: expect.any(String),
        kinds: expect.any(Array),
        usd: expect.any(Number),
        ngn: expect.any(Number),
      });
    }
    for (const region of body.regions)
      expect(region).toMatchObject({
        id: expect.any(String),
        name: expect.any(String),
        description: expect.any(String),
      });
    for (const type of body.serviceTypes)
      expect(type).toMatchObject({
        id: expect.any(String),
        runtime: expect.any(Boolean),
        plural: expect.any(String),
      });
    expect(body.pricesAreEstimates).toEqual(expect.any(Boolean));
    for (const runtime of body.runtimes) expect(typeof runtime).toBe("string");
  }),
  row(
    {
      rule: "General behaviour 4",
      quote: "Prices returned by the catalog are estimates.",
      endpoints: ["GET /catalog"],
    },
    async (service) => {
      expect((await service.request("GET", "/catalog")).body.pricesAreEstimates).toBe(true);
    },
  ),
  row(
    { rule: "Authentication rule 1", quote: "Requests carry `Authorization: Bearer <API_KEY>`." },
    async (service) => {
      for (const authorization of ["Basic abc", "Bearer", "Bearer nothing", "Bearer rnv_unknown"]) {
        expectError(
          await service.request("GET", "/catalog", { apiKey: null, headers: { authorization } }),
          401,
        );
      }
    },
  ),
  controlledRow({ rule: "Authentication rule 2", quote: "A read-scope key allows GET." }, async (service) => {
    expect(
      (await service.request("GET", `${service.workspace}/projects`, { apiKey: "rnv_reader" })).status,
    ).toBe(200);
    const { id, name } = await newProject(service);
    const path = `${service.workspace}/projects/${id}`;
    expectError(await createProject(service, { apiKey: "rnv_reader" }), 403);
    expectError(await service.request("PATCH", path, { body: {}, apiKey: "rnv_reader" }), 403);
    expectError(
      await service.request("DELETE", path, { body: { confirm: name }, apiKey: "rnv_reader" }),
      403,
    );
  }),
  controlledRow(
    {
      rule: "Authentication rule 2",
      quote:
        "A write-scope key is additionally limited by current membership, role, email verification, expiry and the workspace MFA policy.",
    },
    async (service) => {
      for (const apiKey of ["rnv_viewer", "rnv_unverified", "rnv_without_mfa"])
        expectError(await createProject(service, { apiKey }), 403);
      expectError(await createProject(service, { apiKey: "rnv_expired" }), 401);
      expect((await createProject(service, { apiKey: "rnv_developer" })).status).toBe(200);
    },
  ),
  row(
    { rule: "Authentication rule 3", quote: "`{workspaceId}` in the path must match the scope of the key." },
    async (service) => {
      // 403 "key scope" or 404 "outside the caller's membership": which one is not said.
      expectRefused(await service.request("GET", `/workspaces/${unknownId}/projects`));
    },
  ),
  row({ rule: "Authentication rule 4", quote: "A bearer key does not need it." }, async (service) => {
    // No `X-CSRFToken`, no cookie of a session, none given either.
    const answer = await createProject(service);
    expectDone(answer);
    expect(answer.headers.get("set-cookie")).toBeNull();
  }),
  controlledRow(
    { rule: "Authentication rule 5", quote: "project deletion admin or owner" },
    async (service) => {
      const { id, name } = await newProject(service);
      const remove = (apiKey: string) =>
        service.request("DELETE", `${service.workspace}/projects/${id}`, { body: { confirm: name }, apiKey });
      expectError(await remove("rnv_developer"), 403);
      expect((await remove("rnv_admin")).body.deleted).toBe(true);
    },
  ),
  controlledRow(
    {
      rule: "Authentication rule 6",
      quote: "404 for a resource that does not exist or is outside the caller's membership",
    },
    async (service, { emulator }) => {
      const held = emulator.store.addService({ name: freshName() });
      const elsewhere = `/workspaces/${otherWorkspaceId}/services/${held.id}`;
      expectError(await service.request("GET", elsewhere, { apiKey: "rnv_elsewhere" }), 404);
      const body = { confirm: held.name };
      expectError(await service.request("DELETE", elsewhere, { body, apiKey: "rnv_elsewhere" }), 404);
      const { id } = await newProject(service);
      expectError(
        await service.request("GET", `/workspaces/${otherWorkspaceId}/projects/${id}`, {
          apiKey: "rnv_elsewhere",
        }),
        404,
      );
      expectError(
        await service.request("GET", `${service.workspace}/projects/${id}`, { apiKey: "rnv_elsewhere" }),
        404,
      );
      expect(
        (
          await service.request("GET", `/workspaces/${otherWorkspaceId}/projects`, {
            apiKey: "rnv_elsewhere",
          })
        ).body.projects,
      ).toEqual([]);
    },
  ),
  row(
    { rule: "Errors 400", quote: "Invalid JSON, values, cursor, confirmation or operation." },
    async (service) => {
      for (const raw of ['{"name": ', "[]", "null", '"text"', "{'name': 1}"])
        expectError(await createProject(service, { raw }), 400);
    },
  ),
  row({ rule: "Errors 401", quote: "Authentication missing, invalid or expired." }, async (service) => {
    expectError(await service.request("GET", "/catalog", { apiKey: null }), 401);
    expectError(await createProject(service, { apiKey: null }), 401);
  }),
  controlledRow(
    { rule: "Errors 403", quote: "Role, key scope, email verification, MFA or browser CSRF check failed." },
    async (service) => {
      expectError(await createProject(service, { apiKey: "rnv_viewer" }), 403);
    },
  ),
  row(
    { rule: "Errors 404", quote: "Resource does not exist or is outside the caller's workspace membership." },
    async (service) => {
      expectError(await service.request("GET", `${service.workspace}/projects/${unknownId}`), 404);
      const deployment = `${pathOf(service, (await newService(service)).id)}/deploys/${unknownId}`;
      expectError(await service.request("GET", deployment), 404);
    },
  ),
  row({ rule: "Errors 405", quote: "HTTP method not supported." }, async (service) => {
    for (const [method, path] of [
      ["PUT", `${service.workspace}/projects`],
      ["DELETE", "/catalog"],
    ] as const) {
      expectError(await service.request(method, path, { body: {} }), 405);
    }
  }),
  row(
    { rule: "Errors 400 canvas_invalid_node", quote: "unknown or no-longer-visible node ids" },
    async (service) => {
      const { put } = await scoped(service);
      expectError(await put({ positions: { [unknownId]: { x: 0, y: 0 } } }), 400, "canvas_invalid_node");
    },
  ),
  row(
    { rule: "Errors 409 idempotency_conflict", quote: "Resource conflict, `idempotency_conflict`" },
    async (service) => {
      const key = freshKey();
      await createProject(service, { key });
      expectError(await createProject(service, { key }), 409, "idempotency_conflict");
    },
  ),
  controlledRow({ rule: "Errors 409", quote: "Resource conflict" }, async (service) => {
    const project = await newProject(service);
    const environmentId = environmentIdOf(service, project);
    await newService(service, { projectId: project.id, environmentId });
    const path = `${service.workspace}/projects/${project.id}`;
    expectError(await service.request("DELETE", path, { body: { confirm: project.name } }), 409);
  }),
  controlledRow(
    { rule: "Errors 409 idempotency_legacy_conflict", quote: "`idempotency_legacy_conflict`" },
    async (service, control) => {
      const { id } = liveService(control);
      const key = freshKey();
      control.emulator.store.addLegacyDeployment(id, key);
      const answer = await service.request("POST", `${pathOf(service, id)}/deploys`, { body: {}, key });
      expectError(answer, 409, "idempotency_legacy_conflict");
    },
  ),
  controlledRow(
    { rule: "Errors 409 engine_unavailable", quote: "`engine_unavailable`" },
    async (service, control) => {
      const { id } = liveService(control);
      control.emulator.store.setCondition("hosting-off", true);
      try {
        const answer = await service.request("POST", `${pathOf(service, id)}/deploys`, { body: {} });
        expectError(answer, 409, "engine_unavailable");
      } finally {
        control.emulator.store.setCondition("hosting-off", false);
      }
    },
  ),
  row(
    {
      rule: "Errors 409 canvas_revision_conflict",
      quote: "stale canvas revision; GET the latest canvas before retrying",
    },
    async (service) => {
      const { id, path, put } = await scoped(service);
      expectDone(await put({ positions: { [id]: { x: 1, y: 1 } } }));
      expectError(await put({}), 409, "canvas_revision_conflict");
      const { revision } = (await service.request("GET", path)).body.layout;
      expectDone(await put({ revision }));
    },
  ),
  row({ rule: "Errors 413", quote: "Request body above 262144 bytes" }, async (service) => {
    expectError(
      await createProject(service, { body: { ...projectDraft(service), description: "x".repeat(300_000) } }),
      413,
    );
  }),
  controlledRow(
    {
      rule: "Errors 413 canvas_too_large",
      quote: "for a canvas scope above 2000 nodes or 10000 reference records or edges",
    },
    async (service, { emulator }) => {
      const { id, path } = await scoped(service);
      for (let i = 0; i <= 10_000; i += 1) emulator.store.addReference(id, id, [`K${i}`]);
      expectError(await service.request("GET", path), 413, "canvas_too_large");
      emulator.store.deleteServiceNow(id);
    },
  ),
  controlledRow(
    { rule: "Errors 500", quote: "Unexpected server failure; `requestId` identifies it." },
    async (service, { emulator }) => {
      emulator.setFaults(() => ({ kind: "status", status: 500 }));
      try {
        const headers = { "x-request-id": "who-asked-what" };
        for (const answer of [
          await service.request("GET", "/catalog", { headers }),
          await createProject(service, { headers }),
        ]) {
          expectError(answer, 500);
          expect(answer.body.requestId).toBe("who-asked-what");
        }
      } finally {
        emulator.setFaults(() => undefined);
      }
    },
  ),
  row({ rule: "Limits Request body size", quote: "262144 bytes (256 KiB)" }, async (service) => {
    const empty = JSON.stringify({ ...projectDraft(service), description: "" });
    const body = (bytes: number) =>
      empty.replace('"description":""', `"description":"${"x".repeat(bytes - empty.length)}"`);
    // How long a description may be is another question.
    expect((await createProject(service, { raw: body(262_144) })).status).not.toBe(413);
    expectError(await createProject(service, { raw: body(262_145) }), 413);
  }),
  controlledRow(
    {
      rule: "Errors 429",
      quote:
        "Request rate limit reached; header `Retry-After` (integer seconds, at least 1) says how long to wait.",
    },
    async (_, { clock }) => {
      await expectRateLimit(clock);
    },
  ),
  controlledRow(
    { rule: "Limits Retry-After", quote: "integer, at least 1 (seconds)" },
    async (_, { clock }) => {
      expect(Number(await expectRateLimit(clock))).toBeGreaterThanOrEqual(1);
    },
  ),
  controlledRow(
    { rule: "Versioning", quote: "The version is in the path prefix `/api/v1` of `{base_url}`." },
    async (service) => {
      expectError(await service.request("GET", "/../v2/catalog"), 404);
    },
  ),
  row(
    {
      rule: "Versioning",
      quote:
        "Lists that were once unbounded (for example projects) still return the complete list when neither `limit` nor `cursor` is supplied",
    },
    async (service) => {
      const { id } = await newProject(service);
      const { projects, page } = (await service.request("GET", `${service.workspace}/projects`)).body;
      expect(projects.map((project: { id: string }) => project.id)).toContain(id);
      expect(page.hasMore).toBe(false);
    },
  ),
];

/** Two requests a minute: the third waits for the rest of it. */
async function expectRateLimit(clock: ManualClock): Promise<string | undefined> {
  const emulator = createEmulator({ clock, rateLimit: { requests: 2, perSeconds: 60 } });
  const send = () =>
    emulator.handle({
      method: "GET",
      url: "http://embedded/api/v1/catalog",
      headers: { authorization: "Bearer rnv_embedded" },
    });
  expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.body).requestId).toBe(refused.headers["x-request-id"]);
  expect(refused.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  clock.advance(Number(refused.headers["retry-after"]) * 1000);
  expect((await send()).status).toBe(200);
  return refused.headers["retry-after"];
}
