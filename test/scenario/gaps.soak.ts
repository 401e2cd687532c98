import type { EmulatorOptions } from "../../src/emulator/emulator";
import { approve, openScenario } from "../support/cli";

const shop = (health: string, level: string, old: string) => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", healthCheckPath: ${health} }
        variables: { LOG_LEVEL: ${level}${old} }
`;

const variants: readonly [string, NonNullable<EmulatorOptions["gaps"]>][] = [
  ["no route that lists variables", { listVariables: false }],
  ["no route that reads one service", { readService: false }],
  ["a flat body to change a service", { servicePatch: "flat" }],
  ["none of them", { listVariables: false, readService: false, servicePatch: "flat", errorBody: "nested" }],
];

describe.each(variants)("on a service with %s", (_, gaps) => {
  it("plan, apply, update and destroy work, and every plan in between is empty", async () => {
    const scenario = await openScenario({ gaps });
    scenario.write("rnv.yaml", shop("/a", "info", ", OLD: soon-gone"));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    await scenario.isQuiet();
    scenario.write("rnv.yaml", shop("/b", "debug", ""));
    const updated = await scenario.run("apply", ...approve, "--confirm-delete=variable.shop.api.OLD");
    expect(updated).toMatchObject({ code: 0 });
    const { store } = scenario.emulator;
    const [api] = store.services();
    expect(api?.configuration.healthCheckPath).toBe("/b");
    expect(store.variables(api?.id ?? "").map(({ id, key }) => [key, store.variableValue(id)])).toEqual([
      ["LOG_LEVEL", "debug"],
    ]);
    expect(store.deployments(api?.id ?? "")).toHaveLength(2);
    await scenario.isQuiet();
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
    expect(store.projects()).toEqual([]);
    await scenario.close();
  });
});

it("a change that a proxy answers with a page and 200 is no success, and is made by the next apply", async () => {
  const scenario = await openScenario();
  scenario.write("rnv.yaml", shop("/a", "info", ""));
  expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  scenario.fail(({ method, path }) =>
    method === "PATCH" && !path.includes("variables") ? { kind: "html", status: 200 } : undefined,
  );
  scenario.write("rnv.yaml", shop("/b", "info", ""));
  const { code, stderr } = await scenario.run("apply", ...approve);
  expect(code).not.toBe(0);
  expect(stderr).toContain("service.shop.api");
  scenario.fail();
  expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  expect(scenario.emulator.store.services()[0]?.configuration.healthCheckPath).toBe("/b");
  await scenario.isQuiet();
  await scenario.close();
});
