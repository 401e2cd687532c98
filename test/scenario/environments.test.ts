import { approve, eachScenario, failing, printing } from "../support/cli";
import { shareOf } from "../support/soak";

const shop = (environment: string) => `projects:
  shop:
    services:
      api: { kind: web, deploy: { when: never } }
      web:
        kind: web
        environment: ${environment}
        deploy: { when: never }
`;

/** "Before the first write: every declared environment exists" (DESIGN section 7). */
describe("the environment of a service", () => {
  const scenario = eachScenario({ readings: { environments: "alone" } });
  const project = () => scenario.emulator.store.projects()[0];

  it("is named by name or by id, and is an error with what the project has where the project lacks it", async () => {
    await scenario.applied(shop("Production"));
    const staging = scenario.emulator.store.addEnvironment(project()?.id ?? "", "Staging");
    scenario.forget();

    scenario.write("rnv.yaml", shop("Stagign").replace("web:\n", "next:\n"));
    const wrong = await scenario.run("plan", "-target=service.shop.next");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('did you mean "Staging"? It has: Production, Staging');
    expect(scenario.requests("all")).toHaveLength(3);

    await scenario.applied(
      `${shop("Production")}      next: { kind: web, environment: Staging, deploy: { when: never } }\n`,
    );
    await scenario.isQuiet();
    const byId = `environment: ${staging.id}`;
    scenario.write("rnv.yaml", scenario.read("rnv.yaml").replace("environment: Staging", byId));
    await scenario.isQuiet();
    const next = scenario.service("next");
    expect(next?.environmentId).toBe(staging.id);
  });

  it("destroys nothing where it changes to a missing environment", async () => {
    await scenario.applied(shop("Production"));
    scenario.forget();
    scenario.write("rnv.yaml", shop("Staging"));
    const { code, stderr } = await scenario.run("apply", ...approve, "--confirm-delete", "service.shop.web");
    expect({ code, stderr }).toMatchObject(failing(1, "it has: Production"));
    expect(scenario.requests()).toEqual([]);
    // What is destroyed needs no environment.
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
  });
});

/** "A service is known by project, environment and name" (DESIGN section 4, "Environment"). */
describe("two stages in two environments of one project", () => {
  const scenario = eachScenario();
  const ofStaging = ["--stage", "staging"] as const;
  const inStaging = "projects: { shop: { services: { api: { environment: Staging } } } }\n";
  const apis = () => scenario.emulator.store.services().filter(({ name }) => name === "api");
  let project = "";
  let staging = "";

  beforeEach(async () => {
    const declared =
      'projects: { shop: { services: { api: { kind: web, deploy: { when: never }, variables: { STAGE: "${stage.name}" } } } } }';
    const stages = "stages: { production: { protect: true }, staging: { overlay: staging.yaml } }";
    scenario.write("rnv.yaml", `${stages}\n${declared}\n`);
    scenario.write("staging.yaml", inStaging);
    await scenario.applies("--stage", "production");
    project = scenario.emulator.store.projects()[0]?.id ?? "";
    staging = scenario.emulator.store.addEnvironment(project, "Staging").id;
    expect(await scenario.run("import", "project.shop", project, ...ofStaging)).toMatchObject({ code: 0 });
    scenario.forget();
  });

  it("have a service of one name each: the second is created, and only that is destroyed", async () => {
    const [first] = apis();
    expect((await scenario.run("plan", ...ofStaging)).stdout).toContain(
      "2 to add, 0 to change, 0 to destroy",
    );
    await scenario.applies(...ofStaging);
    expect(apis().map(({ environmentId }) => environmentId)).toEqual([first?.environmentId, staging]);
    for (const stage of ["staging", "production"]) await scenario.isQuiet("--stage", stage);
    const destroy = ["destroy", "-target=service.shop.api", ...approve] as const;
    expect(await scenario.run(...destroy, "--stage", "production")).toMatchObject({ code: 4 });
    expect(await scenario.run(...destroy, ...ofStaging)).toMatchObject({ code: 0 });
    expect(apis()).toEqual([first]);
  });

  it("never take over the service of the other stage, which is protected", async () => {
    const [first] = apis();
    const id = first?.id ?? "";
    const imported = await scenario.run("import", "service.shop.api", id, ...ofStaging);
    scenario.write("staging.yaml", inStaging.replace("Staging", `Staging, import: ${id}`));
    const planned = await scenario.run("plan", ...ofStaging);
    for (const { code, stderr } of [imported, planned]) {
      expect({ code, stderr }).toMatchObject(
        failing(1, `service.shop.api cannot take over ${id}: its environment differs`),
      );
      expect(stderr).toContain('check the ID: that one is in "Production"\n');
    }
    expect(scenario.requests()).toEqual([]);
    expect(apis()).toEqual([first]);
  });

  it("adopt what has the name in their own environment; without an environment a service is of Production", async () => {
    const [first] = apis();
    const { id } = scenario.emulator.store.addService({
      name: "api",
      projectId: project,
      environmentId: staging,
      configuration: { branch: "trunk" },
    });
    const found = await scenario.run("plan", ...ofStaging);
    expect(found).toMatchObject(failing(1, `rnv import service.shop.api ${id}`));
    const adopted = await scenario.run("apply", "--adopt", ...ofStaging, ...approve);
    expect(adopted.stdout).toContain("1 imported, 1 added, 0 changed, 0 destroyed");
    await scenario.isQuiet(...ofStaging);
    await scenario.run("state", "rm", "service.shop.api", "--stage", "production");
    const refused = await scenario.run("import", "service.shop.api", id, "--stage", "production");
    expect(refused).toMatchObject(failing(1, "its environment differs"));
    expect(refused.stderr).toContain('that one is in "Staging", or declare environment: "Staging"');
    const own = await scenario.run("import", "service.shop.api", first?.id ?? "", "--stage", "production");
    expect(own).toMatchObject({ code: 0 });
    await scenario.applies("--adopt", "--stage", "production");
    expect(apis()).toHaveLength(2);
  });
});

