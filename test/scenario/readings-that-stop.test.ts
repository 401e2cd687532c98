import { approve, openScenario, type Scenario } from "../support/cli";

/** Variants of open points under which rnv ends in one clear stop. */
let scenario: Scenario;
afterEach(() => scenario.close());

// "True prevents new deployments." (interface, "Service") is all that is known of an archived service.
describe("a platform that refuses every other change of an archived service", () => {
  const api = (archived: boolean, branch = "main") =>
    `projects: { shop: { services: { api: { kind: web, deploy: { when: never }, archived: ${archived}, configuration: { branch: ${branch} }, variables: { LEVEL: one } } } } }\n`;

  it("stops an update and a deletion at its refusal, and neither once the service is restored", async () => {
    scenario = await openScenario({ readings: { archivedService: "refused" } });
    await scenario.applied(api(false));
    await scenario.applied(api(true));
    scenario.settle();
    const { code, stdout } = await scenario.run("plan", "-detailed-exitcode");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("No changes") });
    scenario.write("rnv.yaml", api(true, "next"));
    const update = await scenario.run("apply", ...approve);
    expect(update.code).toBe(1);
    expect(update.stderr).toContain(
      "error[api.conflict]: service.shop.api: cannot update the service: The service is archived",
    );
    const destroy = await scenario.run("destroy", ...approve);
    expect(destroy.code).toBe(1);
    expect(destroy.stderr).toContain(
      "error[api.conflict]: service.shop.api: cannot delete the service: The service is archived",
    );
    expect(scenario.emulator.store.services()).toHaveLength(1);
    await scenario.applied(api(false));
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
    expect(scenario.emulator.store.projects()).toEqual([]);
  });
});
