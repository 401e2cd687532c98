import { embeddedApiKey } from "../../src/emulator/behaviour";
import { attachedFolder, describeTerraform } from "../support/terraform";

const services = ["api", "web"]
  .map((name) => `resource "rnv_service" "${name}" {\n  name = "${name}"\n  kind = "worker"\n}\n`)
  .join("");
const single = (key: string, service = "api") =>
  `resource "rnv_variable" "${key.toLowerCase()}" {\n  service_id = rnv_service.${service}.id\n  key = "${key}"\n  value = "of-${key}"\n}\n`;
const map = (body: string, service = "api") =>
  `resource "rnv_variables" "all" {\n  service_id = rnv_service.${service}.id\n  ${body}\n}\n`;

/** "IDs are UUIDs" (interface): a resource has the same ID under any name, in one workspace. */
describeTerraform("a resource is known by its ID", () => {
  const workspaceId = "6f1c1f7e-0000-4000-8000-000000000001";
  const owner = { scope: "write", role: "owner" } as const;
  const world = attachedFolder({
    apiKeys: [
      { key: embeddedApiKey, ...owner },
      { key: "rnv_elsewhere", ...owner, workspaceId },
    ],
  });
  const { store } = world.emulator;
  const variables = (name = "api") =>
    store.variables(store.services().find((one) => one.name === name)?.id ?? "");
  const idOf = (key: string) => variables().find((one) => one.key === key)?.id ?? "";
  const values = () =>
    Object.fromEntries(
      variables()
        .map(({ id, key }) => [key, store.variableValue(id)])
        .sort(),
    );
  const applied = async (text: string) => {
    world.write(services + text);
    await world.apply();
    world.settle();
  };

  it("and not deleted under a name that it was given since the plan", async () => {
    await applied(single("A"));
    world.write(services);
    await world.run("plan -input=false -out=late.plan");
    store.editVariable(idOf("A"), { key: "KEEP", value: "theirs" });
    expect(await world.told("apply late.plan", 1)).toContain('Variable "A" is called "KEEP" now');
    expect(values()).toEqual({ KEEP: "theirs" });
    store.deleteVariableNow(idOf("KEEP"));
    await applied("");
  }, 60_000);

  it.each([
    ["variables", single("A") + single("B")],
    ["a map", map('values = { A = "of-A", B = "of-B" }')],
  ])(
    "where it has the name of another that was deleted: %s",
    async (_, text) => {
      await applied(text);
      store.deleteVariableNow(idOf("B"));
      store.editVariable(idOf("A"), { key: "B" });
      world.settle();
      for (let i = 0; i < 2; i++) {
        await world.start("apply", "-auto-approve", "-input=false");
        world.settle();
      }
      expect(values()).toEqual({ A: "of-A", B: "of-B" });
      await world.expectNoChanges();
      await applied("");
    },
    60_000,
  );

  it("and stays where its name is in use where it is to go", async () => {
    const generated = "generate = { A = { length = 20 } }";
    await applied(map(generated));
    const [before] = Object.values(values());
    store.addVariable(store.services().find(({ name }) => name === "web")?.id ?? "", "A", "theirs");
    world.settle();
    world.write(services + map(generated, "web"));
    expect(await world.told("apply -auto-approve -input=false", 1)).toContain('Already in service "web"');
    expect(values()).toEqual({ A: before });
    await applied("");
    await applied(single("A"));
    world.write(services + single("A", "web"));
    expect(await world.told("apply -auto-approve -input=false", 1)).toContain('Already in service "web"');
    expect(values()).toEqual({ A: "of-A" });
    await applied("");
  }, 60_000);

  it("in its workspace: no other tells that it is gone", async () => {
    const other = `workspace_id = "${workspaceId}"\napi_key = "rnv_elsewhere"`;
    await applied(map('values = { A = "a" }'));
    for (const text of [services + map('values = { A = "a" }'), services + map('values = { A = "b" }')]) {
      world.write(text, other);
      const what = text.includes('"b"') ? "apply" : "destroy";
      expect(await world.told(`${what} -refresh=false -auto-approve -input=false`, 1)).toContain(
        "is in workspace",
      );
    }
    expect([store.services().length, values()]).toEqual([2, { A: "a" }]);
    world.write(services + map('values = { A = "a" }'));
    await world.expectNoChanges();
  }, 60_000);
});
