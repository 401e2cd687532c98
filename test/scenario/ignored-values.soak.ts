import { systemClock } from "../../src/model/time";
import { approve, failing, oneScenario } from "../support/cli";

const shop = (variables: string, more = "") => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/api" }
        variables: ${variables}
${more}`;

/** DESIGN section 4: "A write of a value … must move `updatedAt`: one that did not move is an error, not a success." */
describe.each(["milliseconds", "seconds"] as const)(
  "a value that the service ignores, times in %s",
  (timeForm) => {
    const scenario = oneScenario({
      clock: { ...systemClock, now: () => now() },
      // A value that was taken is known by its time alone.
      readings: { timeForm },
    });
    let now = Date.now;
    const store = () => scenario.emulator.store;
    beforeAll(async () => {
      await scenario.applied(shop("{ LOG_LEVEL: info, OTHER: kept }"));
    });
    beforeEach(() => scenario.forget());
    afterEach(() => {
      now = Date.now;
      for (const condition of ["ignored-values", "untimed-answers"] as const)
        store().setCondition(condition, false);
    });

    it.each([[[]], [["untimed-answers"]]] as const)(
      "is an error that names the variable, records nothing and deploys nothing (%j)",
      async (others) => {
        for (const condition of ["ignored-values", ...others] as const) store().setCondition(condition, true);
        scenario.write("rnv.yaml", shop("{ LOG_LEVEL: debug, OTHER: kept }"));
        const { code, stderr } = await scenario.run("apply", ...approve);
        expect(code).toBe(1);
        expect(stderr).toContain("apply.not_taken");
        expect(stderr).toContain(
          "variable.shop.api.LOG_LEVEL: the platform accepted the change, but value did not take",
        );
        expect(stderr).not.toContain("debug");
        expect(scenario.requests().filter((request) => request.endsWith("/deploys"))).toEqual([]);
        const again = await scenario.run("plan", "-detailed-exitcode");
        expect(again.code).toBe(2);
        expect(again.stdout).toContain("variable.shop.api.LOG_LEVEL will be updated in place");
        expect(again.stdout).not.toContain("changed outside");
      },
    );

    it("is sent again by the next apply once the service takes values", async () => {
      // The service's clock is in another second than at the create.
      now = () => Date.now() + 1000;
      await scenario.applies();
      expect(scenario.valueOf("LOG_LEVEL")).toBe("debug");
      await scenario.isQuiet();
    });

    const itInSeconds = timeForm === "seconds" ? it : it.skip;
    itInSeconds("stops at a second write in one second, and the next apply sends it again", async () => {
      // The service's clock stands still: both writes fall into one second.
      const stoodAt = Date.now() + 2000;
      now = () => stoodAt;
      await scenario.applied(shop("{ LOG_LEVEL: warn, OTHER: kept }"));
      scenario.write("rnv.yaml", shop("{ LOG_LEVEL: again, OTHER: kept }"));
      const { code, stderr } = await scenario.run("apply", ...approve);
      expect({ code, stderr }).toEqual(failing(1, "apply.not_taken"));
      expect(stderr).toContain("run the same command again");
      now = () => stoodAt + 1000;
      await scenario.applies();
      expect(scenario.valueOf("LOG_LEVEL")).toBe("again");
      await scenario.isQuiet();
    });
  },
);
