import { join } from "node:path";
import { type ExportRequest, exportManifest } from "../../../src/commands/export-manifest";
import { importResource } from "../../../src/commands/import-resource";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic";
import { textIn } from "../../support/rows";
import { createWorkbench, type Workbench } from "../../support/workbench";

describe("an unmanaged resource", () => {
  let bench: Workbench;
  beforeEach(() => {
    bench = createWorkbench();
  });
  afterEach(() => {
    expect(bench.writes()).toEqual([]);
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

  it("tells what has the same name apart by its id, also where it is outside of the project", async () => {
    const { project, api } = seed();
    const twin = bench.emulator.store.addService({ name: "api", projectId: project.id });
    bench.emulator.store.addProject({ name: "Online shop" });
    const { text } = await exported({ project: project.id });
    expect(text).toContain(`import: ${project.id}`);
    expect(text).toContain(`import: ${api.id}`);
    expect(text).toContain(`import: ${twin.id}`);
    bench.write("rnv.yaml", text);
    expect((await changesOf())?.filter((change) => !change.startsWith("deployment."))).toEqual([]);
  });

  const declared = textIn(join(__dirname, "import-export.yaml"));
  const take = (address: string, id: string) =>
    importResource(bench.context, { address, id, lockTimeoutMs: 0 });
  const refusalOf = (address: string, id: string) =>
    take(address, id).then(
      ({ diagnostics }) => diagnostics[0],
      (failure: { diagnostics: readonly Diagnostic[] }) => failure.diagnostics[0],
    );
  const recordedNow = async () => Object.keys((await bench.state())?.resources ?? {});

  it.each(["creation", "reversed"] as const)(
    "names what has the same name by its id, in a list in the order %s",
    async (listOrder) => {
      bench = createWorkbench({ emulator: { readings: { listOrder } } });
      const { store } = bench.emulator;
      const twins = [1, 2, 3].map(() => store.addService({ name: "twin" }).id);
      const { text } = await exported();
      expect(text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)).toEqual(twins.sort());
    },
  );

  it("import refuses what is recorded, missing, elsewhere, or out of order, and records nothing then", async () => {
    const { project, other, api, odd, alone, variable } = seed();
    bench.write("rnv.yaml", declared);
    const refused = async (address: string, id: string) => (await refusalOf(address, id))?.code;
    expect(await refused("service.shop.api", api.id)).toBe("state.address_unknown");
    expect(await refused("project.shop", project.id)).toBeUndefined();
    expect(await refused("project.shop", other.id)).toBe("state.conflict");
    expect(await refused("project.store", project.id)).toBe("state.conflict");
    expect(await refused("service.shop.docs", alone.id)).toBe("live.import_missing");
    expect(await refused("service.docs", api.id)).toBe("live.import_missing");
    expect(await refused("house.shop", other.id)).toBe("command.usage");
    expect(await refused("data.rnv_project.shop", other.id)).toBe("command.usage");
    expect(await refused("deployment.shop.api", other.id)).toBe("command.usage");
    expect(await refused("service.shop.api", "api")).toBe("command.usage");
    expect(await refusalOf("service.shop.api", other.id)).toMatchObject({
      code: "live.import_missing",
      summary: `service.shop.api: there is no service with id ${other.id}`,
    });
    expect(await recordedNow()).toEqual(["project.shop"]);
    await take("project.store", other.id);
    expect((await refusalOf("project.store", project.id))?.hint).toContain("rnv state rm project.shop");
    await take("service.shop.api", api.id);
    await take("service.shop.odd", odd.id);
    await take("variable.shop.api.LOG_LEVEL", variable.id);
    expect((await refusalOf("variable.shop.odd.LOG_LEVEL", variable.id))?.hint).toBe("check the id");
  });

  it("import refuses what is not declared, with the block that declares it, and records nothing", async () => {
    const { project, api } = seed();
    bench.write("rnv.yaml", "projects:\n  shop: { name: Online shop }\n");
    await take("project.shop", project.id);
    const refused = await refusalOf("service.shop.api", api.id.toUpperCase());
    expect(refused).toMatchObject({
      code: "live.import_undeclared",
      hint: `add it to the manifest, then: rnv import service.shop.api ${api.id}`,
    });
    expect(refused?.detail).not.toContain("secret-value");
    bench.write(
      "rnv.yaml",
      (refused?.detail ?? "").replace(/^.*\n/, "").replace("shop:", "shop:\n    name: Online shop"),
    );
    expect(await refusalOf("service.shop.api", api.id)).toBeUndefined();
    const { plan } = await bench.plan();
    expect(plan?.changes.filter(({ action, type }) => action !== "no-op" && type !== "deployment")).toEqual(
      [],
    );
  });

  it("import without any manifest shows the first manifest to write", async () => {
    const { project } = seed();
    const refused = await refusalOf("project.shop", project.id);
    expect(refused).toMatchObject({
      code: "live.import_undeclared",
      summary: "project.shop is not declared: there is no manifest",
      hint: `write it to rnv.yaml, then: rnv import project.shop ${project.id}`,
    });
    expect(refused?.detail).toContain("projects:\n  shop:\n    name: Online shop");
    expect(await recordedNow()).toEqual([]);
  });
});
