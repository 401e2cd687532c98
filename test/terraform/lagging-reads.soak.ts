import type { Lags } from "../../src/emulator/lag";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const project = `resource "rnv_project" "shop" { name = "Shop" }\n`;
const service = (name: string, branch = "main") => `
resource "rnv_service" "${name}" {
  name        = "${name}"
  kind        = "web"
  environment = "Production"
  project_id  = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/${name}"
    branch     = "${branch}"
  }
}
`;
const inIt = (version: number) => `
resource "rnv_variables" "a" {
  service_id = rnv_service.a.id
  values     = { A = "one", B = "${version}" }
}
resource "rnv_variable" "c" {
  service_id = rnv_service.a.id
  key        = "C"
  value      = "${version}"
}
resource "rnv_deployment" "a" {
  service_id = rnv_service.a.id
  triggers   = { version = "${version}", branch = rnv_service.a.configuration.branch }
  depends_on = [rnv_variables.a, rnv_variable.c]
}
resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = { a = { x = ${version}, y = 2 } }
  depends_on = [rnv_service.a]
}
`;

/** DESIGN section 5: "Nothing that is younger than our last write is proof of anything." */
describeTerraform("reads that are behind the last write", () => {
  let world: TerraformFolder;
  beforeEach(async () => {
    world = await new TerraformFolder().openAttached();
  });
  afterEach(() => world.close());
  const store = () => world.emulator.store;
  const lag = (lags?: Lags) => store().setLag(lags);
  const names = () =>
    store()
      .services()
      .map(({ name }) => name);
  /** What stands at the service once for everything of `inIt`. */
  const expectAll = (deployments: number) => {
    expect(store().projects()).toHaveLength(1);
    expect(names()).toEqual(["a"]);
    const id = store().services()[0]?.id ?? "";
    const variables = store().variables(id);
    expect(variables.map(({ key }) => key).sort()).toEqual(["A", "B", "C"]);
    expect(store().deployments(id)).toHaveLength(deployments);
  };

  it("one service added among seven is made once, however often apply runs", async () => {
    const seven = ["a", "b", "c", "d", "e", "f", "g"].map((name) => service(name)).join("");
    world.write(project + seven);
    await world.apply();
    world.write(project + seven + service("new"));
    lag({ all: { ms: 1500 } });
    for (let run = 0; run < 3; run += 1) await world.apply();
    expect(names().filter((name) => name === "new")).toHaveLength(1);
    lag();
    await world.expectNoChanges();
  }, 60_000);

  it("a project and all that is in it are made once, changed and destroyed, and made anew", async () => {
    world.write(project + service("a") + inIt(1));
    lag({ all: { ms: 700 } });
    await world.apply();
    await world.expectNoChanges();
    expectAll(1);
    world.write(project + service("a", "next") + inIt(2));
    await world.apply();
    await world.expectNoChanges();
    expectAll(2);
    await world.run("destroy -auto-approve");
    expect([names(), store().projects()]).toEqual([[], []]);
    await world.apply();
    await world.expectNoChanges();
    expectAll(1);
  }, 60_000);

  it("so they are while only reads of one project, and those of the canvas, are behind by their count", async () => {
    world.write(project + service("a") + inIt(1));
    lag({ project: { reads: 3 }, canvas: { reads: 4 } });
    await world.apply();
    await world.apply();
    expectAll(1);
  }, 60_000);

  it("a data source finds what the same apply made", async () => {
    const looked = `data "rnv_service" "a" {\n  name = "a"\n  project_id = rnv_project.shop.id\n  depends_on = [rnv_service.a]\n}\n`;
    world.write(`${project}${service("a")}${looked}output "id" { value = data.rnv_service.a.id }\n`);
    lag({ all: { ms: 900 } });
    const output = await world.apply();
    expect(output).toContain(`id = "${store().services()[0]?.id}"`);
  }, 60_000);

  it("a change taken back within the lag is sent: what reads show is not what there is", async () => {
    world.write(project + service("a"));
    await world.apply();
    lag({ all: { ms: 1500 } });
    world.write(project + service("a", "next"));
    await world.apply();
    world.write(project + service("a"));
    await world.apply();
    expect(store().services()[0]?.configuration.branch).toBe("main");
    lag();
    await world.expectNoChanges();
  }, 60_000);

  it("creates answered with 500 that did happen and left no receipt are found with patience", async () => {
    world.write(project + service("a") + inIt(1));
    lag({ all: { ms: 1200 } });
    const done = new Set<string>();
    world.emulator.setFaults((_index, { method, path, body }) => {
      const made = method === "POST" ? /\/(services|variables|deploys)$/.exec(path)?.[1] : undefined;
      const what = `${made}${made === "variables" && body}`;
      if (made === undefined || done.has(what)) return undefined;
      done.add(what);
      return { kind: "status", status: 500, when: "after", receipt: false };
    });
    await world.apply();
    world.emulator.setFaults(undefined);
    expect(done.size).toBe(5);
    expectAll(1);
    lag();
    await world.expectNoChanges();
  }, 60_000);
});

describeTerraform("reads that stay behind the last write", () => {
  it("what is not shown half a minute later is an error that says so, and stays in the state", async () => {
    const world = await new TerraformFolder().openAttached("fast-clock");
    const { store } = world.emulator;
    try {
      world.write(project + service("a"));
      await world.apply();
      store.deleteServiceNow(store.services()[0]?.id ?? "");
      const before = world.stateText();
      const askedBefore = world.emulator.log.length;
      const output = await world.run("plan", 1);
      expect(output.replace(/[\s│╷╵]+/g, " ")).toContain(
        'The API still shows service "a" as before our last change',
      );
      expect(output).toContain("(live.stale)");
      // Pauses of 250 ms to 4 s: it was looked at for half a minute.
      expect(world.emulator.log.length - askedBefore).toBeGreaterThan(10);
      expect(world.stateText()).toBe(before);
      world.settle();
      expect(await world.run("plan")).toContain("1 to add");
    } finally {
      await world.close();
    }
  }, 60_000);
});
