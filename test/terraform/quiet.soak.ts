import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const stored = (name: string): string => readFileSync(join(__dirname, "../support/stored", name), "utf8");
const configuration = stored("main.tf");

/** How many attributes a plan does not know. */
const unknowns = (plan: string): number => plan.match(/\(known after apply\)/g)?.length ?? 0;

describeTerraform("plans that say what changes and nothing else", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const refreshOnly = () => world.run("plan -refresh-only -input=false -detailed-exitcode");

  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

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

  it("nor after what a deployment is for was unknown in the plan and stays, nor while a removal is still to be applied", async () => {
    const only = await new TerraformFolder().openAttached();
    try {
      const write = (trigger: string, variables: readonly string[]): void =>
        only.write(`
resource "terraform_data" "branch" {
  triggers_replace = "${trigger}"
  input            = "main"
}
resource "rnv_service" "api" {
  name     = "api"
  kind     = "web"
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = terraform_data.branch.output
  }
}
${variables
  .map(
    (key) => `resource "rnv_variable" "${key}" {
  service_id = rnv_service.api.id
  key = "${key}"
  value = "1"
}
`,
  )
  .join("")}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  triggers   = { config = rnv_service.api.revision, ${variables.map((key) => `${key} = rnv_variable.${key}.revision`).join(", ")} }
}
`);
      const runs = () =>
        only.emulator.store.deployments(String(only.attributes("rnv_service", "api").id)).length;
      write("one", ["a", "b"]);
      await only.apply();
      for (const trigger of ["two", "three"]) {
        write(trigger, ["a", "b"]);
        expect(await only.run("plan -input=false")).toContain("1 to add, 2 to change, 1 to destroy");
        await only.apply();
        await only.run("plan -refresh-only -input=false -detailed-exitcode");
        expect(runs()).toBe(1);
      }
      write("three", ["a"]);
      await only.run("plan -refresh-only -input=false -detailed-exitcode");
      await only.apply();
      await only.apply();
      await only.expectNoChanges();
      await only.run("plan -refresh-only -input=false -detailed-exitcode");
    } finally {
      await only.close();
    }
  }, 60_000);

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

  it("what moves by itself is read by the data source", async () => {
    world.write(
      `${configuration}\ndata "rnv_service" "now" { id = rnv_service.api.id }\n` +
        `output "shown" { value = data.rnv_service.now.live_deployment_id }\n`,
    );
    await world.apply();
    const service = emulator.store.services()[0];
    expect((await world.run("output -raw shown")).trim()).toBe(service?.liveDeploymentId);
    expect(Object.keys(world.attributes("rnv_service", "api"))).not.toContain("live_deployment_id");
  }, 30_000);
});

