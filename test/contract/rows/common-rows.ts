import { documentedDefaults } from "../../../src/api/wire/shapes";
import { createEmulator } from "../../../src/emulator/emulator";
import type { ManualClock } from "../../../src/emulator/testing";
import { freshName, otherWorkspaceId } from "../contract-service";
import { controlledRow, type Row, row } from "../row";
import {
  createProject,
  environmentIdOf,
  expectDone,
  expectError,
  expectRefused,
  newProject,
  newService,
  pathOf,
  projectDraft,
  unknownId,
} from "../things";
import { refuseTooManyReferences } from "./canvas-limit-rows";
import { refuseOtherNodes } from "./canvas-rows";
import { scoped } from "./canvas-scope";
import { refuseWithoutHosting } from "./deployment-rows";
import { refuseLegacyKey, refuseOtherBody } from "./header-rows";

export const commonRows: readonly Row[] = [
  row("Catalog read", ["GET /catalog"], async (service) => {
    const answer = await service.get("/catalog");
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
  row("General behaviour 4", ["GET /catalog"], async (service) => {
    expect((await service.get("/catalog")).body.pricesAreEstimates).toBe(true);
  }),
  row("Authentication rule 1", async (service) => {
    for (const authorization of ["Basic abc", "Bearer", "Bearer nothing", "Bearer rnv_unknown"]) {
      expectError(await service.get("/catalog", { apiKey: null, headers: { authorization } }), 401);
    }
  }),
  controlledRow("Authentication rule 2 (read scope)", async (service) => {
    expect((await service.get(`${service.workspace}/projects`, { apiKey: "rnv_reader" })).status).toBe(200);
    const { id, name } = await newProject(service);
    const path = `${service.workspace}/projects/${id}`;
    expectError(await createProject(service, { apiKey: "rnv_reader" }), 403);
    expectError(await service.patch(path, {}, { apiKey: "rnv_reader" }), 403);
    expectError(await service.delete(path, { confirm: name }, { apiKey: "rnv_reader" }), 403);
  }),
  controlledRow("Authentication rule 2 (write scope)", async (service) => {
    for (const apiKey of ["rnv_viewer", "rnv_unverified", "rnv_without_mfa"])
      expectError(await createProject(service, { apiKey }), 403);
    expectError(await createProject(service, { apiKey: "rnv_expired" }), 401);
    expectDone(await createProject(service, { apiKey: "rnv_developer" }));
  }),
  row("Authentication rule 3", async (service) => {
    // 403 "key scope" or 404 "outside the caller's membership": which one is not said.
    expectRefused(await service.get(`/workspaces/${unknownId}/projects`));
  }),
  row("Authentication rule 4", async (service) => {
    // No `X-CSRFToken`, no cookie of a session, none given either.
    const answer = await createProject(service);
    expectDone(answer);
    expect(answer.headers.get("set-cookie")).toBeNull();
  }),
  controlledRow("Authentication rule 5 (project deletion)", async (service) => {
    const { id, name } = await newProject(service);
    const remove = (apiKey: string) =>
      service.delete(`${service.workspace}/projects/${id}`, { confirm: name }, { apiKey });
    expectError(await remove("rnv_developer"), 403);
    expect((await remove("rnv_admin")).body.deleted).toBe(true);
  }),
  controlledRow("Authentication rule 6", async (service, { emulator }) => {
    const stranger = { apiKey: "rnv_elsewhere" };
    const held = emulator.store.addService({ name: freshName() });
    const elsewhere = `/workspaces/${otherWorkspaceId}/services/${held.id}`;
    expectError(await service.get(elsewhere, stranger), 404);
    const body = { confirm: held.name };
    expectError(await service.delete(elsewhere, body, stranger), 404);
    const { id } = await newProject(service);
    expectError(await service.get(`/workspaces/${otherWorkspaceId}/projects/${id}`, stranger), 404);
    expectError(await service.get(`${service.workspace}/projects/${id}`, stranger), 404);
    const listed = await service.get(`/workspaces/${otherWorkspaceId}/projects`, stranger);
    expect(listed.body.projects).toEqual([]);
  }),
  row("Errors 400", async (service) => {
    for (const raw of ['{"name": ', "[]", "null", '"text"', "{'name': 1}"])
      expectError(await createProject(service, { raw }), 400);
  }),
  row("Errors 401", async (service) => {
    expectError(await service.get("/catalog", { apiKey: null }), 401);
    expectError(await createProject(service, { apiKey: null }), 401);
  }),
  controlledRow("Errors 403", async (service) => {
    expectError(await createProject(service, { apiKey: "rnv_viewer" }), 403);
  }),
  row("Errors 404", async (service) => {
    expectError(await service.get(`${service.workspace}/projects/${unknownId}`), 404);
    const deployment = `${pathOf(service, (await newService(service)).id)}/deploys/${unknownId}`;
    expectError(await service.get(deployment), 404);
  }),
  row("Errors 405", async (service) => {
    for (const [method, path] of [
      ["PUT", `${service.workspace}/projects`],
      ["DELETE", "/catalog"],
    ] as const) {
      expectError(await service.request(method, path, { body: {} }), 405);
    }
  }),
  row("Errors 400 canvas_invalid_node", refuseOtherNodes),
  row("Errors 409 idempotency_conflict", refuseOtherBody),
  controlledRow("Errors 409", async (service) => {
    const project = await newProject(service);
    const environmentId = environmentIdOf(service, project);
    await newService(service, { projectId: project.id, environmentId });
    const path = `${service.workspace}/projects/${project.id}`;
    expectError(await service.delete(path, { confirm: project.name }), 409);
  }),
  controlledRow("Errors 409 idempotency_legacy_conflict", refuseLegacyKey),
  controlledRow("Errors 409 engine_unavailable", refuseWithoutHosting),
  row("Errors 409 canvas_revision_conflict", async (service) => {
    const { id, path, put } = await scoped(service);
    expectDone(await put({ positions: { [id]: { x: 1, y: 1 } } }));
    expectError(await put({}), 409, "canvas_revision_conflict");
    const { revision } = (await service.get(path)).body.layout;
    expectDone(await put({ revision }));
  }),
  row("Errors 413", async (service) => {
    expectError(
      await createProject(service, { body: { ...projectDraft(service), description: "x".repeat(300_000) } }),
      413,
    );
  }),
  controlledRow("Errors 413 canvas_too_large", refuseTooManyReferences),
  controlledRow("Errors 500", async (service, { emulator }) => {
    emulator.setFaults(() => ({ kind: "status", status: 500 }));
    try {
      const headers = { "x-request-id": "who-asked-what" };
      for (const answer of [
        await service.get("/catalog", { headers }),
        await createProject(service, { headers }),
      ]) {
        expectError(answer, 500);
        expect(answer.body.requestId).toBe("who-asked-what");
      }
    } finally {
      emulator.setFaults(() => undefined);
    }
  }),
  row("Limits Request body size", async (service) => {
    const empty = JSON.stringify({ ...projectDraft(service), description: "" });
    const body = (bytes: number) =>
      empty.replace('"description":""', `"description":"${"x".repeat(bytes - empty.length)}"`);
    // How long a description may be is another question.
    expect((await createProject(service, { raw: body(262_144) })).status).not.toBe(413);
    expectError(await createProject(service, { raw: body(262_145) }), 413);
  }),
  controlledRow("Errors 429", async (_, { clock }) => {
    await expectRateLimit(clock);
  }),
  controlledRow("Limits Retry-After", async (_, { clock }) => {
    expect(Number(await expectRateLimit(clock))).toBeGreaterThanOrEqual(1);
  }),
  controlledRow("Versioning (prefix)", async (service) => {
    expectError(await service.get("/../v2/catalog"), 404);
  }),
  row("Versioning (lists)", async (service) => {
    const { id } = await newProject(service);
    const { projects, page } = (await service.get(`${service.workspace}/projects`)).body;
    expect(projects.map((project: { id: string }) => project.id)).toContain(id);
    expect(page.hasMore).toBe(false);
  }),
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
