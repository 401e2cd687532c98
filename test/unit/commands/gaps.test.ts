import { gapSettings } from "../../../src/api/gap-rules";
import type { EmulatorOptions } from "../../../src/emulator/emulator";
import {
  bareAnswers,
  deepAnswers,
  environmentsOf,
  projectColors,
  silentAnswers,
  variablesAt,
  wrappedOperations,
} from "../../support/other-shapes";
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

const wrappedBody = '{"service": {"name": "{name}", "configuration": "{configuration}"}}';

const variants: readonly [string, EmulatorOptions, Settings][] = [
  ["with no route to list variables", { gaps: { listVariables: false } }, {}],
  ["with no route to read one service", { gaps: { readService: false } }, {}],
  ["with a flat PATCH body", { gaps: { servicePatch: "flat" } }, {}],
  ["with error bodies under error", { readings: { errorBody: "nested" } }, {}],
  ["with wrapped operations", { faults: wrappedOperations }, {}],
  [
    "with none of the undocumented routes",
    { gaps: { listVariables: false, readService: false, servicePatch: "flat", rollback: false } },
    {},
  ],
  [
    "that reads and lists at other paths",
    {
      gaps: { readService: "/apps/{serviceId}", listVariables: "/services/{serviceId}/env" },
      faults: variablesAt("data.list"),
    },
    {
      RNV_GAP_READ_SERVICE: "/apps/{serviceId}",
      RNV_GAP_LIST_VARIABLES: "/env",
      RNV_GAP_VARIABLE_ITEMS: "data.list",
    },
  ],
  [
    "that changes a service at another path, below another field, and takes no key there",
    {
      gaps: {
        servicePatch: "wrapped",
        servicePatchPath: "/services/{serviceId}/settings",
        routeKeys: "rejected",
      },
    },
    {
      RNV_GAP_PATCH_SERVICE: wrappedBody,
      RNV_GAP_PATCH_SERVICE_PATH: "/settings",
      RNV_GAP_ROUTE_KEYS: "off",
    },
  ],
  [
    "that changes a service by PUT",
    { gaps: { servicePatchMethod: "PUT" } },
    { RNV_GAP_PATCH_SERVICE_METHOD: "PUT" },
  ],
  [
    "that changes a service by POST at a path of its own",
    { gaps: { servicePatchMethod: "POST", servicePatchPath: "/services/{serviceId}/configure" } },
    { RNV_GAP_PATCH_SERVICE_METHOD: "POST", RNV_GAP_PATCH_SERVICE_PATH: "/configure" },
  ],
  [
    "that shows things deep in its answers",
    { faults: deepAnswers },
    { RNV_GAP_SERVICE_ANSWER: "data.item", RNV_GAP_VARIABLE_ANSWER: "data.item" },
  ],
  [
    "that ignores a body that it does not know",
    { gaps: { servicePatch: "ignored" } },
    { RNV_GAP_PATCH_SERVICE: wrappedBody },
  ],
  [
    "that has other names for the fields of a variable",
    { gaps: { variablePatch: ["title", "text"] } },
    { RNV_GAP_PATCH_VARIABLE: "title,text" },
  ],
  ["that has its variables in a field of another name", { faults: variablesAt("items") }, {}],
  [
    "that answers a list of variables that is the list",
    { faults: variablesAt(".") },
    { RNV_GAP_VARIABLE_ITEMS: "." },
  ],
  ["that says name and value for a variable", { gaps: { variablePatch: ["name", "value"] } }, {}],
  ["that shows things without a field around them", { faults: bareAnswers }, {}],
  ["that says of a change only that it was done", { faults: silentAnswers }, {}],
  [
    "that sends no replay header and takes no keys there",
    { gaps: { replayHeader: undefined, routeKeys: "ignored" } },
    {},
  ],
  [
    "that calls an environment's id and name, and Production, something else",
    { gaps: { productionName: "live" }, faults: environmentsOf("uuid", "title") },
    { RNV_GAP_ENVIRONMENT_RECORD: "uuid,title", RNV_GAP_PRODUCTION_ENVIRONMENT: "live" },
  ],
  ["that writes Production in small letters", { gaps: { productionName: "production" } }, {}],
  [
    "that has colors of its own",
    { faults: projectColors("slate", "sky") },
    { RNV_GAP_PROJECT_COLOR: "slate" },
  ],
];

describe.each(variants)("a service %s", (_title, emulator, env) => {
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