describe("a service that is moved to another environment in the dashboard", () => {
  const scenario = eachScenario();
  const only = "projects: { shop: { services: { api: { kind: web, deploy: { when: never } } } } }\n";
  const there = only.replace("kind: web", "kind: web, environment: Staging");
  const api = () => scenario.service("api");
  const move = (environmentId: string | null) =>
    scenario.emulator.store.editService(api()?.id ?? "", () => ({ environmentId }));
  let staging = "";
  beforeEach(async () => {
    await scenario.applied(only);
    staging = scenario.emulator.store.addEnvironment(api()?.projectId ?? "", "Staging").id;
    scenario.forget();
  });

  it("is drift and a warning with the edit where it declares no environment, and is not moved back", async () => {
    const production = api()?.environmentId ?? "";
    move(staging);
    for (const changed of [only, only.replace("kind: web", "kind: web, configuration: { branch: trunk }")]) {
      scenario.write("rnv.yaml", changed);
      const { code, stdout } = await scenario.run("drift");
      expect({ code, stdout }).toMatchObject(printing(2, 'environment  "Production" -> "Staging"'));
      const planned = await scenario.run("plan");
      const told = planned.stderr + planned.stdout;
      expect(told).toContain('service.shop.api was moved outside of rnv: its environment was "Production"');
      expect(told).toContain('to keep it there, declare environment: "Staging"');
      expect(told).not.toContain("replace");
      // Another change is written, and leaves the service and what is recorded of the move as they are.
      await scenario.applies();
      expect(api()).toMatchObject({ environmentId: staging });
    }
    expect(scenario.requests()).toEqual(["PATCH /workspaces/ID/services/ID"]);
    scenario.write(
      "rnv.yaml",
      scenario.read("rnv.yaml").replace("kind: web", "kind: web, environment: Staging"),
    );
    await scenario.applies();
    expect(await scenario.run("drift")).toMatchObject({ code: 0 });
    scenario.write("rnv.yaml", only);
    move(production);
    expect(await scenario.run("drift")).toMatchObject({ code: 2 });
    await scenario.applies("-refresh-only");
    expect(await scenario.run("drift")).toMatchObject({ code: 0 });
  });

  it("is replaced where it declares an environment, once that is confirmed", async () => {
    await scenario.applied(there.replace("Staging", "Production"));
    const before = api()?.id;
    move(staging);
    const { stdout } = await scenario.run("plan");
    expect(stdout).toContain("must be replaced");
    await scenario.applies("--confirm-delete", "service.shop.api");
    expect(api()?.id).not.toBe(before);
  });

  it.each([
    ["null", null],
    ["of no environment of its project", "00000000-0000-4000-8000-000000000000"],
  ])("is not compared while its environmentId is %s, and is found by project and name", async (_, id) => {
    move(id);
    for (const declared of [only, there]) {
      scenario.write("rnv.yaml", declared);
      await scenario.run("state", "rm", "service.shop.api");
      await scenario.applies("--adopt");
      await scenario.isQuiet();
      expect(await scenario.run("drift")).toMatchObject({ code: 0 });
    }
    expect(scenario.requests()).toEqual([]);
  });
});

/** Open points "environments" and "environmentRecord" of `readings.md`, rows 12 and 13. */
describe.each(shareOf(["namesakes", "second", "alone"] as const, 3))(
  "environments of a project: %s",
  (environments) => {
    const scenario = eachScenario({ readings: { environments, environmentRecord: "further" } });
    const declared = "projects: { shop: { services: { api: { kind: web, deploy: { when: never } } } } }\n";

    it("a service that declares none is of Production, in every command", async () => {
      const made = await scenario.applied(declared);
      expect(made.stdout).toContain("2 added");
      await scenario.isQuiet();
      const { store } = scenario.emulator;
      const [service] = store.services();
      const [project] = store.projects();
      const production = project?.environments.find(({ name }) => name === "Production")?.id;
      expect(service?.environmentId).toBe(production);
      const other = project?.environments.find(({ id }) => id !== production)?.id;
      const isSeeded = environments === "namesakes" && other !== undefined;
      const namesake = isSeeded
        ? store.addService({ name: "api", projectId: project?.id ?? "", environmentId: other })
        : undefined;
      expect(await scenario.run("drift")).toMatchObject({ code: 0 });
      await scenario.run("state", "rm", "service.shop.api");
      await scenario.run("state", "rm", "project.shop");
      await scenario.applies("--adopt");
      expect(store.services()).toEqual(namesake ? [service, namesake] : [service]);
      if (namesake) store.deleteServiceNow(namesake.id);
      expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
      expect(store.projects()).toEqual([]);
    });

    it("init --from workspace takes over the services of every environment, and the plan after it is empty", async () => {
      const { store } = scenario.emulator;
      const project = store.addProject({ name: "shop" }).id;
      const staging = store.addEnvironment(project, "QA").id;
      store.addService({ name: "api", projectId: project });
      store.addService({ name: "api", projectId: project, environmentId: staging });
      scenario.forget();
      const { code, stdout } = await scenario.run("init", "--from", "workspace");
      expect({ code, stdout }).toMatchObject(printing(0, "No changes."));
      expect(scenario.read("rnv.yaml")).toContain("environment: QA");
      expect(scenario.read("rnv.yaml")).not.toContain("import:");
      await scenario.isQuiet();
      expect(scenario.requests()).toEqual([]);
      await scenario.applies("--adopt");
    });
  },
);
