import { applyKilledAfterPatch, approve, eachScenario, failing, printing } from "../support/cli";

const shop = (services: string): string => `projects:\n  shop:\n    services:\n${services}`;
const variables = (keys: string): string =>
  shop(`      api: { kind: worker, deploy: { when: never }, variables: ${keys} }\n`);
const killed = (at: Parameters<typeof applyKilledAfterPatch>[0]) =>
  applyKilledAfterPatch(at, {}, ({ method, path }) => method === "POST" && /services$/.test(path));

/** "IDs are UUIDs" (interface): a resource has the same ID under any name. */
describe("a resource that is recorded at one address is of no other", () => {
  const at = eachScenario();
  const remove = (key: string) => at.emulator.store.deleteVariableNow(at.variable(key)?.id ?? "");
  const rename = (from: string, to: string) =>
    at.emulator.store.editVariable(at.variable(from)?.id ?? "", { key: to });
  const keys = () => ["URL", "URL_NEW"].map((key) => at.valueOf(key));

  it("where a variable has the key of another that was deleted: both are made again, once", async () => {
    await at.applied(variables("{ URL: old, URL_NEW: new }"));
    remove("URL");
    rename("URL_NEW", "URL");
    at.settle();
    await at.applies();
    expect(keys()).toEqual(["old", "new"]);
    await at.isQuiet();
  });

  it("where the manifest follows: the renamed variable stays until its record has moved", async () => {
    await at.applied(variables("{ URL: old, URL_NEW: new }"));
    remove("URL");
    rename("URL_NEW", "URL");
    at.settle();
    at.write("rnv.yaml", variables("{ URL: { preserve: true } }"));
    expect((await at.run("apply", ...approve)).code).not.toBe(0);
    await at.run("apply", "-refresh-only", ...approve);
    at.forget();
    await at.applies();
    expect({ value: at.valueOf("URL"), sent: at.requests() }).toEqual({ value: "new", sent: [] });
    expect((await at.run("state", "list")).stdout).not.toContain("URL_NEW");
  });

  it("where the plan shows a variable that was made again outside: its new ID is recorded", async () => {
    await at.applied(variables("{ TOKEN: a }"));
    remove("TOKEN");
    at.emulator.store.addVariable(at.idOf(), "TOKEN", "b");
    at.settle();
    await at.applies("-refresh-only");
    at.write("rnv.yaml", variables("{}"));
    await at.applies();
    expect(at.variable("TOKEN")).toBeUndefined();
  });

  it("where a create was cut short and its service imported elsewhere: nothing is deleted", async () => {
    const added = (address: string) =>
      shop(`      ${address}: { name: new, kind: worker, deploy: { when: never } }\n`);
    await at.applied("projects: { shop: {} }\n");
    at.write("rnv.yaml", added("new"));
    await killed(at);
    at.write("rnv.yaml", added("fresh"));
    at.settle();
    expect(await at.run("import", "service.shop.fresh", at.idOf("new"))).toMatchObject({ code: 0 });
    await at.applies();
    expect(at.names()).toEqual(["new"]);
    expect((await at.run("state", "list")).stdout).not.toContain("service.shop.new");
  });

  it("where a create in a project was cut short: the project leaves no state before that is settled", async () => {
    await at.applied("projects: { shop: {} }\n");
    at.write("rnv.yaml", shop("      new: { kind: worker, deploy: { when: never } }\n"));
    await killed(at);
    for (const how of [
      ["mv", "--to", "there/state.json", "project.shop"],
      ["rm", "project.shop"],
    ])
      expect(await at.run("state", ...how)).toMatchObject(failing(1, "error[state.open_intent]"));
    await at.applies();
    expect(await at.run("state", "rm", "project.shop")).toMatchObject({ code: 0 });
  });

  it("where it is of another stage: an instance imports nothing that its sweep would delete", async () => {
    const stages = "stages: { prod: { overlay: p.yaml }, preview: { each: true, disposable: true } }\n";
    at.write(
      "rnv.yaml",
      `${stages}services: { a: { name: "a-\${stage.id}", kind: worker, deploy: { when: never } } }\n`,
    );
    at.write("p.yaml", "services: { a: { name: a } }\n");
    await at.applies("--stage=prod");
    const imported = await at.run("import", "--stage=preview/1", "service.a", at.idOf("a"));
    expect(imported).toMatchObject(
      failing(4, "error[guard.stage]: service.a: nothing is imported into preview/1"),
    );
    expect(await at.run("stage", "sweep", "--stage=preview", "--keep=none", ...approve)).toMatchObject({
      code: 0,
    });
    expect(at.names()).toEqual(["a"]);
  });

  it("where its overlay was emptied: nothing is reset", async () => {
    at.write("rnv.yaml", `stages: { prod: { overlay: p.yaml } }\n${variables("{ A: a }")}`);
    for (const text of ["", "# all gone\n"]) {
      at.write("p.yaml", text);
      expect(await at.run("plan", "--stage=prod")).toMatchObject(failing(1, "the overlay p.yaml is empty"));
    }
    at.write("p.yaml", "{}\n");
    expect(await at.run("plan", "--stage=prod")).toMatchObject(printing(0, "3 to add"));
  });
});
