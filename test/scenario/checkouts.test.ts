import { approve, openScenario } from "../support/cli";

const paid = `
services:
  api:
    kind: web
    configuration: { repository: "https://git.example.com/api", plan: starter }
    deploy: {}
`;

// Interface, "General behaviours", 3: checkout is completed in the dashboard before deploying. What becomes of the deployment
// that waited is not shown.
describe("a deployment that waited for its checkout, once that is paid", () => {
  it.each(["starts", "superseded"] as const)("serves after one apply, where it %s", async (reading) => {
    const scenario = await openScenario({ readings: { paid: reading } });
    const { store } = scenario.emulator;
    scenario.write("rnv.yaml", paid);
    for (const _ of ["first", "second"])
      expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 8 });
    const { id = "" } = store.services()[0] ?? {};
    const asked = () => scenario.requests().filter((request) => request.endsWith("/deploys"));
    expect(asked()).toHaveLength(1);
    // Longer than the deployment may take: the time until a payment does not count.
    scenario.settle();
    store.completeCheckout(id);
    await scenario.applies();
    // A deployment that others queued may be there too.
    expect(asked()).toHaveLength(1);
    const [first, ...later] = store.deployments(id);
    expect(first?.status).toBe(reading === "starts" ? "live" : "superseded");
    expect([first, ...later].at(-1)?.status).toBe("live");
    await scenario.isQuiet();
    scenario.forget();
    await scenario.applies();
    expect(asked()).toEqual([]);
    await scenario.close();
  });
});