describeTerraform("what a plan warns of", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const paid = (plan: string, replicas: string) => `
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    plan       = "${plan}"
    replicas   = ${replicas}
  }
}
resource "rnv_service" "docs" {
  name = "docs"
  kind = "static"
  configuration { repository = "https://git.example.com/shop/docs" }
}
`;
  const deployed = `${paid("starter", "1")}resource "rnv_deployment" "api" { service_id = rnv_service.api.id }\n`;

  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it("another price, at the attribute that moves it, and nothing where it stays", async () => {
    world.write(paid("starter", "1"));
    const plan = await world.run("plan -input=false");
    expect(plan.match(/Warning: .*/g)?.slice(1)).toEqual([
      expect.stringMatching(/^Warning: Service "api" costs USD 0 -> \d+, NGN 0 -> [\d,]+ a month$/),
    ]);
    expect(plan).toContain("with rnv_service.api,");
    expect(plan).toMatch(/may wait for a checkout/);
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

  it("what awaits a checkout, before and after it is in the state", async () => {
    world.write(deployed);
    const { output } = await world.start("apply", "-auto-approve", "-input=false");
    expect(output).toContain("Error: The deployment is saved and waits for a checkout");
    const told =
      /Warning: The deployment: saved, awaiting checkout in the\s+dashboard.*[\s│]+with rnv_deployment/;
    expect(await world.run("plan -input=false")).toMatch(told);
    const service = emulator.store.services().find(({ name }) => name === "api");
    emulator.store.completeCheckout(service?.id ?? "");
    emulator.store.settle();
    await world.apply();
    expect(await world.expectNoChanges()).not.toMatch(told);
  }, 30_000);
});

describeTerraform("a state that an older version stored", () => {
  const world = new TerraformFolder();
  const { emulator } = world;

  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it("is upgraded without a change, and keeps what is declared", async () => {
    const { store } = emulator;
    const project = store.addProject({ name: "Shop" });
    const branch = { repository: "https://git.example.com/shop/api", branch: "develop", replicas: 2 };
    const api = store.addService({
      ...{ name: "api", kind: "web", projectId: project.id },
      configuration: branch,
    });
    const token = store.addVariable(api.id, "TOKEN", "stored-value");
    const level = store.addVariable(api.id, "LOG_LEVEL", "debug");
    const { id: deploymentId } = store.deploy(api.id);
    store.settle();
    const live: Record<string, { readonly id: string; readonly at?: string }> = {
      rnv_project: { id: project.id },
      rnv_service: { id: api.id },
      rnv_variable: { id: token.id, at: token.updatedAt },
      rnv_variables: { id: api.id, at: level.updatedAt },
      rnv_deployment: { id: deploymentId },
      rnv_canvas_layout: { id: project.id },
    };
    world.write(configuration);
    writeFileSync(join(world.folder, "w/terraform.tfstate"), storedState(live, level.id));
    const plan = await world.run("plan -input=false -out=tfplan -detailed-exitcode", 2);
    // The places of the layout, and write-only attributes that are marked as such and no more as sensitive.
    expect(plan).toContain("0 to add, 3 to change, 0 to destroy");
    expect(plan).not.toMatch(/rnv_(project|service|deployment)\.\w+ will be/);
    expect(unknowns(plan)).toBe(1);
    await world.run("apply -input=false tfplan");
    await world.expectNoChanges();
    expect(world.writes().filter((write) => !write.includes("canvas"))).toEqual([]);
    const versions = JSON.parse(world.stateText()).resources.map(
      ({ instances }: { instances: { schema_version: number }[] }) => instances[0]?.schema_version,
    );
    expect(new Set(versions)).toEqual(new Set([3]));
    expect(world.attributes("rnv_variable", "token").value).toBe("stored-value");
  }, 30_000);

  it("loses the block that is not written, which was there with nulls, and shows no change for it", async () => {
    const bare = (name: string) =>
      `resource "rnv_service" "${name}" {\n  name = "${name}"\n  kind = "static"\n}\n`;
    world.write(bare("docs"));
    rmSync(join(world.folder, "w/terraform.tfstate"));
    await world.apply();
    const { serial, ...state } = JSON.parse(world.stateText());
    const [instance] = state.resources[0].instances;
    expect(instance.attributes.configuration).toBeNull();
    const fields = { branch: null, replicas: null, ignore_paths: null };
    Object.assign(instance, {
      schema_version: 1,
      attributes: { ...instance.attributes, configuration: fields },
    });
    writeFileSync(
      join(world.folder, "w/terraform.tfstate"),
      JSON.stringify({ ...state, serial: serial + 1 }),
    );
    await world.expectNoChanges();
    // What is imported shows all of its block, and has none in the configuration.
    const { id } = emulator.store.addService({ name: "site", kind: "static" });
    world.write(`${bare("docs")}${bare("site")}import {\n  to = rnv_service.site\n  id = "${id}"\n}\n`);
    expect(await world.run("plan -input=false")).toContain(
      "1 to import, 0 to add, 0 to change, 0 to destroy",
    );
    emulator.resetLog();
    await world.apply();
    await world.expectNoChanges();
    expect(world.writes()).toEqual([]);
  }, 30_000);
});

/** The stored state with the ids and times of what the emulator holds. */
function storedState(
  live: Readonly<Record<string, { readonly id: string; readonly at?: string }>>,
  entryId: string,
): string {
  const state = JSON.parse(stored("terraform.tfstate"));
  let text = JSON.stringify(state);
  for (const { type, instances } of state.resources) {
    const { id, ids, updated_at: at } = instances[0].attributes;
    text = text.replaceAll(id, live[type]?.id ?? "");
    if (ids !== undefined) text = text.replaceAll(ids.LOG_LEVEL, entryId);
    const time = live[type]?.at;
    if (time !== undefined) text = text.replaceAll(at.LOG_LEVEL ?? at, time);
  }
  // Written long ago.
  const replaced = JSON.parse(text);
  for (const { instances } of replaced.resources) {
    const kept = JSON.parse(Buffer.from(instances[0].private, "base64").toString("utf8"));
    const { updatedAt: _ofAnother, ...rest } = kept;
    if ("revision" in instances[0].attributes) instances[0].attributes.revision = 0;
    const old = JSON.stringify({ ...rest, writtenAt: "2026-01-01T00:00:00.000Z" });
    instances[0].private = Buffer.from(old).toString("base64");
  }
  return JSON.stringify(replaced);
}
