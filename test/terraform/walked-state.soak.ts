import { describeTerraform, TerraformFolder } from "../support/terraform";

/** Terraform shows a provider its state resource by resource, while the same plan is made. */
describeTerraform("what a plan says of things that its state may hold", () => {
  const world = new TerraformFolder();
  const { store } = world.emulator;
  const services = (prefix: string, count: number, rest = ""): string => `
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "s" {
  for_each   = { for i in range(${count}) : "${prefix}-${"$"}{i}" => "s-${"$"}{i}" }
  name       = each.value
  kind       = "web"
  project_id = rnv_project.shop.id
${rest}}
`;

  beforeAll(async () => {
    await world.open();
  });
  afterAll(() => world.close());

  it("a name that goes from one address to another is no conflict, of however many", async () => {
    world.write(services("a", 120));
    await world.apply();
    world.write(services("b", 120));
    expect(await world.run("plan")).toContain("120 to add, 0 to change, 120 to destroy");
    // Each takes the name of the next one.
    world.write(services("a", 120).replace('"s-${i}"', '"s-${i + 1}"'));
    expect(await world.run("plan")).toContain("0 to add, 120 to change, 0 to destroy");
  }, 120_000);

  it("nor is it taken over", async () => {
    const only = await new TerraformFolder().open();
    try {
      only.write(services("a", 4));
      await only.apply();
      only.write(services("b", 4, "  adopt = true\n"));
      for (let round = 0; round < 4; round += 1) {
        const output = await only.run("plan");
        expect(output).toContain("4 to add, 0 to change, 4 to destroy");
        expect(output).not.toContain("taken over");
      }
    } finally {
      await only.close();
    }
  }, 120_000);

  it("what a map of variables takes over from single ones is no conflict", async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `KEY_${index}`);
    const service = 'resource "rnv_service" "api" {\n  name = "api"\n  kind = "web"\n}\n';
    const single = (key: string): string =>
      `resource "rnv_variable" "${key}" {\n  service_id = rnv_service.api.id\n  key = "${key}"\n  value = "1"\n}\n`;
    const rest = services("a", 120);
    world.write(rest + service + keys.map(single).join(""));
    await world.apply();
    const values = keys.map((key) => `${key} = "1"`).join("\n    ");
    world.write(
      `${rest}${service}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  values = {\n    ${values}\n  }\n}\n`,
    );
    expect(await world.run("plan")).toContain("1 to add, 0 to change, 20 to destroy");
    world.write(rest);
    await world.apply();
  }, 120_000);

  it("names that others bear are errors, each with its id, of however many", async () => {
    const projectId = store.projects()[0]?.id ?? "";
    const others = Array.from({ length: 12 }, (_, index) =>
      store.addService({ name: `s-${200 + index}`, kind: "web", projectId }),
    );
    world.write(services("a", 120).replace("range(120)", "concat(range(120), range(200, 212))"));
    const output = await world.run("plan", 1);
    for (const { id } of others) expect(output).toContain(id);
    expect(output).toContain("import {");
    const adopted = services("a", 120, "  adopt = true\n");
    world.write(adopted.replace("range(120)", "concat(range(120), range(200, 212))"));
    const told = await world.run("plan");
    for (const { id } of others) expect(told).toContain(id);
    expect(told.match(/and is taken over/g)).toHaveLength(12);
    for (const { id } of others) store.deleteServiceNow(id);
  }, 120_000);

  it("a project that holds what is not managed is not deleted, and the plan says so before the rest is gone", async () => {
    const projectId = store.projects()[0]?.id ?? "";
    const foreign = store.addService({ name: "foreign", kind: "web", projectId });
    for (const command of ["destroy -auto-approve", "plan -destroy"]) {
      world.write(services("a", 120));
      const output = await world.run(command, 1);
      expect(output).toContain('The project "Shop" holds what is not deleted with it: the service "foreign"');
      expect(output).toContain(foreign.id);
    }
    world.write("");
    expect(await world.run("plan", 1)).toContain("holds what is not deleted with it");
    expect(store.services()).toHaveLength(121);
    store.deleteServiceNow(foreign.id);
    expect(await world.run("plan")).toContain("0 to add, 0 to change, 121 to destroy");
    await world.run("destroy -auto-approve");
    expect(store.projects()).toEqual([]);
  }, 120_000);
});
