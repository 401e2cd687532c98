import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attachedFolder, describeTerraform, generatedBy } from "../support/terraform";

/** `ip_allow_list`, `include_paths` and `ignore_paths` take texts and objects, as YAML and the constructs do. */
describeTerraform("an attribute with texts and objects", () => {
  const world = attachedFolder();
  const { store } = world.emulator;
  const office = { cidr: "10.0.0.0/8", description: "office" };
  const officeText = `{ cidr = "10.0.0.0/8", description = "office" }`;
  const listOf = (name: string) =>
    store.services().find((one) => one.name === name)?.configuration.ipAllowList;
  const service = (name: string, list: string, more = "") =>
    `resource "rnv_service" "${name}" {\n name = "${name}"\n kind = "web"\n configuration { ip_allow_list = ${list} }\n}\n${more}`;

  it("sends objects as they are written, and plans nothing after it", async () => {
    world.write(service("api", `[${officeText}, "1.1.1.1/32"]`));
    expect(await world.run("plan")).toMatch(/\+ description = "office"/);
    await world.apply();
    expect(listOf("api")).toEqual([office, "1.1.1.1/32"]);
    await world.expectNoChanges();
  });

  it("does not count the order, and shows what changes", async () => {
    world.write(service("api", `["1.1.1.1/32", ${officeText}]`));
    await world.expectNoChanges();
    world.write(service("api", `["1.1.1.1/32", ${officeText.replace("office", "home")}]`));
    expect(await world.run("plan")).toMatch(/\+ description = "home"/);
    await world.apply();
    expect(listOf("api")).toEqual(["1.1.1.1/32", { ...office, description: "home" }]);
    await world.expectNoChanges();
  });

  it("takes lists, sets and values that are unknown until the apply", async () => {
    const later = `resource "terraform_data" "cidr" { input = "10.0.0.0/8" }\n`;
    const forms: readonly (readonly [string, readonly unknown[]])[] = [
      [`toset(["2.2.2.2/32", "1.1.1.1/32"])`, ["1.1.1.1/32", "2.2.2.2/32"]],
      [`tolist(["3.3.3.3/32"])`, ["3.3.3.3/32"]],
      [`[{ cidr = terraform_data.cidr.output, description = "office" }]`, [office]],
      [`split(",", "\${terraform_data.cidr.output},4.4.4.4/32")`, ["10.0.0.0/8", "4.4.4.4/32"]],
      ["[]", []],
    ];
    for (const [text, sent] of forms) {
      world.write(service("api", text, later));
      await world.apply();
      expect(listOf("api")).toEqual(sent);
      await world.expectNoChanges();
    }
  }, 60_000);

  it("refuses other values when it validates", async () => {
    for (const wrong of [`"10.0.0.0/8"`, "[1]", `["a", null]`]) {
      world.write(service("api", wrong));
      expect(await world.run("validate", 1)).toContain("configuration.ip_allow_list");
    }
  });

  it("imports objects in a form that can be written", async () => {
    const { id } = store.addService({
      ...{ name: "old", kind: "web" },
      configuration: { ipAllowList: [office, "5.5.5.5/32"] },
    });
    const generated = join(world.folder, "w/generated.tf");
    const importing = (line: string) =>
      world.write(`${service("api", "[]")}import {\n to = rnv_service.old\n id = "${id}"\n${line}}\n`);
    importing(generatedBy);
    await world.run(`plan -generate-config-out=generated.tf`);
    importing("");
    expect(readFileSync(generated, "utf8").replace(/\s+/g, " ")).toContain(
      `{ cidr = "10.0.0.0/8" description = "office" }, "5.5.5.5/32"`,
    );
    expect(await world.apply()).toContain("1 imported, 0 added, 0 changed");
    await world.expectNoChanges();
    rmSync(generated);
  });

  it("shows services of different lists in data sources, an object as its JSON text", async () => {
    world.write(`${service("api", `["1.1.1.1/32"]`)}${service("old", `[${officeText}]`)}
data "rnv_services" "all" { depends_on = [rnv_service.api, rnv_service.old] }
data "rnv_canvas" "all" { depends_on = [rnv_service.api, rnv_service.old] }
output "listed" { value = jsonencode({ for one in data.rnv_services.all.services : one.name => one.configuration.ip_allow_list }) }
output "drawn" { value = jsonencode({ for one in data.rnv_canvas.all.nodes : one.name => one.configuration.ip_allow_list }) }
`);
    await world.apply();
    const shown = { api: ["1.1.1.1/32"], old: [JSON.stringify(office)] };
    expect(JSON.parse(JSON.parse(await world.run("output -json listed")))).toEqual(shown);
    expect(JSON.parse(JSON.parse(await world.run("output -json drawn")))).toEqual(shown);
  });

  it("keeps the keys of users, of a node that is archived too", async () => {
    const places = `{ Api = { x = 1, y = 2 } }`;
    const shop = (positions: string) =>
      `resource "rnv_project" "shop" { name = "Shop" }\n${service("Api", `[{ cidrBlock = "10.0.0.0/8", Zed = true }]`).replace(" kind", " project_id = rnv_project.shop.id\n kind")}resource "rnv_canvas_layout" "shop" {\n project_id = rnv_project.shop.id\n positions = ${positions}\n triggers = { api = rnv_service.Api.id }\n}\n`;
    world.write(shop(`{ camelCase = { x = "far", y = 2 } }`));
    expect(await world.told("validate", 1)).toContain("positions.camelCase.x: ");
    world.write(shop(places));
    await world.apply();
    await world.expectNoChanges();
    await world.run("plan -input=false -detailed-exitcode -refresh=false");
    const { id = "" } = store.services().find(({ name }) => name === "Api") ?? {};
    store.editService(id, () => ({ archived: true }));
    world.settle();
    expect(await world.run("plan -input=false")).toContain("0 to add, 1 to change, 0 to destroy");
    store.editService(id, () => ({ archived: false }));
    await world.expectNoChanges();
  }, 60_000);
});
