import { rmSync } from "node:fs";
import { join } from "node:path";
import { approve, eachScenario, failing, printing } from "../support/cli";

const configuration = { repository: "https://git.example.com/api", branch: "trunk" };

describe("a resource that exists already", () => {
  const scenario = eachScenario();
  let ids: { project: string; api: string; docs: string };
  beforeEach(async () => {
    const { store } = scenario.emulator;
    const project = store.addProject({ name: "Shop", description: "theirs" }).id;
    const api = store.addService({ name: "api", projectId: project, configuration, live: true }).id;
    store.addVariable(api, "TOKEN", "theirs");
    const docs = store.addService({
      name: "docs",
      kind: "static",
      configuration: { publishDirectory: "site" },
    }).id;
    ids = { project, api, docs };
  });

  const manifest =
    "projects:\n  shop:\n    name: Shop\n    services:\n      api: { kind: web, configuration: { branch: trunk }, variables: { TOKEN: { preserve: true } } }\n";

  it("stops a plan, with the line that takes it over", async () => {
    scenario.write("rnv.yaml", `services: { api: { kind: web, import: ${ids.api} } }\n`);
    expect((await scenario.run("plan")).stderr).toContain(
      `service.api cannot be imported: ${ids.api} is in a project`,
    );
    scenario.write("rnv.yaml", manifest);
    const { code, stderr } = await scenario.run("plan");
    expect(code).toBe(1);
    expect(stderr).toContain("error[live.unmanaged_exists]");
    expect(stderr).toContain(`rnv import project.shop ${ids.project}`);
  });

  it.each(["TOKEN: { preserve: true }", "secret: { key: TOKEN, preserve: true }"])(
    "is taken over by --adopt without a write to the platform, with %s",
    async (variable) => {
      scenario.write("rnv.yaml", manifest.replace("TOKEN: { preserve: true }", variable));
      const { code, stdout } = await scenario.run("apply", ...approve, "--adopt");
      expect(code).toBe(0);
      expect(stdout).toContain("imported, 0 added, 0 changed, 0 destroyed.");
      expect(scenario.requests()).toEqual([]);
      await scenario.isQuiet();
    },
  );

  it("is taken over by id, with rnv import or an import line", async () => {
    scenario.write("rnv.yaml", manifest.replace("kind: web,", `kind: web, import: ${ids.api},`));
    expect((await scenario.run("import", "project.shop", ids.project)).code).toBe(0);
    const { code, stdout } = await scenario.run("apply", ...approve);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    await scenario.isQuiet();
    const again = await scenario.run("import", "service.other", ids.api);
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain("rnv state mv service.shop.api service.other");
    const wrong = await scenario.run("import", "service.nope", ids.project);
    expect(wrong.code).not.toBe(0);
    expect(scenario.requests()).toEqual([]);
  });

  it("is imported only where it is declared: no plan deletes it unconfirmed", async () => {
    scenario.write("rnv.yaml", "projects: { shop: { name: Shop } }\n");
    expect((await scenario.run("import", "project.shop", ids.project)).code).toBe(0);
    const refused = await scenario.run("import", "service.shop.api", ids.api);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "error[live.import_undeclared]: service.shop.api is not declared: the next plan would delete what is imported there",
    );
    expect(refused.stderr).toContain(`        api:\n          kind: web\n`);
    expect(refused.stderr).toContain(`then: rnv import service.shop.api ${ids.api}`);
    await scenario.isQuiet();
    scenario.write("rnv.yaml", manifest.replace("kind: web", "kind: static"));
    expect((await scenario.run("import", "service.shop.api", ids.api)).code).toBe(0);
    const another = await scenario.run("apply", ...approve);
    expect(another.code).toBe(1);
    expect(another.stderr).toContain("--confirm-delete service.shop.api");
    expect(scenario.requests()).toEqual([]);
    await scenario.applied(manifest);
    expect(scenario.requests()).toEqual([]);
    await scenario.isQuiet();
  });

  it("is imported to an address of a stack, and refused at an address that the stack does not have", async () => {
    scenario.write(
      "main.tf.json",
      JSON.stringify({
        terraform: { required_providers: { rnv: { source: "rnv/rnv" } } },
        resource: { rnv_project: { shop: { name: "Shop" } } },
      }),
    );
    const stack = ["-f", "main.tf.json"];
    const undeclared = await scenario.run("import", ...stack, "project.other", ids.project);
    expect(undeclared).toMatchObject(failing(1, "add it to the stack"));
    expect((await scenario.run("import", ...stack, "project.shop", ids.project)).code).toBe(0);
    await scenario.isQuiet(...stack);
  });

  it("is exported as a manifest that plans to nothing in a fresh state", async () => {
    const printed = await scenario.run("export");
    expect(printed.code).toBe(0);
    expect((await scenario.run("export", "-out", "rnv.yaml")).code).toBe(0);
    expect(scenario.read("rnv.yaml")).toBe(printed.stdout);
    expect(printed.stdout).not.toContain(
      "theirs\n    services:\n      api:\n        variables:\n          TOKEN: theirs",
    );
    const kept = await scenario.run("export", "-out", "rnv.yaml");
    expect(kept.code).toBe(1);
    expect((await scenario.run("validate")).code).toBe(0);
    const planned = await scenario.run("apply", ...approve, "--adopt");
    expect({ ...planned }).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    await scenario.isQuiet();
    expect((await scenario.run("drift")).code).toBe(0);
    const one = await scenario.run("export", "--project", "Shop");
    expect(one.stdout).toContain("api:");
    expect(one.stdout).not.toContain("docs:");
  });
});

