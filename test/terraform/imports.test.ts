import { rmSync } from "node:fs";
import { join } from "node:path";
import { rowsIn } from "../support/rows";
import { describeTerraform, generatedBy, TerraformFolder } from "../support/terraform";

describeTerraform("an import", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const ids: Record<string, string> = {};
  const generated = () => join(world.folder, "w/generated.tf");

  beforeAll(async () => {
    await world.openAttached();
    const { store } = emulator;
    const project = store.addProject({ name: "Shop", description: "Sold here" });
    const api = store.addService({
      ...{ name: "api", kind: "web", projectId: project.id },
      configuration: { repository: "https://git.example.com/shop/api", branch: "develop", replicas: 2 },
    });
    const docs = store.addService({ name: "docs", kind: "static" });
    const token = store.addVariable(api.id, "TOKEN", "imported-value");
    store.addVariable(api.id, "LEVEL", "debug");
    const deployment = store.deploy(api.id);
    store.settle();
    Object.assign(ids, {
      ...{ project: project.id, api: api.id, docs: docs.id, token: token.id, deployment: deployment.id },
    });
    world.write(`resource "rnv_canvas_layout" "shop" { project_id = "${project.id}" }\n`);
    await world.apply();
    await world.run("state rm rnv_canvas_layout.shop");
  }, 30_000);

  const imports = (list: readonly (readonly [string, string])[], line = ""): string =>
    list.map(([to, id]) => `import {\n  to = ${to}\n  id = "${id}"\n${line}}\n`).join("");

  /** Plans imports into configuration that is generated. */
  const importing = (list: readonly (readonly [string, string])[]) => {
    world.write(imports(list, generatedBy));
    rmSync(generated(), { force: true });
    return world.start("plan", "-input=false", "-generate-config-out=generated.tf");
  };

  it("says what is not there, by its name and place, and what an import id may be", async () => {
    const twice = ["Twice", "Twice"].map((name) => emulator.store.addProject({ name }).id);
    const workers = ["Production", "Staging"].map((name) => {
      const environment = emulator.store.projects()[0]?.environments.find((one) => one.name === name);
      const { id: environmentId } = environment ?? emulator.store.addEnvironment(ids.project ?? "", name);
      return emulator.store.addService({ name: "worker", projectId: ids.project, environmentId }).id;
    });
    const one = emulator.store.addProject({ name: "One" }).id;
    const only = emulator.store.addService({ name: "api", kind: "web", projectId: one }).id;
    const wrong = rowsIn(join(__dirname, "wrong-imports.tsv"));
    for (const [to = "", given = "", told = ""] of wrong) {
      const id = given.replace("<docs>", ids.docs ?? "");
      const { code, output } = await importing([[to, id]]);
      expect([id, code]).toEqual([id, 1]);
      expect(output.replace(/\s+/g, " ")).toMatch(new RegExp(told));
    }
    expect(emulator.log.filter(({ status }) => status === 400)).toEqual([]);
    for (const id of [...workers, only]) emulator.store.deleteServiceNow(id);
    for (const id of [...twice, one]) emulator.store.deleteProjectNow(id);
  }, 60_000);

  it("generated configuration of every importable resource can be planned and applied, and sends nothing", async () => {
    const list = [
      ["rnv_project.shop", "Shop"],
      ["rnv_service.api", "Shop/api"],
      ["rnv_service.docs", ids.docs ?? ""],
      ["rnv_variable.token", `${ids.api}/${ids.token}`],
      ["rnv_variable.level", "Shop/api/LEVEL"],
      ["rnv_variables.api", "Shop/api"],
      ["rnv_deployment.api", ids.api ?? ""],
      ["rnv_canvas_layout.shop", ids.project ?? ""],
    ] as const;
    const { code, output } = await importing(list);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining("8 to import, 0 to add, 0 to change, 0 to destroy"),
    ]);
    emulator.resetLog();
    world.write(imports(list));
    await world.apply();
    expect(world.writes()).toEqual([]);
    await world.expectNoChanges();
    await world.run("plan -refresh-only -input=false -detailed-exitcode");
  }, 60_000);

  // A wrong import ID must not delete the service that it names.
  it("of a service of another kind or project is refused, and replaces nothing", async () => {
    const docs = (fields: string) =>
      `import {\n to = rnv_service.docs\n id = "${ids.docs}"\n}\nresource "rnv_service" "docs" {\n name = "docs"\n ${fields}\n}\n`;
    rmSync(generated(), { force: true });
    world.remove("terraform.tfstate");
    for (const [fields, told] of [
      ['kind = "web"', 'Its kind is "static". What is not managed yet is never replaced'],
      [`kind = "static"\n project_id = "${ids.project}"`, "Its project_id is null."],
    ] as const) {
      world.write(docs(fields));
      expect(await world.told("plan -input=false", 1)).toContain(told);
    }
  }, 60_000);

  it("takes instances by one block with for_each, and a service at two addresses, which a list of them shows", async () => {
    const projectId = ids.project;
    const [one] = ["one", "two"].map((name) => emulator.store.addService({ name, kind: "web", projectId }));
    const each = `for_each = toset(["one", "two"])`;
    const all = (name: string) =>
      `import {\n ${each}\n to = rnv_service.${name}[each.key]\n id = "Shop/\${each.key}"\n}\n` +
      `resource "rnv_service" "${name}" {\n ${each}\n project_id = "${projectId}"\n name = each.key\n kind = "web"\n}\n`;
    rmSync(generated(), { force: true });
    world.remove("terraform.tfstate");
    world.write(all("first") + all("second"));
    expect(await world.apply()).toContain("4 imported, 0 added");
    const addresses = (await world.run(`state list -id=${one?.id}`)).trim().split("\n");
    expect(addresses).toEqual(['rnv_service.first["one"]', 'rnv_service.second["one"]']);
  }, 60_000);
});
