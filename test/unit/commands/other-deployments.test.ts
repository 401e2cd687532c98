import type { Readings } from "../../../src/emulator/readings";
import { withFields } from "../../support/edited-answers";
import { shareOf } from "../../support/soak";
import { createWorkbench, type Workbench } from "../../support/workbench";

/**
 * Another user's deployment is news, never staleness (DESIGN section 5). The interface says of `deploymentUpdatedAt` that it is a
 * "timestamp", and nothing of the times at which a service's `updatedAt` moves.
 */
const shop = (replicas: number) => `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/api", replicas: ${replicas} } }
`;
const minute = 60_000;

const readings: readonly Partial<Readings>[] = [
  {},
  ...(["created", "service", "health", "null", "absent"] as const).map((deploymentUpdatedAt) => ({
    deploymentUpdatedAt,
  })),
  ...(["status", "health"] as const).map((serviceUpdatedAt) => ({
    serviceUpdatedAt,
    deploymentUpdatedAt: "service" as const,
  })),
  { deploymentTimes: "equal", deploymentUpdatedAt: "service" },
];

describe.each(shareOf(readings, 3))("a deployment that another user queued, in the reading %j", (reading) => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = createWorkbench({ emulator: { readings: reading } });
    await bench.applied(shop(1));
  });
  const service = () => bench.emulator.store.services()[0]?.id ?? "";
  const isQuiet = async () => {
    const startedAt = bench.clock.now();
    expect(await bench.acting()).toEqual([]);
    expect(await bench.drift()).toMatchObject({ exitCode: 0 });
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(bench.clock.now() - startedAt).toBeLessThan(5000);
  };

  it.each([0, 300])("is news to plan, drift and apply, %i minutes later", async (minutes) => {
    bench.clock.advance(minutes * minute);
    bench.emulator.store.deploy(service());
    bench.emulator.store.settle();
    await isQuiet();
    bench.clock.advance(minutes * minute);
    await isQuiet();
  });

  it.each(["before", "after"] as const)("%s ours is during an apply does not fail it", async (when) => {
    const colleague = async () => void bench.emulator.store.deploy(service());
    bench.fail(/^POST .*\/deploys$/, { kind: "hook", when, run: colleague });
    await bench.applied(shop(2));
    bench.fail();
    bench.emulator.store.settle();
    await isQuiet();
  });
});

describe.each<Partial<Readings>>([
  { otherDeployments: "one" },
  { otherDeployments: "several", deploymentUpdatedAt: "service" },
  { otherDeployments: "several", deploymentTimes: "equal", serviceUpdatedAt: "status" },
])("deployments that the platform queues beside ours, in the reading %j", (readings) => {
  it.each([0, 1.5])(
    "do not fail an apply, and are no drift; each takes %f seconds",
    async (deploySeconds) => {
      const bench = createWorkbench({ emulator: { readings, deploySeconds } });
      const { store } = bench.emulator;
      for (const replicas of [1, 2, 3]) {
        await bench.applied(shop(replicas));
        expect(await bench.acting()).toEqual([]);
        store.settle();
        expect(await bench.drift()).toMatchObject({ exitCode: 0 });
      }
      expect(oursOf(bench)).toHaveLength(3);
      expect(store.deployments(store.services()[0]?.id ?? "").length).toBeGreaterThan(3);
    },
  );

  it.each(["lost", "not seen, by a run that dies"])(
    "tell apart none whose answer is %s: the newest serves",
    async (how) => {
      const bench = createWorkbench({ emulator: { readings } });
      bench.write("rnv.yaml", shop(1));
      await bench.apply();
      bench.write("rnv.yaml", shop(2));
      if (how === "lost") bench.fail(/^POST .*\/deploys$/, { kind: "reset-after" }, 1);
      else await bench.applyUntilDeath({ write: 2, when: "after" });
      expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
      expect(oursOf(bench)).toHaveLength(2);
      expect(await bench.acting()).toEqual([]);
    },
  );
});

/** Deployments of the only service that the platform did not queue by itself. */
const oursOf = ({ emulator: { store } }: Workbench) =>
  store.deployments(store.services()[0]?.id ?? "").filter(({ actor }) => actor !== "auto-deploy");

it("a rename whose time moves again with the next read is no change", async () => {
  const bench = createWorkbench({ emulator: { readings: { renameTime: "later" } } });
  for (const name of ["api", "backend"]) {
    await bench.applied(shop(1).replace("kind: web", `name: ${name}, kind: web`));
    expect(await bench.acting()).toEqual([]);
    expect(await bench.drift()).toMatchObject({ exitCode: 0 });
  }
});

it("a service that was suspended a moment after its deployment may show no release", async () => {
  const bench = createWorkbench();
  bench.write("rnv.yaml", shop(1));
  await bench.apply();
  expect(await bench.act({ action: "suspend" })).toMatchObject({ exitCode: 0 });
  bench.fail(/./, withFields({ liveDeploymentId: null }));
  expect(await bench.acting()).toEqual([]);
});
