import { join } from "node:path";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const project = `resource "rnv_project" "shop" { name = "Shop" }\n`;
const service = (name: string, replicas = 1, more = "") => `
resource "rnv_service" "${name}" {
  name       = "${name}"
  kind       = "worker"
  project_id = rnv_project.shop.id
  configuration { replicas = ${replicas} }
  ${more}
}
`;
const hour = { ms: 3_600_000 };
/** The waits of the provider pass twenty times as fast. */
const fast = { NODE_OPTIONS: `--require ${join(__dirname, "..", "support", "fast-clock.cjs")}` };

/** DESIGN section 5, "Consistent reads". */
describeTerraform("reads through Terraform", () => {
  let world: TerraformFolder;
  beforeEach(async () => {
    world = await new TerraformFolder().open();
    world.environment = fast;
  });
  const store = () => world.emulator.store;
  /** Makes a service named `b` elsewhere, a second and more after the service `a` was created. */
  const addBAfterA = () =>
    world.emulator.setFaults((_, { method, path, body }) =>
      method === "POST" && path.endsWith("/services") && body?.includes('"a"')
        ? {
            kind: "hook",
            when: "after",
            run: async () => {
              await new Promise((go) => setTimeout(go, 1500));
              const [shop] = store().projects();
              store().addService({ name: "b", kind: "worker", projectId: shop?.id });
            },
          }
        : undefined,
    );

  it("never show an older version than the state, unless a restored backup is accepted", async () => {
    world.write(project + service("a"));
    await world.apply();
    world.settle();
    store().setLag({ all: { ms: 1000 * hour.ms } });
    world.write(project + service("a", 2));
    await world.apply();
    world.clock.advance(hour.ms);
    const refused = await world.run("plan", 1);
    expect(refused).toContain("(live.stale)");
    expect(refused).toContain("RNV_ACCEPT_RESTORED=1");
    world.environment = { ...fast, RNV_ACCEPT_RESTORED: "1" };
    expect(await world.run("plan")).toContain("replicas");
  }, 120_000);

  it("prove a deletion that was answered as done", async () => {
    world.write(project + service("a"));
    await world.apply();
    world.settle();
    store().setLag({ canvas: hour });
    world.write(project);
    expect(await world.run("apply -auto-approve -input=false", 1)).toContain("still shows it");
    expect(world.stateText()).toContain('"rnv_service"');
  }, 120_000);

  it("are at most a second old before a create by name", async () => {
    world.write(project + service("a") + service("b", 1, "depends_on = [rnv_service.a]"));
    addBAfterA();
    const output = await world.run("apply -auto-approve -input=false", 1);
    expect(output).toContain("(live.unmanaged_exists)");
    expect(
      store()
        .services()
        .filter(({ name }) => name === "b"),
    ).toHaveLength(1);
  }, 120_000);

  it("are at most a second old for a data source", async () => {
    world.write(textIn(join(__dirname, "read-later.tf")));
    store().addService({ name: "a", kind: "worker" });
    let reads = 0;
    const add = () => store().addService({ name: "b", kind: "worker" });
    world.emulator.setFaults((_, { path }) => {
      if (!path.endsWith("/canvas") || reads++ > 0) return undefined;
      return { kind: "hook", when: "after", run: () => void setTimeout(add, 500) };
    });
    expect(await world.apply()).toContain('names = "a+b"');
  }, 120_000);
});
