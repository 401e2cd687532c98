import { createWorkbench, type Workbench } from "../../support/workbench";

const service = (name: string) =>
  `      ${name}:\n        kind: web\n        configuration: { repository: "https://git.example.com/${name}" }\n        variables: { A: "1" }\n`;
const shop = (...names: string[]) =>
  `projects:\n  shop:\n    name: Shop\n    services:\n${names.map(service).join("")}`;

describe("a service that leaves its address", () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop("api", "web"));
    expect((await bench.apply()).exitCode).toBe(0);
    bench.emulator.resetLog();
  });
  afterEach(() => bench.remove());

  it("a deletion confirmed by address is carried out and settles", async () => {
    bench.write("rnv.yaml", shop("api"));
    const { exitCode } = await bench.apply({ confirmedDeletes: ["service.shop.web"] });
    expect(exitCode).toBe(0);
    expect(bench.writes()).toEqual([expect.stringMatching(/^DELETE .*\/services\//)]);
    const { plan, diagnostics } = await bench.plan();
    expect(diagnostics).toEqual([]);
    expect(plan?.changes.every(({ action }) => action === "no-op")).toBe(true);
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
    expect(Object.keys((await bench.state())?.resources ?? {})).toContain("variable.shop.site.A");
    expect((await bench.plan()).plan?.changes.every(({ action }) => action === "no-op")).toBe(true);
  });

  describe("what a variable of a removed service refers to", () => {
    beforeEach(async () => {
      expect((await bench.apply({ mode: "destroy", confirmsAll: true })).exitCode).toBe(0);
    });
    const service = (name: string, refers: string) =>
      `  ${name}: { kind: web, variables: { HOST: "\${service.${refers}.internalHost}" }, deploy: { when: never } }\n`;
    const planOf = (excludes: readonly string[]) =>
      bench.plan({ mode: "destroy", confirmsAll: true, excludes });
    const deleted = async (excludes: readonly string[] = []) =>
      (await planOf(excludes)).plan?.changes
        .filter(({ action }) => action === "delete")
        .map(({ address }) => address);

    it("is deleted after that service, and stays where the variable stays", async () => {
      bench.write(
        "rnv.yaml",
        `services:\n${service("web", "api")}  api: { kind: web, deploy: { when: never } }\n`,
      );
      expect((await bench.apply()).exitCode).toBe(0);
      const { plan } = await planOf([]);
      const api = plan?.changes.find(({ address }) => address === "service.api");
      expect(api?.dependsOn).toContain("service.web");
      expect(await deleted(["variable.web.HOST"])).toEqual([]);
      expect(await deleted(["service.api"])).not.toContain("service.api");
    });

    it("is deleted, too, where both refer to each other", async () => {
      bench.write("rnv.yaml", `services:\n${service("web", "api")}${service("api", "web")}`);
      expect((await bench.apply()).exitCode).toBe(0);
      expect(await bench.apply({ mode: "destroy", confirmsAll: true })).toMatchObject({ exitCode: 0 });
      expect(Object.keys((await bench.state())?.resources ?? {})).toEqual([]);
    });
  });
});
