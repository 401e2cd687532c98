import { apply } from "../../src/commands/apply";
import { planRequest } from "../../src/commands/context";
import type { EmulatorOptions } from "../../src/emulator/emulator";
import { type Death, dyingContext } from "../support/dying-context";
import { fc } from "../support/fixed-seed";
import { MemoryDisk } from "../support/memory-disk";
import { inSoak } from "../support/soak";
import { createWorkbench, type Workbench } from "../support/workbench";
import { manifestOf, manifestText, type ShopSpec, shopSpec } from "./shops";

jest.setTimeout(120_000);

const everything = { adopt: true, allowEmpty: true } as const;
const death: fc.Arbitrary<Death> = fc.record({
  write: fc.integer({ min: 1, max: 12 }),
  when: fc.constantFrom("before", "after"),
});

async function confirmations(bench: Workbench): Promise<string[]> {
  const { plan } = await bench.plan(everything);
  return (plan?.changes ?? []).flatMap(({ address, blockedBy }) => (blockedBy ? [address] : []));
}

/** Applies until the process dies or the run is over. A second passes before another process runs. */
async function applyAndDie(bench: Workbench, how: Death): Promise<void> {
  const { context, died } = dyingContext(bench.context, how);
  const request = {
    ...planRequest,
    ...everything,
    lockTimeoutMs: 0,
    parallelism: 4,
    confirmedDeletes: await confirmations(bench),
    approve: async () => ({ confirmedDeletes: [] }),
  };
  await Promise.race([apply(context, request), died]);
  bench.clock.advance(1000);
}

/** Applies to the end, and demands an end without an error. */
async function applyFully(bench: Workbench): Promise<void> {
  const { exitCode, diagnostics } = await bench.apply({
    ...everything,
    confirmedDeletes: await confirmations(bench),
  });
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ summary }) => summary);
  expect({ errors, exitCode }).toEqual({ errors: [], exitCode: 0 });
}

/** How often rnv deployed each service: the platform may deploy by itself, too. */
const deployCounts = (bench: Workbench) =>
  bench.emulator.store
    .services()
    .map(({ name, projectId, id }) => [
      `${projectId === null ? "" : "shop."}${name}`,
      bench.emulator.store.deployments(id).filter(({ actor }) => actor !== "auto-deploy").length,
    ])
    .sort();

async function inBenches(
  gaps: EmulatorOptions["gaps"],
  work: (cut: Workbench, whole: Workbench) => Promise<void>,
): Promise<void> {
  const bench = () => createWorkbench({ emulator: { gaps }, disk: new MemoryDisk() });
  const [cut, whole] = [bench(), bench()];
  try {
    await work(cut, whole);
  } finally {
    cut.remove();
    whole.remove();
  }
}

const services: readonly [string, EmulatorOptions["gaps"], number][] = [
  ["the whole service", {}, inSoak(24, 3)],
  ["a service without the undocumented routes", { listVariables: false, readService: false }, inSoak(16, 1)],
];

describe.each(services)("on %s, a run that dies at any write", (_, gaps, numRuns) => {
  it("is finished by the next run: the same end, no duplicate, no more deployments", () =>
    fc.assert(
      fc.asyncProperty(
        shopSpec,
        shopSpec,
        fc.array(death, { minLength: 1, maxLength: 2 }),
        (first, second, deaths) =>
          inBenches(gaps, async (cut, whole) => {
            for (const spec of [first, second] as ShopSpec[]) {
              for (const bench of [cut, whole]) bench.write("rnv.yaml", manifestText(spec));
              await applyFully(whole);
              for (const how of deaths) await applyAndDie(cut, how);
              const before = cut.writes().length;
              await cut.plan(everything);
              expect(cut.writes()).toHaveLength(before);
              await applyFully(cut);
              expect(manifestOf(cut.emulator.store)).toEqual(manifestOf(whole.emulator.store));
              expect(cut.emulator.store.projects()).toHaveLength(1);
              expect(deployCounts(cut)).toEqual(deployCounts(whole));
              const { plan } = await cut.plan(everything);
              expect(
                plan?.changes.filter(({ action }) => action !== "no-op").map(({ address }) => address),
              ).toEqual([]);
            }
          }),
      ),
      { numRuns },
    ));
});
