import type { Condition } from "../../../src/emulator/behaviour";
import { start } from "./start";

const withCondition = (condition: Condition) => {
  const started = start({ conditions: [condition], operationSeconds: 2 });
  const { store } = started.emulator;
  const project = store.addProject({ name: "Shop" });
  const service = store.addService({ name: "api", projectId: project.id });
  const variable = store.addVariable(service.id, "LOG_LEVEL", "info");
  const servicePath = `${started.services}/${service.id}`;
  const projectPath = `${started.workspace}/projects/${project.id}`;
  return { ...started, store, project, service, variable, servicePath, projectPath };
};

describe("conditions", () => {
  it("queued-deletions queues the deletion of a variable, of a service that never ran and of a project", async () => {
    const at = withCondition("queued-deletions");
    const queued = { deleted: false, queued: true, operation: expect.objectContaining({ status: "queued" }) };
    const gone = async (path: string, body: unknown) => {
      expect((await at.call("DELETE", path, body)).body).toEqual(queued);
      at.clock.advance(60_000);
      await at.call("GET", "/catalog");
    };
    await gone(`${at.servicePath}/variables/${at.variable.id}`, {});
    expect(at.store.variables(at.service.id)).toEqual([]);
    await gone(at.servicePath, { confirm: "api" });
    expect(at.store.services()).toEqual([]);
    await gone(at.projectPath, { confirm: "Shop" });
    expect(at.store.projects()).toEqual([]);
  });

  it("failed-deletions leaves everything where it was, with a failed operation", async () => {
    const at = withCondition("failed-deletions");
    await at.call("DELETE", `${at.servicePath}/variables/${at.variable.id}`, {});
    const { operation } = (await at.call("DELETE", at.servicePath, { confirm: "api" })).body;
    at.clock.advance(60_000);
    const seen = await at.call("GET", `${at.servicePath}/operations/${operation.id}`);
    expect(seen.body.status).toBe("failed");
    expect((await at.call("GET", at.servicePath)).body.service).toMatchObject({
      archived: false,
      deletionRequestedAt: null,
    });
    expect(at.store.variables(at.service.id)).toHaveLength(1);
  });

  it("failed-deletions-archive and -linger say what a failed deletion leaves, and take another one", async () => {
    for (const [left, archived, isRequested] of [
      ["failed-deletions-archive", true, false],
      ["failed-deletions-linger", true, true],
    ] as const) {
      const at = withCondition("failed-deletions");
      at.store.setCondition(left, true);
      await at.call("DELETE", at.servicePath, { confirm: "api" });
      // Nobody may change what is being deleted.
      expect((await at.call("DELETE", at.servicePath, { confirm: "api" })).status).toBe(409);
      at.clock.advance(60_000);
      const { service } = (await at.call("GET", at.servicePath)).body;
      expect(service.archived).toBe(archived);
      expect(service.deletionRequestedAt !== null).toBe(isRequested);
      at.store.setCondition("failed-deletions", false);
      expect((await at.call("DELETE", at.servicePath, { confirm: "api" })).body).toEqual({ deleted: true });
      expect((await at.call("GET", at.servicePath)).status).toBe(404);
    }
  });

  it("unique-names refuses the name that an archived service of the same project has", async () => {
    const at = withCondition("unique-names");
    const environmentId = at.project.environments[0]?.id;
    const draft = { name: "api", kind: "web", configuration: {}, deploy: false };
    const inside = { ...draft, projectId: at.project.id, environmentId };
    await at.call("POST", `${at.servicePath}/archive`, {});
    const refused = await at.call("POST", at.services, inside);
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 409,
      code: "service_name_taken",
    });
    // Another place has names of its own.
    expect((await at.call("POST", at.services, draft)).status).toBe(200);
  });

  it("ignored-values answers a PATCH with 200 and changes nothing", async () => {
    const at = withCondition("ignored-values");
    const patches = [
      [at.servicePath, { configuration: { branch: "other" } }],
      [at.projectPath, { description: "other" }],
      [`${at.servicePath}/variables/${at.variable.id}`, { value: "other" }],
    ] as const;
    const before = JSON.stringify([at.store.services(), at.store.projects()]);
    for (const [path, body] of patches) expect((await at.call("PATCH", path, body)).status).toBe(200);
    expect(JSON.stringify([at.store.services(), at.store.projects()])).toBe(before);
    expect(at.store.variableValue(at.variable.id)).toBe("info");
  });
});
