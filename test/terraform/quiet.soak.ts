import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

const stored = (name: string): string => readFileSync(join(__dirname, "../support/stored", name), "utf8");
const configuration = stored("main.tf");

/** How many attributes a plan does not know. */
const unknowns = (plan: string): number => plan.match(/\(known after apply\)/g)?.length ?? 0;

describeTerraform("plans that say what changes and nothing else", () => {
  const world = attachedFolder();
  const { emulator } = world;
  const refreshOnly = () => world.run("plan -refresh-only -input=false -detailed-exitcode");

  it("a refresh finds nothing after an apply of all types, nor after deployments that others make", async () => {
    world.write(configuration);
    await world.apply();
    await refreshOnly();
    const { service_id: id } = world.attributes("rnv_deployment", "api");
    emulator.store.deploy(String(id));
    emulator.store.settle();
    const { output } = await world.start("plan", "-refresh-only", "-input=false");
    expect(output).not.toContain("rnv_service.api has changed");
  }, 30_000);

  it.each([
    ["of a service", 1, `branch     = "develop"`, `branch     = "main"`],
    ["the name of a service", 1, `name       = "api"`, `name       = "backend"`],
    ["the name of a project", 1, `name = "Shop"`, `name = "Store"`],
    ["the value of a variable", 1, "stored-value", "other-value"],
    ["a key of a map", 1, `{ LOG_LEVEL = "debug" }`, `{ LOG_LEVEL = "debug", NEW = "1" }`],
    ["the triggers of a deployment", 1, `one = "1"`, `one = "2"`],
    ["a place of a layout", 1, "y = 20", "y = 30"],
  ])(
    "one edited field, %s, leaves at most two attributes unknown beside its revision",
    async (_what, changed, before, after) => {
      world.write(configuration.replace(before, after));
      const plan = await world.run("plan -input=false -refresh=false -detailed-exitcode", 2);
      expect(plan).toContain(`0 to add, ${changed} to change, 0 to destroy`);
      // Beside its revision: an id and a time of a new key, or the URL of a renamed service.
      expect(unknowns(plan)).toBeLessThanOrEqual(3);
    },
    30_000,
  );
});

describeTerraform("the warnings of a plan", () => {
  const world = attachedFolder();
  const paid = (plan: string, replicas: string) => textIn(join(__dirname, "quiet.tf"), { plan, replicas });

  it("name another price at the attribute that moves it, and nothing where it stays", async () => {
    world.write(paid("starter", "1"));
    const plan = await world.run("plan -input=false");
    expect(plan.match(/Warning: .*/g)?.slice(1)).toEqual([
      expect.stringMatching(/^Warning: Service "api" costs USD \d+, NGN [\d,]+ a month$/),
    ]);
    expect(plan).toContain("with rnv_service.api,");
    expect(plan).toMatch(/may wait for a\s+checkout/);
    await world.apply();
    world.write(paid("starter", "2"));
    const update = await world.run("plan -input=false");
    expect(update).toMatch(/Service "api" costs USD (\d+) -> \d+, NGN/);
    expect(update).toMatch(/replicas {3}= 2\n/);
    world.write(`${paid("starter", "1")}\n`.replace("/api", "/api2"));
    expect(await world.run("plan -input=false")).not.toContain("a month");
    // An unknown part makes the whole unknown.
    const later = `resource "terraform_data" "later" { input = 2 }\n`;
    world.write(paid("starter", "terraform_data.later.output") + later);
    expect(await world.run("plan -input=false")).not.toContain("a month");
  }, 30_000);
});
