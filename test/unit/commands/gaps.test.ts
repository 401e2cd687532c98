import { createWorkbench } from "../../support/workbench";

const shop = (health: string, level: string) => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", healthCheckPath: ${health} }
        variables: { LOG_LEVEL: ${level}, OLD: gone-soon }
`;

const variants = [
  ["no route to list variables", { listVariables: false }],
  ["no route to read one service", { readService: false }],
  ["a flat PATCH body", { servicePatch: "flat" }],
  ["error bodies under error", { errorBody: "nested" }],
  ["wrapped operations", { operationBody: "wrapped" }],
  [
    "none of the undocumented routes",
    { listVariables: false, readService: false, servicePatch: "flat", rollback: false },
  ],
] as const;

describe.each(variants)("a service with %s", (_title, gaps) => {
  it("is planned, applied, updated and destroyed, and every plan after an apply is empty", async () => {
    const bench = createWorkbench({ emulator: { gaps } });
    const isQuiet = async () => {
      const { plan, diagnostics } = await bench.plan();
      expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
      expect(plan?.changes.filter(({ action }) => action !== "no-op").map(({ address }) => address)).toEqual(
        [],
      );
    };
    bench.write("rnv.yaml", shop("/a", "info"));
    expect((await bench.apply()).diagnostics).toEqual([]);
    await isQuiet();
    bench.write("rnv.yaml", shop("/b", "debug").replace(", OLD: gone-soon", ""));
    const updated = await bench.apply({ confirmedDeletes: ["variable.shop.api.OLD"] });
    expect(updated.diagnostics).toEqual([]);
    const [api] = bench.emulator.store.services();
    expect(api?.configuration.healthCheckPath).toBe("/b");
    const variables = bench.emulator.store.variables(api?.id ?? "");
    expect(variables.map(({ id, key }) => [key, bench.emulator.store.variableValue(id)])).toEqual([
      ["LOG_LEVEL", "debug"],
    ]);
    await isQuiet();
    const destroyed = await bench.apply({ mode: "destroy" });
    expect(destroyed.diagnostics).toEqual([]);
    expect(bench.emulator.store.projects()).toEqual([]);
    bench.remove();
  });
});
