import { createWorkbench, type Workbench } from "../../support/workbench";

const service = (name: string) =>
  `      ${name}:\n        kind: web\n        configuration: { repository: "https://git.example.com/${name}" }\n        variables: { A: "1" }\n`;
const shop = (...names: string[]) =>
  `projects:\n  shop:\n    name: Shop\n    services:\n${names.map(service).join("")}`;

describe("guards", () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop("api", "web"));
    expect((await bench.apply()).exitCode).toBe(0);
    bench.emulator.resetLog();
  });
  afterEach(() => bench.remove());

  it("approval alone never deletes a service", async () => {
    bench.write("rnv.yaml", shop("api"));
    const { exitCode, diagnostics } = await bench.apply();
    expect(exitCode).toBe(4);
    expect(diagnostics.map(({ code }) => code)).toEqual(["guard.delete_unconfirmed"]);
    expect(bench.writes()).toEqual([]);
  });

  it("a deletion confirmed by address is carried out and settles", async () => {
    bench.write("rnv.yaml", shop("api"));
    const { exitCode } = await bench.apply({ confirmedDeletes: ["service.shop.web"] });
    expect(exitCode).toBe(0);
    expect(bench.writes()).toEqual([expect.stringMatching(/^DELETE .*\/services\//)]);
    const { plan, diagnostics } = await bench.plan();
    expect(diagnostics).toEqual([]);
    expect(plan?.changes.every(({ action }) => action === "no-op")).toBe(true);
  });

  it("a removed entry in git confirms a deletion", async () => {
    bench.write("rnv.yaml", `${shop("api")}removed: [service.shop.web]\n`);
    expect((await bench.apply()).exitCode).toBe(0);
  });

  it("a service renamed behind our back is not deleted", async () => {
    const web = bench.emulator.store.services().find(({ name }) => name === "web");
    bench.emulator.store.renameService(web?.id ?? "", "billing");
    bench.write("rnv.yaml", shop("api"));
    const { exitCode, diagnostics } = await bench.apply({ confirmedDeletes: ["service.shop.web"] });
    expect(exitCode).toBe(4);
    expect(diagnostics.map(({ code }) => code)).toEqual(["guard.name_changed"]);
    expect(bench.writes()).toEqual([]);
  });

  it("an empty manifest deletes nothing", async () => {
    bench.write("rnv.yaml", "projects: {}\n");
    const { exitCode, diagnostics } = await bench.apply({ confirmedDeletes: ["service.shop.web"] });
    expect(exitCode).toBe(4);
    expect(diagnostics.map(({ code }) => code)).toEqual(["guard.empty_manifest"]);
    expect(bench.writes()).toEqual([]);
  });

  it("everything gone at once stops the run", async () => {
    bench.write("rnv.yaml", shop("api", "web", "jobs"));
    expect((await bench.apply()).exitCode).toBe(0);
    bench.emulator.resetLog();
    for (const { id } of bench.emulator.store.services()) bench.emulator.store.deleteServiceNow(id);
    bench.clock.advance(3 * 60_000);
    const { exitCode, diagnostics } = await bench.apply();
    expect(exitCode).toBe(4);
    expect(diagnostics.map(({ code }) => code)).toEqual(["live.mass_disappearance"]);
    expect(bench.writes()).toEqual([]);
  });

  it("destroy deletes services, then their project", async () => {
    const { exitCode, diagnostics } = await bench.apply({ mode: "destroy" });
    expect(diagnostics).toEqual([]);
    expect(exitCode).toBe(0);
    expect(bench.writes().map((write) => write.replace(/[0-9a-f-]{36}/g, "ID"))).toEqual([
      "DELETE /workspaces/ID/services/ID",
      "DELETE /workspaces/ID/services/ID",
      "DELETE /workspaces/ID/projects/ID",
    ]);
    expect((await bench.context.backend.read())?.resources).toEqual({});
  });

  it("drift is found, told apart from what is pending, and repaired", async () => {
    const api = bench.emulator.store.services().find(({ name }) => name === "api");
    bench.emulator.store.editConfiguration(api?.id ?? "", { repository: "https://git.example.com/evil" });
    bench.write("rnv.yaml", shop("api", "web").replace('A: "1"', 'A: "2"'));
    const found = await bench.drift();
    expect(found.exitCode).toBe(2);
    expect(found.report?.drifted.map(({ address }) => address)).toEqual(["service.shop.api"]);
    expect(found.report?.pending.map(({ address }) => address)).toContain("variable.shop.api.A");
    expect((await bench.apply()).exitCode).toBe(0);
    expect((await bench.drift()).exitCode).toBe(0);
  });

  it("only --verify-values reveals, and finds a value whose change was accepted unseen", async () => {
    const [api] = bench.emulator.store.services();
    const [variable] = bench.emulator.store.variables(api?.id ?? "");
    bench.emulator.store.editVariable(variable?.id ?? "", { value: "other" });
    expect((await bench.drift()).report?.drifted.map(({ address }) => address)).toEqual([
      "variable.shop.api.A",
    ]);
    expect((await bench.apply({ mode: "refresh-only" })).exitCode).toBe(0);
    expect((await bench.drift()).exitCode).toBe(0);
    expect(bench.writes()).toEqual([]);
    const { report, exitCode } = await bench.drift({ verifyValues: true });
    expect(exitCode).toBe(2);
    expect(report?.drifted.map(({ address }) => address)).toEqual(["variable.shop.api.A"]);
    expect(bench.writes().every((write) => write.endsWith("/reveal"))).toBe(true);
    expect(bench.writes()).toHaveLength(2);
  });

  it("a moved service keeps its id, its variables and its deployment", async () => {
    bench.write(
      "rnv.yaml",
      `${shop("api", "site").replace("site:\n", "site:\n        name: web\n").replace("com/site", "com/web")}moved: [{ from: service.shop.web, to: service.shop.site }]\n`,
    );
    const { exitCode, diagnostics, plan } = await bench.apply();
    expect(diagnostics).toEqual([]);
    expect(plan?.summary).toMatchObject({ add: 0, change: 0, destroy: 0 });
    expect(exitCode).toBe(0);
    expect(bench.writes()).toEqual([]);
    expect(Object.keys((await bench.context.backend.read())?.resources ?? {})).toContain(
      "variable.shop.site.A",
    );
    expect((await bench.plan()).plan?.changes.every(({ action }) => action === "no-op")).toBe(true);
  });
});