describe("fields and variables", () => {
  const scenario = eachScenario();
  const api = (more: string) =>
    `services:\n  api:\n    kind: web\n    configuration: { repository: "https://git.example.com/api" }\n${more}`;
  const service = () => scenario.emulator.store.services().find(({ name }) => name === "api");

  it("stay as they are and are never sent where they were never declared", async () => {
    scenario.write("rnv.yaml", api(""));
    await scenario.run("apply", ...approve);
    const { store } = scenario.emulator;
    store.editConfiguration(service()?.id ?? "", { startCommand: "npm start", port: 9999 });
    store.addVariable(service()?.id ?? "", "THEIRS", "kept");
    await scenario.isQuiet();
    expect((await scenario.run("drift")).code).toBe(0);
    scenario.forget();
    await scenario.applied(api("").replace('api" }', 'api", branch: dev }'));
    expect(service()?.configuration).toMatchObject({ startCommand: "npm start", port: 9999, branch: "dev" });
    expect(store.variables(service()?.id ?? "").map(({ key }) => key)).toEqual(["THEIRS"]);
    expect((await scenario.run("destroy", ...approve)).code).toBe(0);
  });

  describe("with a generator", () => {
    const address = "variable.api.TOKEN";
    const made = (length: number) => api(`    variables: { TOKEN: { generate: { length: ${length} } } }\n`);
    const token = () => scenario.emulator.store.variables(service()?.id ?? "")[0] ?? { id: "" };
    const value = () => scenario.emulator.store.variableValue(token().id) ?? "";
    const changeOutside = () => {
      scenario.settle();
      scenario.emulator.store.editVariable(token().id, { value: "theirs" });
    };
    const writes = () => scenario.requests().filter((write) => write.includes("variables"));

    it("keep their values: in a lost state, imported, moved, and handed over to another state", async () => {
      await scenario.applied(made(48));
      const first = value();
      expect(first).toHaveLength(48);
      await scenario.isQuiet();
      scenario.forget();
      await scenario.applied(made(48).replace("kind: web", "kind: web\n    archived: false"));
      rmSync(join(scenario.folder, ".rnv"), { recursive: true });
      const { stdout } = await scenario.applies("--adopt");
      expect(stdout).toContain("3 imported, 0 added, 0 changed, 0 destroyed.");
      expect(await scenario.run("state", "rm", address)).toMatchObject({ code: 0 });
      expect(await scenario.run("import", address, token().id)).toMatchObject({ code: 0 });
      await scenario.applied(
        `${made(48).replace("  api:", "  web:\n    name: api")}moved: [{ from: service.api, to: service.web }]\n`,
      );
      expect(await scenario.run("state", "mv", "--to", "other.json", "service.web")).toMatchObject({
        code: 0,
      });
      await scenario.isQuiet("-state", "other.json");
      expect([value(), writes()]).toEqual([first, []]);
    });

    it("stay as they are where they were changed outside, until that is accepted or they are replaced", async () => {
      await scenario.applied(made(48));
      const { id } = token();
      changeOutside();
      scenario.forget();
      for (const verb of [["plan"], ["apply", ...approve], ["plan", "-out", "p"], ["apply", "p"]]) {
        const { code, stdout, stderr } = await scenario.run(...verb);
        expect(code).toBe(0);
        expect(stdout + stderr).toMatch(
          / value of variable.api.TOKEN was changed outside, and stays as it is\n/,
        );
        expect(stdout + stderr).toMatch(
          / rnv apply -refresh-only; .*: rnv apply -replace variable.api.TOKEN\n/,
        );
        expect(await scenario.run("drift")).toMatchObject(printing(2, `~ ${address}`));
      }
      await scenario.applies("-refresh-only");
      expect(await scenario.run("drift")).toMatchObject({ code: 0 });
      await scenario.isQuiet();
      expect([value(), writes()]).toEqual(["theirs", []]);
      changeOutside();
      const replaced = await scenario.applies("-replace", address);
      expect(replaced.stdout + replaced.stderr).not.toContain("stays as it is");
      expect(value()).toMatch(/^[\w-]{48}$/);
      expect(token().id).not.toBe(id);
      await scenario.isQuiet();
    });

    it("are made again for another length, in what was imported too, and each service of a group has its own", async () => {
      await scenario.applied(made(48));
      expect(await scenario.run("state", "rm", address)).toMatchObject({ code: 0 });
      expect(await scenario.run("import", address, token().id)).toMatchObject({ code: 0 });
      changeOutside();
      expect(await scenario.run("drift")).toMatchObject({ code: 2 });
      const changed = await scenario.applied(made(20));
      expect(changed.stdout + changed.stderr).toContain(`${address}: value was changed here and outside rnv`);
      expect(value()).toHaveLength(20);
      await scenario.applied(
        `variableGroups: { common: { SALT: { generate: { length: 32 } } } }\n${made(20)}` +
          ["a", "b"]
            .map(
              (key) =>
                `  ${key}: { kind: web, variablesFrom: [{ group: common }], deploy: { when: never } }\n`,
            )
            .join(""),
      );
      const { store } = scenario.emulator;
      const salts = store.services().flatMap(({ id }) => store.variables(id).map((one) => one.id));
      expect(new Set(salts.map((id) => store.variableValue(id))).size).toBe(3);
    });
  });

  it("must be there and are never written where they are preserved", async () => {
    scenario.write("rnv.yaml", api("    variables: { KEY: { preserve: true } }\n"));
    expect(await scenario.run("apply", ...approve)).toMatchObject(failing(1, "error[live.preserve_missing]"));
    scenario.write("rnv.yaml", api(""));
    await scenario.run("apply", ...approve);
    scenario.emulator.store.addVariable(service()?.id ?? "", "KEY", "theirs");
    scenario.write("rnv.yaml", api("    variables: { KEY: { preserve: true } }\n"));
    scenario.forget();
    await scenario.applies();
    expect(scenario.requests().filter((write) => write.includes("variables"))).toEqual([]);
    await scenario.isQuiet();
    await scenario.applied(api(""));
    const { store } = scenario.emulator;
    expect(store.variables(service()?.id ?? "").map(({ key }) => key)).toEqual(["KEY"]);
  });

  it.each([
    ["archive", true],
    ["retain", false],
  ] as const)("onRemove: %s keeps the service, also once its block is gone", async (onRemove, archived) => {
    const other = "  other: { kind: static, deploy: { when: never } }\n";
    await scenario.applied(api(`    lifecycle: { onRemove: ${onRemove} }\n${other}`));
    const id = service()?.id ?? "";
    scenario.write("rnv.yaml", `services:\n${other}`);
    scenario.forget();
    const { stdout } = await scenario.run("apply", "-json", ...approve);
    expect(stdout).toMatch(new RegExp(`"planned".*"action":"${archived ? "archive" : "forget"}"`));
    expect(scenario.requests()).toEqual(archived ? ["POST /workspaces/ID/services/ID/archive"] : []);
    expect(scenario.emulator.store.service(id)).toMatchObject({ archived, deletedAt: null });
    await scenario.isQuiet();
  });
});
