import type { Readings } from "../../../src/emulator/readings";
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
  ...(["queuing", "status", "variable", "payment", "health"] as const).map((serviceUpdatedAt) => ({
    serviceUpdatedAt,
    deploymentUpdatedAt: "service" as const,
  })),
  { deploymentTimes: "equal", deploymentUpdatedAt: "created" },
  { deploymentTimes: "equal", deploymentUpdatedAt: "service" },
];

describe.each(readings)("a deployment that another user queued, in the reading %j", (reading) => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = createWorkbench({ emulator: { readings: reading } });
    bench.write("rnv.yaml", shop(1));
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
  });
  afterEach(() => bench.remove());
  const service = () => bench.emulator.store.services()[0]?.id ?? "";
  const isQuiet = async () => {
    const startedAt = bench.clock.now();
    const { plan } = await bench.plan();
    expect(plan?.changes.map(({ action }) => action)).toEqual(["no-op", "no-op", "no-op"]);
    expect(await bench.drift()).toMatchObject({ exitCode: 0 });
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(bench.clock.now() - startedAt).toBeLessThan(5000);
  };

  it.each([0, 1, 300])("is news to plan, drift and apply, %i minutes later", async (minutes) => {
    bench.clock.advance(minutes * minute);
    bench.emulator.store.deploy(service());
    bench.emulator.store.settle();
    await isQuiet();
    bench.clock.advance(minutes * minute);
    await isQuiet();
  });

  it.each(["before", "after"] as const)("%s ours is during an apply does not fail it", async (when) => {
    const colleague = async () => void bench.emulator.store.deploy(service());
    bench.emulator.setFaults((_, { method, path }) =>
      method === "POST" && path.endsWith("/deploys") ? { kind: "hook", when, run: colleague } : undefined,
    );
    bench.write("rnv.yaml", shop(2));
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    bench.emulator.setFaults(undefined);
    bench.emulator.store.settle();
    await isQuiet();
  });
});
