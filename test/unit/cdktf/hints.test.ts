import type { TerraformStack } from "cdktf";
import { confirmRemoved, Project, type Service } from "../../../src/cdktf/cdktf";
import { createWorkbench, type Workbench } from "../../support/workbench";
import { synthesizeStack } from "./synthesize";

describe("the hint of a plan to a program", () => {
  const stack = { files: ["cdktf.out"] };
  const configuration = { repository: "https://git.example.com/shop" };
  let one: Workbench;
  beforeEach(() => {
    one = createWorkbench({});
  });

  const program = (
    services: readonly string[],
    more: (made: TerraformStack, shop: Project) => void = () => {},
  ) =>
    synthesizeStack(one.folder, "shop", (made) => {
      const shop = new Project(made, "shop", { name: "Shop" });
      for (const id of services) shop.addService(id, { kind: "web", configuration });
      more(made, shop);
    });

  it("is a deletion that the program confirms", async () => {
    program(["api", "worker"]);
    expect(await one.apply(stack)).toMatchObject({ exitCode: 0 });
    program(["api"]);
    const { plan } = await one.plan(stack);
    const guard = plan?.changes.find(({ address }) => address === "service.shop.worker")?.blockedBy;
    expect(guard?.hint).toContain('confirmRemoved(stack, "service.shop.worker")');
    program(["api"], (made) => confirmRemoved(made, "service.shop.worker"));
    expect(await one.apply(stack)).toMatchObject({ exitCode: 0 });
    expect(one.emulator.store.services().map(({ name }) => name)).toEqual(["api"]);
    // The line may stay.
    expect(await one.acting(stack)).toEqual([]);
    expect(() => program([], (made) => confirmRemoved(made, "shop/worker"))).toThrow("is no address");
  });

  it("is a deletion beside a service that the program keeps", async () => {
    program(["api", "worker"]);
    expect(await one.apply(stack)).toMatchObject({ exitCode: 0 });
    program([], (made) => {
      made.addOverride("removed", [{ from: "rnv_service.shop__api", lifecycle: { destroy: false } }]);
      confirmRemoved(made, "service.shop.worker");
    });
    expect(await one.apply(stack)).toMatchObject({ exitCode: 0 });
    expect(one.emulator.store.services().map(({ name }) => name)).toEqual(["api"]);
  });

  it("is every address that environments of earlier releases may record", async () => {
    const settings = { name: "web", kind: "web" as const, configuration };
    for (const release of ["web", "site", "front"]) {
      const environment = createWorkbench({});
      const define = (id: string, more: (service: Service) => void) =>
        synthesizeStack(environment.folder, "shop", (made) =>
          more(new Project(made, "shop", { name: "Shop" }).addService(id, settings)),
        );
      define(release, () => {});
      expect(await environment.apply(stack)).toMatchObject({ exitCode: 0 });
      const unmoved = async (files: readonly string[]) => {
        const { plan, diagnostics } = await environment.plan({ files });
        expect({ diagnostics, actions: plan?.changes.map(({ action }) => action) }).toMatchObject({
          diagnostics: [],
          actions: ["no-op", "no-op", "no-op"],
        });
      };
      define("front", (service) => service.movedFrom("service.shop.web").movedFrom("service.shop.site"));
      await unmoved(stack.files);
      const moves = [["web", "site"] as const, ["site", "front"] as const];
      const steps = moves.map(([from, to]) => `{ from: service.shop.${from}, to: service.shop.${to} }`);
      const services = `services: { front: ${JSON.stringify(settings)} }`;
      environment.write("rnv.yaml", `projects: { shop: { name: Shop, ${services} } }\nmoved: [${steps}]\n`);
      await unmoved(["rnv.yaml"]);
    }
  });

  it("is an import that the program asks for", async () => {
    const { id } = one.emulator.store.addProject({ name: "Shop" });
    program([]);
    const { diagnostics } = await one.plan(stack);
    expect(diagnostics).toMatchObject([{ code: "live.unmanaged_exists", hint: `importFrom("${id}")` }]);
    expect(diagnostics[0]?.detail).toContain(`add the line "importFrom("${id}")" to shop/shop`);
    program([], (_, shop) => shop.importFrom(id));
    expect(await one.apply(stack)).toMatchObject({ exitCode: 0 });
    expect(one.emulator.store.projects()).toHaveLength(1);
  });

  it("is an import by names, as Terraform takes them", async () => {
    const { store } = one.emulator;
    const { id: projectId } = store.addProject({ name: "Shop" });
    store.addService({ name: "api", kind: "web", projectId });
    const imported = (project: string, service: string) =>
      program([], (_, shop) => {
        shop.importFrom(project);
        shop.addService("front", { kind: "web", deploy: { when: "never" } }).importFrom(service);
      });
    for (const [project, service] of [
      ["Shop", "Shop/nothing"],
      ["Shop", "Other/api"],
      ["Shop", "api"],
    ] as const) {
      imported(project, service);
      expect((await one.plan(stack)).diagnostics).toMatchObject([
        {
          summary: `service.shop.front cannot be imported: ${service} is not there`,
          hint: expect.stringContaining("its names: they begin with those of what it is declared in"),
        },
      ]);
    }
    for (let runs = 0; runs < 2; runs += 1) {
      imported("Shop", `${runs === 0 ? "Shop" : projectId}/api`);
      expect(await one.apply(stack)).toMatchObject({ exitCode: 0 });
      expect(store.services().map(({ name }) => name)).toEqual(["front"]);
    }
  });
});
