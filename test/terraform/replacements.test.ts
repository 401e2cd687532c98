import { describeTerraform, TerraformFolder } from "../support/terraform";

const missing = "00000000-0000-4000-8000-00000000dead";

describeTerraform("what is made is checked before anything is destroyed", () => {
  const world = new TerraformFolder();
  const { store } = world.emulator;
  const project = store.addProject({ name: "Shop" });
  store.addEnvironment(project.id, "Staging");
  const shop = (fields: string, more = "") =>
    world.write(`${more}resource "rnv_service" "api" {\n  name = "api"\n${fields}\n}\n`);
  const later = (value: string) => `resource "terraform_data" "later" { input = "${value}" }\n`;
  const place = `  project_id = "${project.id}"\n`;
  const services = () => store.services().filter(({ deletedAt }) => deletedAt === null);
  /** First line of each error, with the line of `main.tf` that it points at. */
  const errors = (output: string): string[] =>
    [
      ...output.matchAll(
        /Error: (.*(?:\n[^\n]+)*?)\n\n(?: *with .*\n)?(?: *on main\.tf line \d+.*\n *\d+: *(.*)\n)?/g,
      ),
    ].map(([, summary, line]) => `${summary?.replaceAll("\n", " ")} @ ${line ?? ""}`);

  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it("by the plan: ids, projects, environments and choices, each at its attribute", async () => {
    shop(`  kind = "web"\n  project_id = "shop"`);
    expect(errors(await world.run("validate", 1))).toEqual([
      'project_id: expected an id, which is a UUID @ project_id = "shop"',
    ]);
    shop(`  kind = "web"\n  project_id = "${missing}"`);
    expect(errors(await world.run("plan", 1))).toEqual([
      `The project ${missing} is not there @ project_id = "${missing}"`,
    ]);
    world.write(`resource "rnv_variables" "v" {\n  service_id = "${missing}"\n  values = { A = "1" }\n}\n`);
    expect(errors(await world.run("plan", 1))).toEqual([
      `The service ${missing} is not there @ service_id = "${missing}"`,
    ]);
    world.write(`resource "rnv_deployment" "d" {\n  service_id = "${missing}"\n}\n`);
    expect(errors(await world.run("plan", 1))).toEqual([
      `The service ${missing} is not there @ service_id = "${missing}"`,
    ]);
    shop(`${place}  kind = "web"\n  environment = "Stagign"`);
    const output = await world.run("plan", 1);
    expect(errors(output)).toEqual(['The project has no environment "Stagign" @ environment = "Stagign"']);
    expect(output).toContain('Did you mean "Staging"?');
    const made = `resource "rnv_project" "new" { name = "New" }\n`;
    shop(`  kind = "web"\n  project_id = rnv_project.new.id\n  environment = "Staging"`, made);
    expect(errors(await world.run("plan", 1))).toEqual([
      'The project has no environment "Staging" @ environment = "Staging"',
    ]);
    expect(world.writes()).toEqual([]);
  }, 60_000);

  it("of a replacement by the plan too: what stands is not deleted for what cannot be made", async () => {
    shop(`${place}  kind = "web"`);
    await world.apply();
    const [{ id = "" } = {}] = services();
    for (const [fields, expected] of [
      [`${place}  kind = "wrker"`, 'Kind "wrker" does not exist @ kind = "wrker"'],
      [
        `${place}  kind = "web"\n  environment = "Nope"`,
        'The project has no environment "Nope" @ environment = "Nope"',
      ],
      [
        `  kind = "web"\n  project_id = "${missing}"`,
        `The project ${missing} is not there @ project_id = "${missing}"`,
      ],
      [
        `${place}  kind = "worker"\n  configuration {\n    region = "mars"\n  }`,
        'Region "mars" does not exist @ region = "mars"',
      ],
    ] as const) {
      shop(fields);
      expect(errors(await world.run("apply -auto-approve", 1))).toEqual([expected]);
    }
    expect(services().map((one) => one.id)).toEqual([id]);
  }, 60_000);

  it("what is not known before apply is checked before the deletion is sent", async () => {
    const [{ id = "" } = {}] = services();
    const fields = `${place}  kind = "worker"\n  configuration {\n    region = terraform_data.later.output\n  }`;
    shop(fields, later("mars"));
    world.emulator.resetLog();
    expect(await world.run("plan")).toContain("Warning: configuration.region is not known before apply");
    const stopped = await world.run("apply -auto-approve", 1);
    expect(stopped).toContain("configuration.region is not known before apply");
    expect(stopped).toMatch(/Error: The service "api" is not deleted, its replacement cannot\s+be made/);
    // What it depends on is applied alone: then it is known.
    await world.apply("-target=terraform_data.later");
    expect(errors(await world.run("apply -auto-approve", 1))).toEqual([
      'Region "mars" does not exist @ region = terraform_data.later.output',
    ]);
    expect(world.writes()).toEqual([]);
    shop(fields, later("auto"));
    await world.apply("-target=terraform_data.later");
    expect(await world.apply()).toContain("1 added, 0 changed, 1 destroyed");
    await world.expectNoChanges();
    // A replacement that is created first has no need of it; it needs a name of its own.
    const first = "lifecycle {\n create_before_destroy = true\n}";
    const other = fields.replace("worker", "web");
    shop(`${other}\n${first}`, later("lagos"));
    expect(await world.run("apply -auto-approve", 1)).toMatch(
      /replacement\s+with\s+create_before_destroy\s+needs\s+one/,
    );
    expect(services()).toHaveLength(1);
    world.write(`${later("lagos")}resource "rnv_service" "api" {\n name = "other"\n${other}\n${first}\n}\n`);
    expect(await world.apply()).toContain("1 added, 0 changed, 1 destroyed");
    expect(services().map(({ name }) => name)).toEqual(["other"]);
    expect(services()[0]?.id).not.toBe(id);
  }, 60_000);

  it("also where somebody took its place between the plan and the apply", async () => {
    shop(`${place}  kind = "web"`);
    await world.apply();
    const [{ id = "" } = {}] = services();
    shop(`${place}  kind = "worker"`);
    await world.run("plan -out=saved");
    const other = store.addService({ name: "api", kind: "web", projectId: project.id });
    const stopped = await world.run("apply saved", 1);
    expect(stopped).toContain("is not deleted, its replacement cannot");
    expect(stopped).toContain(other.id);
    expect(services().map((one) => one.id)).toContain(id);
  }, 60_000);

  it("goes with its variables, whose values no plan holds, and its deployment", async () => {
    const write = (kind: string) =>
      world.write(`
resource "rnv_service" "store" {
  name       = "store"
  kind       = "${kind}"
  project_id = "${project.id}"
  configuration {
    repository = "https://git.example.com/shop/store"
  }
}
resource "rnv_variable" "plain" {
  service_id = rnv_service.store.id
  key        = "PLAIN"
  value      = "p4ssw0rd"
}
resource "rnv_variable" "hidden" {
  service_id       = rnv_service.store.id
  key              = "HIDDEN"
  value_wo         = "p4ssw0rd"
  value_wo_version = 1
}
resource "rnv_variables" "all" {
  service_id = rnv_service.store.id
  values     = { A = "1", B = "2" }
}
resource "rnv_deployment" "store" {
  service_id = rnv_service.store.id
}
`);
    write("web");
    await world.apply();
    write("worker");
    expect(await world.apply()).toContain("5 added, 0 changed, 5 destroyed");
    await world.expectNoChanges();
    const [made] = services().filter(({ name }) => name === "store");
    expect(made).toMatchObject({ kind: "worker" });
    expect(
      store
        .variables(made?.id ?? "")
        .map(({ key }) => key)
        .sort(),
    ).toEqual(["A", "B", "HIDDEN", "PLAIN"]);
    expect(store.deployments(made?.id ?? "")).toHaveLength(1);
  }, 60_000);
});
