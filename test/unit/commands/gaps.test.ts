import { join } from "node:path";
import { gapSettings } from "../../../src/api/gap-rules";
import type { EmulatorOptions } from "../../../src/emulator/emulator";
import type { FaultPlan } from "../../../src/emulator/testing";
import {
  bareAnswers,
  deepAnswers,
  environmentsOf,
  projectColors,
  silentAnswers,
  variablesAt,
  wrappedOperations,
} from "../../support/other-shapes";
import { casesIn } from "../../support/rows";
import { createWorkbench } from "../../support/workbench";

type Settings = Readonly<Record<string, string>>;

const shop = (health: string, level: string) => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", healthCheckPath: ${health} }
        variables: { LOG_LEVEL: ${level}, OLD: gone-soon }
`;

type Faults = readonly [name: string, ...given: readonly string[]];
type Variant = readonly [string, Omit<EmulatorOptions, "faults"> & { readonly faults?: Faults }, Settings];

const whole: Readonly<Record<string, FaultPlan>> = {
  bareAnswers,
  deepAnswers,
  silentAnswers,
  wrappedOperations,
};
const made: Readonly<Record<string, (...given: never[]) => FaultPlan>> = {
  environmentsOf,
  projectColors,
  variablesAt,
};
const faultsOf = ([name, ...given]: Faults): FaultPlan => {
  const found = whole[name] ?? made[name]?.(...(given as never[]));
  if (found === undefined) throw new Error(`no service answers with ${name}`);
  return found;
};

const variants: readonly Variant[] = [
  ...casesIn<Variant>(join(__dirname, "gaps.json")),
  [
    "that sends no replay header and takes no keys there",
    { gaps: { replayHeader: undefined, routeKeys: "ignored" } },
    {},
  ],
];

describe.each(variants)("a service %s", (_title, { faults, ...options }, env) => {
  const emulator = { ...options, faults: faults && faultsOf(faults) };

  it("is planned, applied, updated and destroyed, and every plan after an apply is empty", async () => {
    const bench = createWorkbench({ emulator, gaps: gapSettings(env).settings });
    bench.write("rnv.yaml", shop("/a", "info"));
    expect((await bench.apply()).diagnostics).toEqual([]);
    expect(await bench.acting()).toEqual([]);
    bench.write("rnv.yaml", shop("/b", "debug").replace(", OLD: gone-soon", ""));
    const updated = await bench.apply({ confirmedDeletes: ["variable.shop.api.OLD"] });
    expect(updated.diagnostics).toEqual([]);
    const [api] = bench.emulator.store.services();
    expect(api?.configuration.healthCheckPath).toBe("/b");
    const variables = bench.emulator.store.variables(api?.id ?? "");
    expect(variables.map(({ id, key }) => [key, bench.emulator.store.variableValue(id)])).toEqual([
      ["LOG_LEVEL", "debug"],
    ]);
    expect(await bench.acting()).toEqual([]);
    const destroyed = await bench.apply({ mode: "destroy" });
    expect(destroyed.diagnostics).toEqual([]);
    expect(bench.emulator.store.projects()).toEqual([]);
  });
});
