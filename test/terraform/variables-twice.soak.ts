import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("variables that are managed twice, or made elsewhere", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const keys = () =>
    emulator.store
      .variables(emulator.store.services()[0]?.id ?? "")
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
});
