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

  it("gets back a key that was renamed outside: nothing is made beside it, and nothing where it is ignored", async () => {
    const { id = "" } = emulator.store.variables(serviceId()).find(({ key }) => key === "NEW") ?? {};
    const { KEY_49: _removed, ...rest } = all;
    const declared = hcl({ ...rest, KEY_07: "after", NEW: "added" });
    const wanted = { ...rest, KEY_07: "after", NEW: "added", UNDECLARED: "at the service" };
    for (const how of [`values = ${declared}`, `values_wo = ${declared}\n values_wo_version = 1`]) {
      map(how);
      await world.apply();
      world.settle();
      emulator.store.editVariable(id, { key: "OTHER" });
      map(`${how}\n lifecycle { ignore_changes = all }`);
      if (how.startsWith("values =")) await world.expectNoChanges();
      map(how);
      emulator.resetLog();
      await world.apply();
      expect(world.writes()).toEqual([`PATCH /services/${serviceId()}/variables/${id}`]);
      expect(values()).toEqual(wanted);
      await world.expectNoChanges();
    }
    map(`values = ${declared}`);
    await world.apply();
  }, 60_000);

  it("whose values are taken away deletes none of them", async () => {
    map("");
    emulator.resetLog();
    const output = (await world.run("apply -auto-approve", 1)).replace(/[\s│╷╵]+/g, " ");
    expect(output).toContain("There are no values any more, and none is deleted for that");
    expect(world.writes()).toEqual([]);
    map(`values = { NEW = "other" }\n lifecycle { ignore_changes = all }`);
    await world.expectNoChanges();
    map("values = {}");
    await world.apply();
    expect(values()).toEqual({ UNDECLARED: "at the service" });
    await world.expectNoChanges();
  }, 60_000);

  it("sends a write-only value that was changed outside again, also where a refresh has told of it before", async () => {
    map(`values_wo = { SECRET = "ours" }\n values_wo_version = 1`);
    await world.apply();
    world.settle();
    const { id = "" } = emulator.store.variables(serviceId()).find(({ key }) => key === "SECRET") ?? {};
    emulator.store.editVariable(id, { value: "outside" });
    await world.run("apply -refresh-only -auto-approve");
    await world.run("apply -refresh-only -auto-approve");
    await world.apply();
    expect(values()).toEqual({ SECRET: "ours", UNDECLARED: "at the service" });
    await world.expectNoChanges();
  }, 60_000);
});
