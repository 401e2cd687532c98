import { join } from "node:path";
import { approve, oneScenario } from "../support/cli";
import { textIn } from "../support/rows";

const shop = (lifecycle = "", health = "/a") =>
  textIn(join(__dirname, "lifecycle.yaml"), { lifecycle: lifecycle && `lifecycle: ${lifecycle}`, health });

/** A change of `lifecycle` is a line of the plan (DESIGN, section 8): apply writes it to the state, and nowhere else. */
describe("a change of lifecycle", () => {
  const scenario = oneScenario();
  const recorded = () => JSON.parse(scenario.read(".rnv/state.json")).resources["service.shop.api"];
  beforeAll(async () => {
    await scenario.applied(shop());
  });
  beforeEach(() => scenario.forget());

  it("is a change of the plan, alone, and apply sends nothing for it", async () => {
    const lifecycle = "{ preventDestroy: true, ignoreChanges: [configuration.replicas] }";
    scenario.write("rnv.yaml", shop(lifecycle));
    const planned = await scenario.run("plan", "-detailed-exitcode");
    expect(planned.code).toBe(2);
    expect(planned.stdout).toContain(
      "service.shop.api will be updated in the state, and not on the platform",
    );
    expect(planned.stdout).toMatch(/~ lifecycle\.preventDestroy +false -> true\n/);
    expect(planned.stdout).toMatch(/~ lifecycle\.ignoreChanges +\[\] -> \["configuration\.replicas"\]\n/);
    expect(planned.stdout).not.toMatch(/deployment|variable|effect/);
    expect(planned.stdout).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
    const { resource_changes } = JSON.parse((await scenario.run("plan", "-json")).stdout);
    const changed = resource_changes.filter(
      ({ change }: { change: { actions: string[] } }) => change.actions[0] !== "no-op",
    );
    expect(changed).toMatchObject([
      { address: "service.shop.api", change: { actions: ["update"] }, attributes: [] },
    ]);
    const markdown = await scenario.run("plan", "--format", "markdown");
    expect(markdown.stdout).toContain("lifecycle.preventDestroy: true");
    const applied = await scenario.run("apply", ...approve);
    expect(applied.stdout).toContain("Apply complete! Resources: 0 added, 1 changed, 0 destroyed.");
    expect(scenario.requests()).toEqual([]);
    expect(recorded()).toMatchObject({ preventDestroy: true, ignoreChanges: ["configuration.replicas"] });
    await scenario.isQuiet();
  });

  it("is saved with a plan, and done by applying it", async () => {
    scenario.write("rnv.yaml", shop("{ preventDestroy: false, onRemove: archive }"));
    const planned = await scenario.run("plan", "-out", "one.rnvplan");
    const shown = await scenario.run("show", "one.rnvplan");
    expect(shown.stdout).toBe(planned.stdout);
    expect(planned.stdout).toMatch(/~ lifecycle\.onRemove +"delete" -> "archive"\n/);
    expect((await scenario.run("apply", "one.rnvplan")).code).toBe(0);
    expect(scenario.requests()).toEqual([]);
    expect(recorded()).toMatchObject({ preventDestroy: false, onRemove: "archive" });
    expect(recorded()).not.toHaveProperty("ignoreChanges");
    await scenario.isQuiet();
  });

  it("is a line of the same change beside an edit", async () => {
    scenario.write("rnv.yaml", shop("{ preventDestroy: true }", "/b"));
    const { stdout } = await scenario.run("plan");
    expect(stdout).toContain("service.shop.api will be updated in place");
    expect(stdout).toMatch(/~ configuration\.healthCheckPath +"\/a" -> "\/b"\n/);
    expect(stdout).toMatch(/~ lifecycle\.onRemove +"archive" -> "delete"\n/);
    await scenario.applies();
    expect(recorded()).toMatchObject({ preventDestroy: true, onRemove: "delete" });
    await scenario.isQuiet();
  });

  it("leaves what was applied where it ignores a field: an edit meanwhile is pending afterwards, and no drift", async () => {
    scenario.write(
      "rnv.yaml",
      shop("{ preventDestroy: true, ignoreChanges: [configuration.healthCheckPath] }", "/c"),
    );
    await scenario.applies();
    expect(recorded().applied).toMatchObject({ "configuration.healthCheckPath": "/b" });
    scenario.write("rnv.yaml", shop("{ preventDestroy: true }", "/c"));
    expect((await scenario.run("plan")).stdout).toMatch(/~ configuration\.healthCheckPath +"\/b" -> "\/c"\n/);
    expect((await scenario.run("drift")).code).toBe(0);
  });

  it("does not hold before it is applied: the record does", async () => {
    scenario.write("rnv.yaml", shop("{ preventDestroy: false }", "/b"));
    expect((await scenario.run("plan", "-destroy", "--confirm-delete=service.shop.api")).stdout).toContain(
      "blocked: service.shop.api is protected: preventDestroy",
    );
    await scenario.applies();
    expect((await scenario.run("destroy", ...approve)).code).toBe(0);
  });
});
