import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

const service = `resource "rnv_service" "api" {\n  name = "api"\n  kind = "web"\n}\n`;

describeTerraform("variables", () => {
  const world = attachedFolder();
  const { emulator } = world;
  const values = (): Record<string, string | undefined> => {
    const [api] = emulator.store.services();
    const variables = emulator.store.variables(api?.id ?? "");
    return Object.fromEntries(variables.map(({ id, key }) => [key, emulator.store.variableValue(id)]));
  };
  const idOf = (key: string): string =>
    emulator.store.variables(emulator.store.services()[0]?.id ?? "").find((one) => one.key === key)?.id ?? "";
  const variable = (body: string) =>
    world.write(
      `${service}resource "rnv_variable" "v" {\n  service_id = rnv_service.api.id\n  key = "TOKEN"\n${body}\n}\n`,
    );
  const map = (body: string) =>
    world.write(
      `${service}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n${body}\n}\n`,
    );

  it("a value is set, masked in plans, and set again when it was changed outside", async () => {
    variable(`value = "first-secret"`);
    expect(await world.apply()).not.toContain("first-secret");
    expect(values()).toEqual({ TOKEN: "first-secret" });
    await world.expectNoChanges();
    emulator.store.editVariable(idOf("TOKEN"), { value: "changed" });
    await world.apply();
    expect(values()).toEqual({ TOKEN: "first-secret" });
    await world.expectNoChanges();
  }, 60_000);

  it("a write-only value is in no state and no plan, and is sent when its version changes", async () => {
    const { id } = { id: idOf("TOKEN") };
    variable(`value_wo = "second-secret"\n value_wo_version = 1`);
    await world.apply();
    expect(values()).toEqual({ TOKEN: "second-secret" });
    expect(idOf("TOKEN")).toBe(id);
    expect(world.stateText()).not.toMatch(/second-secret/);
    variable(`value_wo = "third-secret"\n value_wo_version = 1`);
    await world.expectNoChanges();
    variable(`value_wo = "third-secret"\n value_wo_version = 2`);
    await world.apply();
    expect(values()).toEqual({ TOKEN: "third-secret" });
    await world.expectNoChanges();
  }, 60_000);

  it("a generated value is made once, shown nowhere, left where it was changed outside, and new for another length or -replace", async () => {
    const { id } = { id: idOf("TOKEN") };
    variable("generate = { length = 40 }");
    const applied = await world.apply();
    const first = values().TOKEN ?? "";
    expect(first).toMatch(/^[\w-]{40}$/);
    expect(idOf("TOKEN")).toBe(id);
    expect(applied + world.stateText()).not.toContain(first);
    await world.expectNoChanges();
    expect(values().TOKEN).toBe(first);
    variable("generate = { length = 24 }");
    await world.apply();
    const second = values().TOKEN ?? "";
    expect(second).toMatch(/^[\w-]{24}$/);
    expect(second).toMatch(/^[\w-]{24}$/);
    world.settle();
    emulator.store.editVariable(id, { value: "changed" });
    const planned = await world.told("plan -no-color -detailed-exitcode");
    expect(planned).toContain(
      'The generated value of variable "TOKEN" was changed outside, and stays as it is',
    );
    expect(planned).toContain(
      "To accept it: terraform apply -refresh-only; for a new value: -replace=ADDRESS.",
    );
    await world.run("apply -refresh-only -auto-approve");
    await world.expectNoChanges();
    expect(values().TOKEN).toBe("changed");
    await world.run("apply -auto-approve -replace=rnv_variable.v");
    expect(values().TOKEN).toMatch(/^[\w-]{24}$/);
    expect(idOf("TOKEN")).not.toBe(id);
    await world.expectNoChanges();
    variable("generate = { length = 8 }");
    expect(await world.run("plan -no-color", 1)).toContain(
      "generate.length: expected a whole number from 16 to 256",
    );
    variable(`generate = { length = 32 }\n value = "text"`);
    expect(await world.run("plan -no-color", 1)).toContain("and generate are set");
    variable(`value = "third-secret"`);
    await world.apply();
    expect(values()).toEqual({ TOKEN: "third-secret" });
    await world.expectNoChanges();
  }, 60_000);

  it("a variable that is imported under another name is renamed, although it has its value already", async () => {
    const [api] = emulator.store.services();
    const { id } = emulator.store.addVariable(api?.id ?? "", "OLD_NAME", "its-value");
    const ofToken = (more: string): string =>
      `${service}resource "rnv_variable" "v" {\n service_id = rnv_service.api.id\n key = "TOKEN"\n value = "third-secret"\n}\n${more}`;
    const renamed = `resource "rnv_variable" "renamed" {\n service_id = rnv_service.api.id\n key = "NEW_NAME"\n value = "its-value"\n}\n`;
    world.write(ofToken(`${renamed}import {\n to = rnv_variable.renamed\n id = "${api?.id}/${id}"\n}\n`));
    expect(await world.apply()).toContain("1 imported, 0 added, 1 changed");
    expect(values()).toEqual({ TOKEN: "third-secret", NEW_NAME: "its-value" });
    expect(idOf("NEW_NAME")).toBe(id);
    await world.expectNoChanges();
    world.write(ofToken(""));
    await world.apply();
    expect(values()).toEqual({ TOKEN: "third-secret" });
  }, 60_000);

  it("a value that is imported is kept where the configuration generates it", async () => {
    const [api] = emulator.store.services();
    const id = api?.id ?? "";
    const outside = { SALT: "salt-of-before", PEPPER: "pepper-of-before" };
    for (const [key, text] of Object.entries(outside)) emulator.store.addVariable(id, key, text);
    const token =
      'resource "rnv_variable" "v" {\n service_id = rnv_service.api.id\n key = "TOKEN"\n value = "third-secret"\n}\n';
    world.write(
      `${service}${token}` +
        'resource "rnv_variable" "salt" {\n service_id = rnv_service.api.id\n key = "SALT"\n generate = { length = 32 }\n}\n' +
        'resource "rnv_variables" "all" {\n service_id = rnv_service.api.id\n generate = { PEPPER = { length = 32 } }\n}\n' +
        `import {\n to = rnv_variable.salt\n id = "${id}/${idOf("SALT")}"\n}\nimport {\n to = rnv_variables.all\n id = "${id}"\n}\n`,
    );
    emulator.resetLog();
    expect(await world.apply()).toContain("2 imported, 0 added");
    expect(world.writes()).toEqual([]);
    expect(values()).toEqual({ TOKEN: "third-secret", ...outside });
    await world.expectNoChanges();
    for (const key of ["SALT", "PEPPER"]) emulator.store.editVariable(idOf(key), { value: "changed" });
    const left = await world.apply();
    for (const key of ["SALT", "PEPPER"])
      expect(left.replace(/[\s│]+/g, " ")).toContain(
        `value of variable "${key}" was changed outside, and stays`,
      );
    expect(values()).toMatchObject({ SALT: "changed", PEPPER: "changed" });
    await world.expectNoChanges();
    variable(`value = "third-secret"`);
    await world.apply();
    expect(values()).toEqual({ TOKEN: "third-secret" });
  }, 60_000);

  it("a map takes a single variable over, and adds, changes and deletes by name", async () => {
    const id = idOf("TOKEN");
    const serviceId = emulator.store.services()[0]?.id;
    world.write(
      `${service}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  values = { TOKEN = "fourth", LOG_LEVEL = "info" }\n}\n` +
        "removed {\n  from = rnv_variable.v\n  lifecycle {\n    destroy = false\n  }\n}\n" +
        `import {\n  to = rnv_variables.all\n  id = "${serviceId}"\n}\n`,
    );
    expect(await world.apply()).toContain("1 imported, 0 added, 1 changed, 0 destroyed");
    expect(idOf("TOKEN")).toBe(id);
    expect(values()).toEqual({ TOKEN: "fourth", LOG_LEVEL: "info" });
    await world.expectNoChanges();
    emulator.resetLog();
    map(`values = { LOG_LEVEL = "debug" }`);
    await world.apply();
    expect(values()).toEqual({ LOG_LEVEL: "debug" });
    expect(world.writes().map((one) => one.split(" ")[0])).toEqual(["DELETE", "PATCH"]);
    await world.expectNoChanges();
  }, 60_000);

  it("a map that loses its values deletes none, and a new map without values is refused", async () => {
    map("");
    const taken = await world.run("plan -no-color", 1);
    expect(taken).toContain("There are no values any more, and none is deleted for that");
    expect(taken).toContain("This resource manages LOG_LEVEL.");
    world.write(
      `${service}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  values = { LOG_LEVEL = "debug" }\n}\n` +
        `resource "rnv_variables" "more" {\n  service_id = rnv_service.api.id\n}\n`,
    );
    expect(await world.run("plan -no-color", 1)).toMatch(/Error: There are no values\n/);
    expect(values()).toEqual({ LOG_LEVEL: "debug" });
  }, 60_000);

  it("a write-only map sends what is new, and all of it with a new version", async () => {
    map(`values_wo = { LOG_LEVEL = "w1", OTHER = "w2" }\n values_wo_version = 1`);
    await world.apply();
    expect(values()).toEqual({ LOG_LEVEL: "w1", OTHER: "w2" });
    expect(world.stateText()).not.toMatch(/"w1"|"w2"/);
    await world.expectNoChanges();
    world.settle();
    emulator.store.deleteVariableNow(idOf("OTHER"));
    await world.apply();
    expect(values()).toEqual({ LOG_LEVEL: "w1", OTHER: "w2" });
  }, 60_000);

  it("a map has texts beside write-only values, and sends each when it changes", async () => {
    const write = (level: string, secret: string, more = "") =>
      map(
        `values = { LOG_LEVEL = "${level}" }\n values_wo = { OTHER = "${secret}" }\n values_wo_version = 1\n${more}`,
      );
    write("info", "w3");
    await world.apply();
    write("debug", "w4");
    await world.apply();
    expect(values()).toEqual({ LOG_LEVEL: "debug", OTHER: "w2" });
    expect(world.stateText()).not.toMatch(/"w[1-4]"/);
    write("warn", "w5", "lifecycle { ignore_changes = [values_wo] }");
    await world.apply();
    expect(values()).toEqual({ LOG_LEVEL: "warn", OTHER: "w2" });
    await world.expectNoChanges();
    map(`values = { OTHER = "a" }\n values_wo = { OTHER = "b" }\n values_wo_version = 1`);
    expect(await world.run("plan -no-color", 1)).toContain("OTHER is in values and in values_wo");
    map(`values_wo = { LOG_LEVEL = "w1", OTHER = "w2" }\n values_wo_version = 1`);
    await world.apply();
    expect(values()).toEqual({ LOG_LEVEL: "w1", OTHER: "w2" });
  }, 60_000);

  it("a map makes values up beside others, each once, leaves those that were changed outside, and replaced makes all new", async () => {
    map(
      `values_wo = { LOG_LEVEL = "w1" }\n values_wo_version = 1\n generate = { KEY = { length = 20 }, SALT = { length = 24 } }`,
    );
    await world.apply();
    const { KEY: key = "", SALT: salt = "", ...others } = values();
    expect(others).toEqual({ LOG_LEVEL: "w1" });
    expect([key, salt].map((text) => text.length)).toEqual([20, 24]);
    expect(world.stateText()).not.toContain(key);
    await world.expectNoChanges();
    world.settle();
    emulator.store.editVariable(idOf("SALT"), { value: "changed" });
    await world.apply();
    await world.expectNoChanges();
    world.settle();
    emulator.store.editVariable(idOf("SALT"), { key: "RENAMED" });
    await world.apply();
    expect(values()).toEqual({ LOG_LEVEL: "w1", KEY: key, SALT: "changed" });
    await world.expectNoChanges();
    await world.run("apply -auto-approve -replace=rnv_variables.all");
    expect(values()).toMatchObject({ LOG_LEVEL: "w1", SALT: expect.stringMatching(/^[\w-]{24}$/) });
    expect(values().KEY).not.toBe(key);
    map(`values = { LOG_LEVEL = "w2", KEY = "mine" }\n generate = { SALT = { length = 24 } }`);
    await world.apply();
    expect(values()).toMatchObject({ LOG_LEVEL: "w2", KEY: "mine" });
    expect(world.stateText()).not.toContain(values().SALT ?? "");
    await world.expectNoChanges();
    map(`values = { KEY = "mine" }\n generate = { KEY = { length = 24 } }`);
    expect(await world.run("plan -no-color", 1)).toContain("KEY is in values and in generate");
    map(`values_wo = { LOG_LEVEL = "w1" }\n values_wo_version = 1`);
    await world.apply();
  }, 60_000);

  it.each([
    ["a map", (value: string) => map(`values = { LOG_LEVEL = "${value}" }`), "LOG_LEVEL"],
    ["a single variable", (value: string) => variable(`value = "${value}"`), "TOKEN"],
  ])(
    "a value of %s that the service ignores is an error each time, and is sent until it takes",
    async (_, set, name) => {
      set("taken");
      await world.apply();
      set("wanted");
      emulator.store.setCondition("ignored-values", true);
      // The second is answered by the receipt of the first, which says nothing of now.
      for (let attempts = 0; attempts < 2; attempts += 1) {
        const output = await world.run("apply -auto-approve -input=false -no-color", 1);
        // Terraform breaks lines where its box ends.
        expect(output.replace(/[\s│]+/g, " ")).toContain(
          "platform accepted the change, but value did not take",
        );
      }
      emulator.store.setCondition("ignored-values", false);
      expect(values()).toEqual({ [name]: "taken" });
      await world.apply();
      expect(values()).toEqual({ [name]: "wanted" });
      await world.expectNoChanges();
    },
    60_000,
  );

  it("a module chooses between value, value_wo and generate by its variables", async () => {
    const folder = join(world.folder, "w", "choice");
    const inputs = ["value", "secret", "length", "when", "commit", "preserve"];
    mkdirSync(folder);
    writeFileSync(
      join(folder, "main.tf"),
      `terraform {\n required_providers { rnv = { source = "rnv/rnv" } }\n}\n${inputs.map((one) => `variable "${one}" { default = null }\n`).join("")}` +
        textIn(join(__dirname, "variables.tf")),
    );
    const use = (key: string, given: string) =>
      `module "${key}" {\n source = "./choice"\n service_id = rnv_service.api.id\n key = "${key}"\n when = "never"\n${given}\n}\n`;
    const all = ['value = "1"', 'secret = "2"', "length = 20"].map((given, index) => use(`K${index}`, given));
    world.write(service + all.join(""));
    await world.run("init");
    await world.run("validate");
    await world.apply();
    expect(values()).toMatchObject({ K0: "1", K1: "2", K2: expect.stringMatching(/^[\w-]{20}$/) });
    await world.expectNoChanges();
    const pinned = `value = "1"\n commit = "${"a".repeat(40)}"`;
    world.write(service + use("K0", 'value = "1"\n secret = "2"') + use("K1", pinned));
    await world.run("validate");
    const refused = await world.told("plan", 1);
    for (const error of ["Both value and value_wo are set", 'With when = "never" no commit is deployed'])
      expect(refused).toContain(error);
    world.write(service);
    await world.apply();
  }, 120_000);

  it("destroy leaves nothing", async () => {
    await world.run("destroy -auto-approve");
    expect(emulator.store.services()).toEqual([]);
  }, 60_000);

  it("a map that the service refuses in part keeps what was created, starts no deployment on it, and is finished by the next apply", async () => {
    const refuse = (...keys: readonly string[]) =>
      emulator.setFaults((_, { method, path, body }) =>
        method === "POST" && path.endsWith("/variables") && keys.some((key) => body?.includes(`"${key}"`))
          ? { kind: "status", status: 400 }
          : undefined,
      );
    const built = service.replace(
      /}\n$/,
      '  configuration { repository = "https://git.example.com/api" }\n}\n',
    );
    const withMap = (...keys: readonly string[]) => {
      const made = keys.map((key) => `${key} = { length = 20 }`).join(", ");
      world.write(
        `${built}resource "rnv_variables" "all" {\n service_id = rnv_service.api.id\n values = { A = "1", B = "2" }\n` +
          ` values_wo = { C = "3" }\n values_wo_version = 1\n generate = { ${made} }\n}\n` +
          `resource "rnv_deployment" "api" {\n service_id = rnv_service.api.id\n triggers = { vars = "1,\${rnv_variables.all.revision}" }\n}\n`,
      );
    };
    world.write(built);
    await world.apply();
    const [{ id: serviceId = "" } = {}] = emulator.store.services();
    withMap("D", "E");
    refuse("A", "B", "C", "D", "E");
    const refused = await world.told("apply -auto-approve", 1);
    expect(refused).toMatch(/Error: A, B, C, D, E: cannot create(?!.* values = )/);
    expect(world.stateText()).not.toContain("rnv_variables");
    refuse("B", "D");
    const part = await world.told("apply -auto-approve", 1);
    expect(part).toContain("Warning: Created only in part: B, D: cannot create");
    expect(part).toContain("Error: triggers.vars is incomplete: nothing was started");
    const { E: made = "", ...others } = values();
    expect(others).toEqual({ A: "1", C: "3" });
    expect(world.attributes("rnv_variables", "all")).toMatchObject({
      ...{ ids: { A: idOf("A"), B: null, D: null }, values: { A: "1", B: "2" }, revision: "incomplete" },
    });
    expect(emulator.store.deployments(serviceId)).toEqual([]);
    refuse("D");
    expect(await world.told("apply -auto-approve", 1)).toContain("Error: D: cannot create");
    emulator.setFaults(undefined);
    expect(await world.apply()).toContain("1 added, 1 changed, 0 destroyed");
    expect(values()).toEqual({ ...others, B: "2", D: expect.stringMatching(/^[\w-]{20}$/), E: made });
    expect(emulator.store.deployments(serviceId)).toHaveLength(1);
    await world.expectNoChanges();
    emulator.store.addVariable(serviceId, "F", "of another user");
    withMap("D", "E", "F");
    const taken = await world.told("apply -auto-approve", 1);
    expect(taken).toContain('F: already in service "api"');
    expect(taken).toContain("a resource of this configuration that gives it up: apply again.");
    expect(taken).toContain("or import it, after terraform state rm of this map:");
    const exchange = (first: string, second: string) =>
      world.write(
        ["all", "more"]
          .map(
            (name, at) =>
              `resource "rnv_variables" "${name}" {\n service_id = rnv_service.api.id\n values = { ${at === 0 ? first : second} = "9" }\n}\n`,
          )
          .join(built),
      );
    exchange("A", "K");
    await world.apply();
    exchange("K", "A");
    // Each gives its key up, whichever comes first.
    await world.start("apply", "-auto-approve");
    await world.apply();
    expect(values()).toEqual({ A: "9", F: "of another user", K: "9" });
    await world.expectNoChanges();
  }, 120_000);
});
