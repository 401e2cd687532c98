import { describeTerraform, TerraformFolder } from "../support/terraform";

const shop = (branch = "main", more = "") => `
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
  ${more}
  configuration {
    branch = "${branch}"
  }
}
`;
const value = "a-value-that-no-file-may-hold";
const withVariables = `${shop()}
resource "rnv_variable" "a" {
  service_id = rnv_service.api.id
  key        = "A"
  value      = "${value}"
}
resource "rnv_variables" "b" {
  service_id = rnv_service.api.id
  values     = { B = "${value}", C = "${value}" }
}
`;
const flat = (text: string): string => text.replace(/[\s│╷╵]+/g, " ");

describeTerraform("what exists of a name", () => {
  const first = new TerraformFolder();
  const second = new TerraformFolder();
  /** Both speak to the service of the first. */
  const writeSecond = (text: string) => second.write(text, `base_url = "${first.baseUrl}"`);
  const services = () => first.emulator.store.services().filter(({ deletedAt }) => deletedAt === null);

  beforeAll(async () => {
    await first.openAttached();
    await second.openAttached();
    first.write(withVariables);
    await first.apply();
  }, 60_000);
  afterAll(() => Promise.all([first.close(), second.close()]));
  // A process that has written leaves it to the apply to look for what is there.
  beforeEach(() => second.attach());

  it("is a conflict for another state of the same content: the plan says its id, and how it is imported", async () => {
    writeSecond(withVariables);
    first.emulator.resetLog();
    const output = flat(await second.run("plan -input=false", 1));
    const [api] = services();
    expect(output).toContain('There is a service "api" already');
    expect(output).toContain(`import { to = rnv_service.api id = "${api?.id}" }`);
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(first.writes()).toEqual([]);
    writeSecond(
      `import {\n  to = rnv_service.api\n  id = "${api?.id}"\n}\n${withVariables.replace(/service_id = .*/g, `service_id = "${api?.id}"`)}`,
    );
    const inside = flat(await second.run("apply -auto-approve -input=false", 1));
    expect(inside).toContain('There is a variable "A" already');
    expect(inside).toContain(`id = "${api?.id}/`);
    expect(first.emulator.store.variables(api?.id ?? "")).toHaveLength(3);
  }, 60_000);

  it("is taken over with adopt = true, which the plan says, and changed where it differs", async () => {
    const [api] = services();
    writeSecond(shop("next", "adopt = true"));
    await second.run("state rm rnv_service.api").catch(() => "nothing was imported");
    const plan = flat(await second.run("plan -input=false"));
    expect(plan).toContain(`The service "api" (${api?.id}) is there, and is taken over: adopt = true`);
    expect(plan).toContain("Changed there: configuration.branch.");
    await second.apply();
    expect(services().map(({ id, configuration }) => [id, configuration.branch])).toEqual([
      [api?.id, "next"],
    ]);
    await second.expectNoChanges();
    await second.attach();
    writeSecond(
      shop("next", "adopt = true")
        .replace('"web"', '"worker"')
        .replace('rnv_service" "api', 'rnv_service" "other'),
    );
    await second.run("state rm rnv_service.api");
    expect(flat(await second.run("plan -input=false", 1))).toContain(
      "cannot be taken over: kind differs there",
    );
  }, 60_000);

  it("is a conflict of the plan in a map of variables too, by key, and is taken over with adopt = true", async () => {
    const [api] = services();
    const ids = () => first.emulator.store.variables(api?.id ?? "").map(({ id }) => id);
    const before = ids();
    const map = (more = "") =>
      `resource "rnv_variables" "all" {\n  service_id = "${api?.id}"\n  values = { A = "other", B = "other" }\n  ${more}\n}\n`;
    writeSecond(map());
    const output = flat(await second.run("plan -input=false", 1));
    expect(output).toContain("A, B: there already, and not managed by this resource");
    expect(output).toContain(`import { to = rnv_variables.all id = "${api?.id}" }`);
    writeSecond(map("adopt = true"));
    expect(flat(await second.run("plan -input=false"))).toContain("A, B: there already, and taken over");
    await second.apply();
    expect(ids()).toEqual(before);
    await second.expectNoChanges();
    // What is ours already is not taken over again, however the id of its service is written.
    writeSecond(map("adopt = true").replace(api?.id ?? "", (id) => id.toUpperCase()));
    expect(flat(await second.expectNoChanges())).not.toContain("taken over");
    await second.run("state rm rnv_variables.all");
  }, 60_000);

  it("is not given to two by one plan: made, renamed, or both", async () => {
    const two = (one: string, other: string, more = "") => `
resource "rnv_service" "one" {
  name = "${one}"
  kind = "web"
  ${more}
}
resource "rnv_service" "other" {
  name = "${other}"
  kind = "web"
}
`;
    const said = 'Two resources declare the same thing, "same-name"';
    writeSecond(two("same-name", "same-name"));
    expect(flat(await second.run("plan -input=false", 1))).toContain(said);
    writeSecond(two("same-name", "another-name"));
    await second.apply();
    writeSecond(two("same-name", "same-name"));
    const renamed = flat(await second.run("plan -input=false", 1));
    expect(renamed).toContain(said);
    expect(renamed).toMatch(/name = "same-name"/);
    // What changes names with another, or is replaced, is no two.
    writeSecond(two("another-name", "same-name", 'configuration {\n branch = "next"\n }'));
    await second.apply();
    await second.expectNoChanges();
    await second.run("plan -input=false -replace=rnv_service.one");
    await second.run("taint rnv_service.other");
    await second.apply("-replace=rnv_service.one");
    await second.expectNoChanges();
    writeSecond(two("third-name", "same-name").replace('kind = "web"', 'kind = "worker"'));
    expect(await second.apply()).toContain("1 added, 0 changed, 1 destroyed");
    // Two that bear one name already may go on.
    const [third] = services().filter(({ name }) => name === "third-name");
    Object.assign(third ?? {}, { name: "same-name" });
    writeSecond(two("same-name", "same-name").replace('kind = "web"', 'kind = "worker"'));
    await second.expectNoChanges();
    await second.run("destroy -auto-approve");
  }, 120_000);

  it("is not taken over where two bear it", async () => {
    first.emulator.store.addService({ name: "twice" });
    first.emulator.store.addService({ name: "twice" });
    writeSecond(shop("next", "adopt = true").replace('name = "api"', 'name = "twice"'));
    expect(flat(await second.run("plan -input=false", 1))).toContain(
      'There are 2 of the name "twice" already',
    );
  }, 60_000);

  it("is a conflict of the plan for what is renamed to it, unless the state has it, as where two change names", async () => {
    const two = (one: string, other: string) =>
      writeSecond(
        [one, other]
          .map(
            (name, index) =>
              `resource "rnv_service" "n${index}" {\n  name = "${name}"\n  kind = "web"\n}\n` +
              `resource "rnv_variable" "v${index}" {\n  service_id = rnv_service.n${index}.id\n  key = "KEY_${one}"\n  value = "1"\n}\n`,
          )
          .join(""),
      );
    two("left", "right");
    await second.apply();
    two("right", "left");
    expect(await second.apply()).toContain("0 added, 4 changed, 0 destroyed");
    await second.expectNoChanges();
    const id = first.emulator.store.addService({ name: "theirs" }).id;
    const left = services().find(({ name }) => name === "left")?.id ?? "";
    const key = first.emulator.store.addVariable(left, "KEY_theirs", "theirs").id;
    two("theirs", "left");
    first.emulator.resetLog();
    const output = flat(await second.run("apply -auto-approve -input=false", 1));
    expect(output).toContain(`There is another service "theirs" (${id})`);
    expect(output).toContain(`There is another variable "KEY_theirs" (${key})`);
    expect(second.writes()).toEqual([]);
    writeSecond("");
    await second.apply();
  }, 60_000);

  it("is one thing for one resource: the second of two that declare the same is an error, and nothing is doubled", async () => {
    const twice = (service: string, project: string) =>
      `resource "terraform_data" "later" { input = ["same", "both"] }
resource "rnv_service" "s" {\n  count = 2\n  name = ${service}\n  kind = "web"\n}
resource "rnv_project" "p" {\n  for_each = toset(["one", "two"])\n  name = ${project}\n}\n`;
    first.emulator.resetLog();
    writeSecond(twice('"same"', '"both"'));
    const plan = flat(await second.run("plan -input=false", 1));
    expect(plan.match(/Two resources declare the same thing/g)).toHaveLength(2);
    expect(first.writes()).toEqual([]);
    // Names that no plan knows.
    writeSecond(twice("terraform_data.later.output[0]", "terraform_data.later.output[1]"));
    const output = flat(await second.run("apply -auto-approve -input=false", 1));
    expect(output.match(/Two resources declare the same thing/g)).toHaveLength(2);
    expect(services().filter(({ name }) => name === "same")).toHaveLength(1);
    expect(first.emulator.store.projects().filter(({ name }) => name === "both")).toHaveLength(1);
  }, 60_000);

  it("is told by its place where it has no name: two layouts of one project", async () => {
    writeSecond(
      `resource "rnv_project" "p" {\n  name = "Placed"\n}\n` +
        `resource "rnv_canvas_layout" "l" {\n  count = 2\n  project_id = rnv_project.p.id\n  positions = "auto"\n}\n`,
    );
    const output = flat(await second.run("apply -auto-approve -input=false", 1));
    expect(output).toContain("Two resources make the layout of the same project");
    expect(output).not.toContain("another name");
  }, 60_000);
});
