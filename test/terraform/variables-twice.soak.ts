import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("variables that are managed twice, or made elsewhere", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const keys = () =>
    emulator.store
      .variables(emulator.store.services().find(({ name }) => name === "api")?.id ?? "")
      .map(({ key }) => key)
      .sort();
  const service = `resource "rnv_service" "api" {\n  name = "api"\n  kind = "web"\n}\n`;
  const map = (body: string) =>
    `resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  values = ${body}\n}\n`;
  const single = (body: string) =>
    `resource "rnv_variable" "one" {\n  service_id = rnv_service.api.id\n  ${body}\n}\n`;
  const folded = (output: string) => output.replace(/[\s│╷╵]+/g, " ");

  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it("a key of a map and of a single variable is an error of the plan, also where the service is new", async () => {
    const twice = service + map(`{ A = "1", B = "2" }`) + single(`key = "A"\n value = "3"`);
    const told = 'The variable "A" is managed twice';
    world.write(twice);
    expect(folded(await world.run("plan -input=false", 1))).toContain(told);
    world.write(service + map(`{ B = "2" }`) + single(`key = "A"\n value = "3"`));
    await world.apply();
    emulator.resetLog();
    world.write(twice);
    const output = folded(await world.run("apply -auto-approve -input=false", 1));
    expect(output).toContain(told);
    expect(output).toContain("rnv_variables");
    expect(world.writes()).toEqual([]);
    world.write(service);
    await world.apply();
  }, 60_000);

  it("a key of two maps of one service is an error of the plan, new or not, and may move from one to the other", async () => {
    const other = (body: string) => map(body).replace('"all"', '"more"');
    const told = [
      'The variable "B" is managed twice',
      "Two resources rnv_variables",
      "The other one declares",
    ];
    const twice = service + map(`{ A = "1", B = "2" }`) + other(`{ B = "2", C = "3" }`);
    world.write(service + map(`{ A = "1", B = "2" }`) + other(`{ C = "3" }`));
    await world.apply();
    await world.expectNoChanges();
    emulator.resetLog();
    world.write(twice);
    const changed = folded(await world.run("apply -auto-approve -input=false", 1));
    for (const one of told) expect(changed).toContain(one);
    expect(world.writes()).toEqual([]);
    world.write(service + map(`{ A = "1" }`) + other(`{ C = "3" }`));
    await world.apply();
    // Two that are alike to the letter, of a service that is new.
    world.write(
      service.replace(/api/g, "web") +
        (map(`{ B = "2" }`) + other(`{ B = "2" }`)).replace(/\.api\./g, ".web."),
    );
    expect(folded(await world.run("plan -input=false", 1))).toContain('The variable "B" is managed twice');
    // A replacement is planned twice, and is one.
    world.write(service + map(`{ A = "1" }`) + other(`{ C = "3" }`));
    await world.run("apply -auto-approve -input=false -replace=rnv_variables.all");
    await world.expectNoChanges();
    world.write(service);
    await world.apply();
  }, 120_000);

  it("what is preserved is found by its key, forgotten and never deleted", async () => {
    const preserved = single(`key = "KEPT"\n preserve = true`).replace('"one"', '"kept"');
    world.write(service + preserved);
    expect(folded(await world.run("plan -input=false", 1))).toContain(
      'The service has no variable "KEPT" to preserve',
    );
    emulator.store.addVariable(emulator.store.services()[0]?.id ?? "", "KEPT", "by hand");
    await world.apply();
    expect(keys()).toEqual(["KEPT"]);
    await world.expectNoChanges();
    emulator.resetLog();
    world.write(service + single(`key = "KEPT"`).replace('"one"', '"kept"'));
    expect(folded(await world.run("apply -auto-approve", 1))).toContain(
      "is not preserved any more, and has no value",
    );
    world.write(service);
    expect(folded(await world.apply())).toContain('Variable "KEPT" is forgotten, not deleted');
    expect(world.writes()).toEqual([]);
    expect(keys()).toEqual(["KEPT"]);
  }, 60_000);

  it("what is preserved is never renamed: another key is another variable, at another service too, and must be there", async () => {
    const { store } = emulator;
    const other = store.addService({ name: "other", kind: "web" });
    const id = store.services().find(({ name }) => name === "api")?.id ?? "";
    const preserved = (key: string, serviceId = id) =>
      `resource "rnv_variable" "kept" {\n  service_id = "${serviceId}"\n  key = "${key}"\n  preserve = true\n}\n`;
    world.write(service + preserved("KEPT"));
    await world.apply();
    emulator.resetLog();
    world.write(service + preserved("MISSING"));
    expect(folded(await world.run("apply -auto-approve", 1))).toContain(
      'The service has no variable "MISSING" to preserve',
    );
    store.addVariable(id, "SECOND", "by hand");
    store.addVariable(other.id, "SECOND", "by hand");
    for (const place of [id, other.id]) {
      world.write(service + preserved("SECOND", place));
      expect(await world.apply()).toContain("1 added, 0 changed, 1 destroyed");
      await world.expectNoChanges();
    }
    await world.apply("-replace=rnv_variable.kept");
    await world.expectNoChanges();
    // With a value it is ours, and so is what it is renamed to.
    world.write(service + preserved("THIRD").replace("preserve = true", 'value = "1"'));
    await world.apply();
    expect(keys()).toEqual(["KEPT", "SECOND", "THIRD"]);
    expect(world.writes()).toEqual([`POST /services/${id}/variables`]);
    world.write(service + preserved("SECOND"));
    await world.apply();
    expect(keys()).toEqual(["KEPT", "SECOND"]);
    await world.expectNoChanges();
  }, 60_000);

  it("what is preserved is not lost with a service that is replaced", async () => {
    const preserved = single(`key = "KEPT"\n preserve = true`).replace('"one"', '"kept"');
    world.write(service + preserved);
    await world.apply();
    emulator.resetLog();
    const told = 'The variable "KEPT" would be lost with its service, and no value is declared';
    world.write(service.replace('"web"', '"worker"') + preserved);
    expect(folded(await world.run("apply -auto-approve", 1))).toContain(told);
    world.write(service + preserved);
    expect(folded(await world.run("apply -auto-approve -replace=rnv_service.api", 1))).toContain(told);
    expect(world.writes()).toEqual([]);
    // A service of the same name that is made elsewhere is another one.
    world.write(
      `${service + preserved}resource "rnv_project" "next" {\n  name = "Next"\n}\n` +
        service.replace('"api" {', '"next" {\n  project_id = rnv_project.next.id'),
    );
    await world.apply();
    world.write(service + preserved);
    await world.apply();
    world.write(service.replace('"web"', '"worker"') + preserved.replace("preserve = true", 'value = "1"'));
    expect(await world.apply()).toContain("2 added, 0 changed, 2 destroyed");
    expect(keys()).toEqual(["KEPT"]);
  }, 60_000);

  it("what a replacement takes over with adopt = true does not stand in its way", async () => {
    const { store } = emulator;
    const [from, to] = ["from", "to"].map((name) => store.addService({ name, kind: "web" }).id);
    const one = (serviceId = "") =>
      `resource "rnv_variable" "one" {\n  service_id = "${serviceId}"\n  key = "A"\n  value = "1"\n  adopt = true\n}\n`;
    world.write(one(from));
    await world.apply();
    store.addVariable(to ?? "", "A", "by hand");
    world.write(one(to));
    expect(folded(await world.run("plan"))).toContain("is taken over: adopt = true");
    await world.apply();
    expect([from, to].map((id) => store.variables(id ?? "").map(({ key }) => key))).toEqual([[], ["A"]]);
    await world.expectNoChanges();
  }, 60_000);

  it("a map with adopt = true takes over, or makes anew, what another address of the same apply lets go of", async () => {
    const { id: serviceId } = emulator.store.addService({ name: "shared", kind: "web" });
    const values = () =>
      Object.fromEntries(
        emulator.store
          .variables(serviceId)
          .map(({ id, key }) => [key, emulator.store.variableValue(id)] as const)
          .sort(),
      );
    const adopting = (v: number, first = false) => `
resource "terraform_data" "version" {
  input = ${v}
}
resource "rnv_variables" "adopting" {
  service_id = "${serviceId}"
  values     = { A = "${v}", B = "${v}" }
  adopt      = true
  lifecycle {
    create_before_destroy = ${first}
    replace_triggered_by  = [terraform_data.version]
  }
}
`;
    world.write(`
resource "rnv_variables" "before" {
  service_id = "${serviceId}"
  values     = { A = "0" }
}
resource "rnv_variable" "before" {
  service_id = "${serviceId}"
  key        = "B"
  value      = "0"
}
`);
    await world.apply();
    for (const [v, first] of [
      [1, false],
      [2, false],
      [3, true],
      [4, true],
    ] as const) {
      world.write(adopting(v, first));
      await world.apply();
      expect(values()).toEqual({ A: `${v}`, B: `${v}` });
      await world.expectNoChanges();
    }
    world.write(adopting(5, true).replace("adopt      = true", ""));
    const refused = folded(await world.run("apply -auto-approve -input=false", 1));
    expect(refused).toContain("A: there already, and not managed by this resource");
    expect(refused).not.toContain("rnv_variable.a");
    expect(values()).toEqual({ A: "4", B: "4" });
    world.write("");
    await world.apply();
  }, 120_000);

  it("what one address imports and another deletes in the same plan is an error of the plan", async () => {
    const { store } = emulator;
    const { id: serviceId } = store.addService({ name: "imported", kind: "web" });
    const one = `resource "rnv_variable" "one" {\n  service_id = "${serviceId}"\n  key = "A"\n  value = "1"\n}\n`;
    const all = (body: string) =>
      `resource "rnv_variables" "all" {\n  service_id = "${serviceId}"\n  values = ${body}\n}\n`;
    const imports = (to: string, id: string) => `import {\n  to = ${to}\n  id = "${id}"\n}\n`;
    const refused = async () => {
      emulator.resetLog();
      const output = folded(await world.run("apply -auto-approve -input=false", 1));
      expect(output).toContain('This plan would delete the variable "A", and keeps it too');
      expect(world.writes()).toEqual([]);
    };
    world.write(one);
    await world.apply();
    const moved = all(`{ A = "1", B = "2" }`) + imports("rnv_variables.all", serviceId);
    world.write(moved);
    await refused();
    world.write(`${moved}removed {\n  from = rnv_variable.one\n  lifecycle {\n    destroy = false\n  }\n}\n`);
    await world.apply();
    await world.expectNoChanges();
    const { id = "" } = store.variables(serviceId).find(({ key }) => key === "A") ?? {};
    world.write(all(`{ B = "2" }`) + one + imports("rnv_variable.one", `${serviceId}/${id}`));
    await refused();
    world.write(all(`{ B = "2" }`) + one);
    await world.apply();
    expect(
      store
        .variables(serviceId)
        .map(({ key }) => key)
        .sort(),
    ).toEqual(["A", "B"]);
    await world.expectNoChanges();
  }, 120_000);
});
