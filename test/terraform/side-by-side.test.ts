import { attachedFolder, describeTerraform } from "../support/terraform";

const service = `
variable "v" { default = "1" }
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "api" {
  project_id = rnv_project.shop.id
  name = "api"
  kind = "web"
  configuration { repository = "https://git.example.com/shop/api" }
}
`;
const map = (body: string): string =>
  `resource "rnv_variables" "m" {\n  service_id = rnv_service.api.id\n  ${body}\n}\n`;

/** Terraform asks for several changes at once, and does not order those that refer to nothing of each other. */
describeTerraform("resources that are applied side by side", () => {
  const world = attachedFolder();
  const { store } = world.emulator;
  const id = () => store.services().find(({ name }) => name === "api")?.id ?? "";
  const keys = () =>
    store
      .variables(id())
      .map(({ key }) => key)
      .sort();
  const empty = async () => {
    world.write("");
    await world.apply();
    world.settle();
  };
  beforeEach(() => world.emulator.resetLog());
  const written = (path: RegExp) => world.writes().filter((write) => path.test(write));

  it("start a deployment of their service once", async () => {
    world.write(`${service}${map("values = { A = var.v }")}
resource "rnv_deployment" "d" {
  for_each = toset(["one", "two", "three"])
  service_id = rnv_service.api.id
  triggers = { m = rnv_variables.m.revision }
}\n`);
    for (const [value, count] of [
      ["1", 1],
      ["2", 2],
    ] as const) {
      await world.apply(`-var=v=${value}`);
      expect(written(/deploys$/)).toHaveLength(count);
    }
    await world.run("plan -input=false -detailed-exitcode -var=v=2");
    await empty();
  }, 60_000);

  it("place their services on one canvas in one apply", async () => {
    world.write(`
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "s" {
  count = 4
  project_id = rnv_project.shop.id
  name = "s\${count.index}"
  kind = "worker"
}
variable "y" {
  type = number
  default = 5
}
resource "rnv_canvas_layout" "l" {
  count = 4
  project_id = rnv_project.shop.id
  positions = { (rnv_service.s[count.index].name) = { x = count.index * 100, y = var.y } }
}\n`);
    await world.apply();
    await world.apply("-var=y=6");
    await world.run("plan -input=false -detailed-exitcode -var=y=6");
    await empty();
  }, 60_000);

  it("say which keys leave a map, for Terraform counts none of them", async () => {
    world.write(service + map('values = { A = "1", B = "2" }\n  generate = { G = { length = 20 } }'));
    await world.apply();
    world.write(service + map('values = { B = "2" }'));
    const told = await world.told("plan -input=false");
    expect(told).toContain("0 to add, 1 to change, 0 to destroy");
    expect(told).toContain("A, G: deleted from the service");
    await empty();
  }, 60_000);

  it("tell how a map in the state takes over a key that exists", async () => {
    world.write(service + map('values = { B = "2" }'));
    await world.apply();
    store.addVariable(id(), "A", "of a killed apply");
    world.settle();
    const wanted = service + map('values = { A = "1", B = "2" }');
    world.write(wanted);
    const refused = await world.told("apply -auto-approve -input=false", 1);
    expect(refused).toContain("import it, after terraform state rm of this map:");
    await world.run("state rm rnv_variables.m");
    world.write(`${wanted}import {\n  to = rnv_variables.m\n  id = "${id()}"\n}\n`);
    await world.apply();
    await world.expectNoChanges();
    expect(keys()).toEqual(["A", "B"]);
    await empty();
  }, 60_000);

  it("deploy nothing with a variable that was renamed since the plan", async () => {
    const wanted = `${service}
resource "rnv_variable" "v" {
  service_id = rnv_service.api.id
  key = "V"
  value = var.v
}
resource "rnv_deployment" "d" {
  service_id = rnv_service.api.id
  triggers = { v = rnv_variable.v.revision }
}\n`;
    world.write(wanted);
    await world.apply();
    await world.run("plan -input=false -var=v=2 -out=late.plan");
    store.editVariable(store.variables(id())[0]?.id ?? "", { key: "THEIRS" });
    world.emulator.resetLog();
    expect(await world.told("apply late.plan", 1)).toContain("but key did not take");
    expect(written(/deploys$/)).toEqual([]);
    await world.apply("-var=v=2");
    expect(keys()).toEqual(["V"]);
    await empty();
  }, 60_000);

  it("warn that a value is lost with its service, where none is written", async () => {
    world.write(service);
    await world.apply();
    store.addVariable(id(), "A", "theirs");
    world.settle();
    const wanted = `${service}resource "rnv_variable" "a" {\n  service_id = rnv_service.api.id\n  key = "A"\n}\n`;
    world.write(`${wanted}import {\n  to = rnv_variable.a\n  id = "Shop/api/A"\n}\n`);
    await world.apply();
    world.write(wanted.replace('kind = "web"', 'kind = "static"'));
    const told = await world.told("plan -input=false");
    expect(told).toContain('Variable "A" is lost if its service is replaced');
    world.write(wanted);
    await world.expectNoChanges();
    await empty();
  }, 60_000);
});
