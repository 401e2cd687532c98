import { approve, eachScenario } from "../support/cli";

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
  const scenario = eachScenario();
  const project = () => scenario.emulator.store.projects()[0];

  it("that a new project will not have is an error of the plan, and nothing is written", async () => {
    scenario.write("rnv.yaml", shop("Staging"));
    for (const args of [["plan"], ["apply", ...approve]]) {
      const { code, stderr } = await scenario.run(...args);
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('the project has no environment "Staging"'),
      });
      expect(stderr).toContain("--> rnv.yaml:7:22");
      expect(stderr).toContain("a new project has only Production");
    }
    expect(scenario.requests()).toEqual([]);
  });

  it("is one that the project has, by name or by id, else an error with what it has", async () => {
    await scenario.applied(shop("Production"));
    const staging = scenario.emulator.store.addEnvironment(project()?.id ?? "", "Staging");
    scenario.forget();

    scenario.write("rnv.yaml", shop("Stagign").replace("web:\n", "next:\n"));
    const wrong = await scenario.run("plan", "-target=service.shop.next");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('did you mean "Staging"?; it has: Production, Staging');
    expect(scenario.requests("all")).toHaveLength(3);

    await scenario.applied(
      `${shop("Production")}      next: { kind: web, environment: Staging, deploy: { when: never } }\n`,
    );
    await scenario.isQuiet();
    const byId = `environment: ${staging.id}`;
    scenario.write("rnv.yaml", scenario.read("rnv.yaml").replace("environment: Staging", byId));
    await scenario.isQuiet();
    const next = scenario.emulator.store.services().find(({ name }) => name === "next");
    expect(next?.environmentId).toBe(staging.id);
  });

  it("that is changed to one that is not there destroys nothing", async () => {
    await scenario.applied(shop("Production"));
    scenario.forget();
    scenario.write("rnv.yaml", shop("Staging"));
    const { code, stderr } = await scenario.run("apply", ...approve, "--confirm-delete", "service.shop.web");
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it has: Production"),
    });
    expect(scenario.requests()).toEqual([]);
    // What is destroyed needs no environment.
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
  });
});
