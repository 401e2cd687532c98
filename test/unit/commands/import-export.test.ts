import { type ExportRequest, exportManifest } from "../../../src/commands/export-manifest";
import { importResource } from "../../../src/commands/import-resource";
import { createWorkbench, type Workbench } from "../../support/workbench";

describe("what is live and not managed", () => {
  let bench: Workbench;
  beforeEach(() => {
    bench = createWorkbench();
  });
  afterEach(() => {
    expect(bench.writes()).toEqual([]);
    bench.remove();
  });

  /** Two projects, a service with an odd name, one outside of projects, variables. */
  function seed() {
    const { store } = bench.emulator;
    const project = store.addProject({ name: "Online shop", description: 'It sells: "things"' });
    const other = store.addProject({ name: "Other" });
    const api = store.addService({
      name: "api",
      projectId: project.id,
      configuration: {
        branch: "release",
        replicas: 2,
        ipAllowList: ["10.0.0.0/8"],
        startCommand: "a: $" + "{b}",
      },
      live: true,
    });
    const odd = store.addService({ name: "API (old)", projectId: project.id, kind: "static" });
    const alone = store.addService({ name: "docs", kind: "static" });
    const variable = store.addVariable(api.id, "LOG_LEVEL", "a-secret-value");
    store.addVariable(alone.id, "KEY", "another-secret-value");
    return { project, other, api, odd, alone, variable };
  }

  const exported = async (request: ExportRequest = {}) => {
    const { text = "", ...rest } = await exportManifest(bench.context, request);
    return { text, ...rest };
  };
  const changesOf = async () => {
    const { plan, diagnostics } = await bench.plan({ adopt: true });
    expect(diagnostics).toEqual([]);
    return plan?.changes
      .filter(
        ({ action, attributes }) => action !== "no-op" && !(action === "adopt" && attributes.length === 0),
      )
      .map(({ address, action }) => `${address} ${action}`);
  };

  it("an exported manifest changes nothing when it is planned with --adopt", async () => {
    seed();
    const { text, diagnostics } = await exported();
    expect(diagnostics).toEqual([]);
    bench.write("rnv.yaml", text);
    expect((await changesOf())?.filter((change) => !change.startsWith("deployment."))).toEqual([]);
  });

  it("names only the configuration that differs from the defaults", async () => {
    seed();
    const { text } = await exported();
    expect(text).toContain("branch: release");
    expect(text).toContain("replicas: 2");
    expect(text).not.toMatch(/targetCpu|timezone|maintenance/);
  });

  it("holds no value of a variable and reveals none", async () => {
    seed();
    const { text } = await exported();
    expect(text).toMatch(/LOG_LEVEL: *\{ preserve: true \}/);
    expect(text).not.toContain("secret-value");
    expect(bench.emulator.log.filter(({ path }) => path.includes("reveal"))).toEqual([]);
  });

  it("is the same text every time", async () => {
    seed();
    expect((await exported()).text).toBe((await exported()).text);
  });

  it("writes one project by name or id", async () => {
    const { project } = seed();
    const byName = await exported({ project: "Online shop" });
    expect(byName.text).toBe((await exported({ project: project.id })).text);
    expect(byName.text).toContain("api");
    expect(byName.text).not.toMatch(/docs|Other/);
  });

  it("refuses a project that is unknown, or whose name two have", async () => {
    seed();
    bench.emulator.store.addProject({ name: "Other" });
    await expect(exported({ project: "Oter" })).rejects.toMatchObject({
      diagnostics: [{ code: "command.usage" }],
    });
    await expect(exported({ project: "Other" })).rejects.toMatchObject({
      diagnostics: [{ code: "live.ambiguous" }],
    });
  });

  it("tells services of the same name apart by their ids", async () => {
    const { project, api } = seed();
    const twin = bench.emulator.store.addService({ name: "api", projectId: project.id });
    const { text } = await exported();
    expect(text).toContain(`import: ${api.id}`);
    expect(text).toContain(`import: ${twin.id}`);
    bench.write("rnv.yaml", text);
    expect((await changesOf())?.filter((change) => !change.startsWith("deployment."))).toEqual([]);
  });

  it("import records a project, then a service in it, then its variable", async () => {
    const { project, api, variable } = seed();
    const take = (address: string, id: string) =>
      importResource(bench.context, { address, id, lockTimeoutMs: 0 });
    await take("project.shop", project.id);
    await take("service.shop.api", api.id);
    await take("variable.shop.api.LOG_LEVEL", variable.id);
    const state = await bench.context.backend.read();
    expect(state?.resources).toMatchObject({
      "project.shop": { id: project.id, name: "Online shop" },
      "service.shop.api": { id: api.id, parent: "project.shop", computed: { url: expect.any(String) } },
      "variable.shop.api.LOG_LEVEL": { id: variable.id, parent: "service.shop.api" },
    });
    expect(JSON.stringify(state)).not.toContain("secret-value");
  });

  it("import refuses what is recorded, missing, elsewhere, or out of order, and records nothing then", async () => {
    const { project, other, api, alone } = seed();
    const take = (address: string, id: string) =>
      importResource(bench.context, { address, id, lockTimeoutMs: 0 }).then(
        () => "imported",
        (failure: { diagnostics: readonly { code: string }[] }) => failure.diagnostics[0]?.code,
      );
    expect(await take("service.shop.api", api.id)).toBe("state.address_unknown");
    expect(await take("project.shop", project.id)).toBe("imported");
    expect(await take("project.shop", other.id)).toBe("state.conflict");
    expect(await take("project.store", project.id)).toBe("state.conflict");
    expect(await take("service.shop.docs", alone.id)).toBe("live.import_missing");
    expect(await take("service.docs", api.id)).toBe("live.import_missing");
    expect(await take("service.shop.api", other.id)).toBe("live.import_missing");
    expect(await take("house.shop", other.id)).toBe("command.usage");
    expect(Object.keys((await bench.context.backend.read())?.resources ?? {})).toEqual(["project.shop"]);
  });
});
