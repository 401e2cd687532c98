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
  }, 60_000);

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
