import { approve, eachScenario } from "../support/cli";

// Readings under which rnv ends in a stop. Each has its code and its text here, and nothing is doubled or lost.

const shop = (services: string) => `
projects:
  shop:
    services:
      api: { kind: web, deploy: { when: never }${services}
`;

/** Row 35: the plan, region, runtime and kind in use have gone from the lists. */
describe("catalogLists=fewer", () => {
  const scenario = eachScenario({ readings: { catalogLists: "fewer" } });

  it("refuses a new service of a kind that is not listed any more, and changes those that are there", async () => {
    await scenario.applied(shop(" }"));
    await scenario.isQuiet();
    scenario.write("rnv.yaml", shop(", configuration: { replicas: 2 } }"));
    const changed = await scenario.applies();
    expect(changed.stdout).toContain('warning[plan.not_on_offer]: kind "web" does not exist');
    scenario.forget();
    scenario.write("rnv.yaml", shop(" }\n      web: { kind: web, deploy: { when: never } }"));
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('error[plan.not_on_offer]: kind "web" does not exist'),
    });
    expect(scenario.requests()).toEqual([]);
  });
});

/** Row 30: what was made bears a time of two minutes before the request, by the header. */
describe("dateHeader=ahead", () => {
  const scenario = eachScenario({ readings: { dateHeader: "ahead" } });

  it("leaves a service that is to be archived as it was made, and the next apply archives it", async () => {
    scenario.write("rnv.yaml", shop(", archived: true }"));
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining(
        "error[apply.not_taken]: service.shop.api: the service accepted the change, but archived did not take",
      ),
    });
    await scenario.applies();
    expect(scenario.emulator.store.services()).toMatchObject([{ name: "api", archived: true }]);
    await scenario.isQuiet();
  });
});

/** Row 30: nothing says how old a write is, and what a read leaves out may be a write that it does not show yet. */
describe("dateHeader=absent", () => {
  const scenario = eachScenario({ readings: { dateHeader: "absent" } });

  it("stops where a service was deleted outside, and names the command that accepts it", async () => {
    await scenario.applied(shop(" }"));
    scenario.settle();
    scenario.emulator.store.deleteServiceNow(scenario.emulator.store.services()[0]?.id ?? "");
    scenario.forget();
    const fast = ["--require", require.resolve("../support/fast-clock.cjs")];
    const { code, stderr } = await scenario.runWith({ node: fast }, "apply", ...approve);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("error[live.stale]") });
    expect(stderr).toContain("rnv apply -refresh-only");
    expect(scenario.requests()).toEqual([]);
  });
});
