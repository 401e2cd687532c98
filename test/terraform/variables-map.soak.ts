import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("a map of variables", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const serviceId = () => emulator.store.services()[0]?.id ?? "";
  const values = (): Record<string, string | undefined> =>
    Object.fromEntries(
      emulator.store
        .variables(serviceId())
        .map(({ id, key }) => [key, emulator.store.variableValue(id)] as const),
    );
  const keys = Array.from({ length: 50 }, (_, index) => `KEY_${String(index).padStart(2, "0")}`);
  const hcl = (map: Record<string, string>) =>
    `{ ${Object.entries(map)
      .map(([key, value]) => `${key} = "${value}"`)
      .join(", ")} }`;
  const map = (body: string, more = "") =>
    world.write(`resource "rnv_variables" "all" {\n  service_id = "${serviceId()}"\n  ${body}\n}\n${more}`);
  const all = Object.fromEntries(keys.map((key) => [key, "before"]));

  beforeAll(async () => {
    await world.openAttached();
    const { id } = emulator.store.addService({ name: "api", kind: "web" });
    for (const key of [...keys, "UNDECLARED"]) emulator.store.addVariable(id, key, "at the service");
  });
  afterAll(() => world.close());

  it("that is imported can be planned as it is generated: it manages nothing, and says what it may", async () => {
    world.write(`import {\n  to = rnv_variables.all\n  id = "${serviceId()}"\n}\n`);
    const output = (await world.run("plan -generate-config-out=generated.tf")).replace(/[\s│╷╵]+/g, " ");
    expect(output).toContain("1 to import, 0 to add, 0 to change, 0 to destroy");
    expect(output).toContain("No values are declared: no variable is managed");
    expect(output).toContain("KEY_48, KEY_49, UNDECLARED");
  }, 60_000);

  it("that is imported takes over the keys that it declares, by their ids, and never the others", async () => {
    const { id = "" } = emulator.store.variables(serviceId()).find(({ key }) => key === "KEY_00") ?? {};
    map(`values = ${hcl(all)}`, `import {\n  to = rnv_variables.all\n  id = "${serviceId()}"\n}\n`);
    emulator.resetLog();
    world.remove("generated.tf");
    const output = await world.apply();
    expect(output).toContain("1 imported, 0 added, 1 changed, 0 destroyed");
    expect(output).toContain(`+ "KEY_00" = "${id}"`);
    // Each is revealed once, so that an equal value would not be written again.
    const [revealed, written] = [/reveal$/, /^PATCH/].map((of) =>
      world.writes().filter((one) => of.test(one)),
    );
    expect([revealed?.length, written?.length, world.writes().length]).toEqual([50, 50, 100]);
    expect(values()).toEqual({ ...all, UNDECLARED: "at the service" });
    await world.expectNoChanges();
  }, 60_000);

  it("shows each key that is added, changed and removed in a line of its own, and no other of fifty", async () => {
    const { KEY_49: _removed, ...rest } = all;
    map(`values = ${hcl({ ...rest, KEY_07: "after", NEW: "added" })}`);
    const output = await world.run("plan -input=false");
    expect(output).toMatch(/- "KEY_49" = "[-0-9a-f]+"/);
    expect(output).toMatch(/\+ "NEW" += \(known after apply\)/);
    expect(output).toMatch(/~ "KEY_07" = "[^"]+" -> \(known after apply\)/);
    expect(output).toContain("(49 unchanged elements hidden)");
    expect(output).toContain("(48 unchanged elements hidden)");
    expect(new Set(output.match(/KEY_\d\d/g))).toEqual(new Set(["KEY_07", "KEY_49"]));
    emulator.resetLog();
    await world.apply();
    expect(
      world
        .writes()
        .map((write) => write.split(" ")[0])
        .sort(),
    ).toEqual(["DELETE", "PATCH", "POST"]);
    expect(values()).toEqual({ ...rest, KEY_07: "after", NEW: "added", UNDECLARED: "at the service" });
    await world.expectNoChanges();
  }, 60_000);
});
