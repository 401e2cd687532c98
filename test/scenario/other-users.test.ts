import type { Readings } from "../../src/emulator/readings";
import { approve, eachScenario } from "../support/cli";
import { withFields } from "../support/edited-answers";

/** DESIGN section 5: another user's deployment, rename or edit is news, never staleness; `live.stale` always ends. */
const preloaded = { node: ["--require", require.resolve("../support/fast-clock.cjs")] };
const deployed = `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/api" } }
`;

/** The interface says no more of `deploymentUpdatedAt` than "timestamp". */
describe.each<Partial<Readings>>([{}, { deploymentUpdatedAt: "service", otherDeployments: "several" }])(
  "a deployment that another user queued, in the reading %j",
  (readings) => {
    const at = eachScenario({ readings });

    it("is news to plan, drift and apply", async () => {
      await at.applied(deployed);
      const [service] = at.emulator.store.services();
      at.emulator.store.deploy(service?.id ?? "");
      at.emulator.store.settle();
      await at.isQuiet();
      expect(await at.run("drift")).toMatchObject({ code: 0 });
      at.forget();
      await at.applies();
      expect(at.requests()).toEqual([]);
    });
  },
);

describe("a service that was deleted outside a moment after it was created", () => {
  const at = eachScenario();
  const shop = (names: readonly string[]) =>
    `projects:\n  shop:\n    services:\n${names.map((name) => `      ${name}: { kind: worker, deploy: { when: never } }\n`).join("")}`;

  it("is in doubt for two minutes, alone and in words that say so, and is then created again", async () => {
    await at.applied(shop(["svc-a", "svc-b", "svc-c"]));
    const { store } = at.emulator;
    store.deleteServiceNow(store.services().find(({ name }) => name === "svc-c")?.id ?? "");
    const { code, stderr } = await at.start(preloaded, "plan").ended;
    expect(code).toBe(1);
    expect(stderr.match(/error\[[a-z_.]+\][^\n]*/g)).toEqual([
      expect.stringMatching(
        /live\.stale.*does not show service\.shop\.svc-c any more; it was written a minute ago, so this may be a delay/,
      ),
    ]);
    at.clock.advance(120_000);
    const { code: later, stdout } = await at.run("plan", "-detailed-exitcode");
    expect({ later, plan: stdout.includes("Plan: 1 to add, 0 to change, 0 to destroy.") }).toEqual({
      later: 2,
      plan: true,
    });
  });
});

/** "Timestamps are ISO 8601 date-time strings in UTC" (interface, "Resources and their fields"). */
describe("a time that cannot be compared", () => {
  const at = eachScenario();

  it.each(["updatedAt", "createdAt"])(
    "is refused as %s when it is read, and nothing is doubled",
    async (field) => {
      at.write("rnv.yaml", deployed);
      at.fail(() => withFields({ [field]: "20261128T184521Z" }));
      const { code, stderr } = await at.run("apply", ...approve);
      expect({ isDone: code === 0, stderr }).toEqual({
        isDone: false,
        stderr: expect.stringMatching(new RegExp(`project.*${field}.*it is not a date and a time`)),
      });
      at.fail();
      await at.applies();
      await at.isQuiet();
      expect(at.emulator.store.projects()).toHaveLength(1);
    },
  );

  it("is not assumed where a field is null", async () => {
    at.fail(() => withFields({ createdAt: null, healthCheckedAt: null, startedAt: null, finishedAt: null }));
    await at.applied(deployed.replace(/projects:\n +shop:\n +services:\n +/, "services:\n  "));
    await at.isQuiet();
  });
});
