import type { SourceRange } from "../../../src/diagnostics/diagnostic";
import type { DataRead } from "../../../src/model/data-source";
import type { Desired, DesiredData } from "../../../src/model/desired";
import type { LiveResource } from "../../../src/model/live";
import type { Reference } from "../../../src/model/value";
import { type DesiredValue, type Plain, Template } from "../../../src/model/value";
import { fillData } from "../../../src/plan/data";
import { makePlan } from "../../../src/plan/make-plan";
import { at, declare, desiredOf, type options, range, reference, World } from "../../support/plan-world";

const api = at("data.shop.rnv_service.api");
const catalog = at("data.shop.rnv_catalog.c");

const source = (address = api, more: Partial<DesiredData> = {}): DesiredData => ({
  address,
  owner: `shop/${address.split(".").at(-1)}`,
  query: new Map(),
  dependsOn: [],
  range,
  ...more,
});

const found = (values: Readonly<Record<string, Plain>>): DataRead => ({ kind: "found", values });

const reads = new Map<typeof api, DataRead>([
  [api, found({ id: "1", url: "https://a", healthStatus: null, configuration: { port: 8000 } })],
  [
    catalog,
    found({ regions: [{ id: "eu" }], plans: [{ memoryMb: 512 }], capabilities: { workerOnline: true } }),
  ],
]);

const desired = (value: DesiredValue, more: Partial<Desired> = {}): Desired =>
  desiredOf([declare("service.docs", { "configuration.startCommand": value })], {
    data: new Map([source(), source(catalog)].map((one) => [one.address, one])),
    ...more,
  });

function filled(value: DesiredValue) {
  const { desired: result, uses } = fillData(desired(value), reads);
  return {
    value: result.resources.get(at("service.docs"))?.attributes.get("configuration.startCommand")?.value,
    problems: uses.flatMap(({ problems }) => problems.map(({ summary }) => summary)),
  };
}

describe("the values of data sources", () => {
  it.each([
    [reference(api, "url"), "https://a"],
    [reference(api, "configuration.port"), "8000"],
    [reference(catalog, "regions.0.id"), "eu"],
    [reference(catalog, "plans.0.memory_mb"), "512"],
    [reference(catalog, "capabilities.workerOnline"), "true"],
    [new Template(["see ", { address: api, attribute: "url" }, "/v1"], false), "see https://a/v1"],
    ["plain", "plain"],
  ])("stand in place of references to them, as text", (value, expected) => {
    expect(filled(value)).toEqual({ value: expected, problems: [] });
  });

  it("leave references to resources beside them as they are", () => {
    const other = { address: at("service.other"), attribute: "url" };
    const { value } = filled(new Template([{ address: api, attribute: "id" }, " ", other], false));
    expect((value as Template).parts.filter((part) => typeof part !== "string")).toEqual([other]);
  });

  it("that are null count as left out, and are not allowed inside text", () => {
    expect(filled(reference(api, "healthStatus"))).toEqual({ value: undefined, problems: [] });
    const inside = new Template(["is ", { address: api, attribute: "healthStatus" }], false);
    expect(filled(inside).problems).toEqual(["data.rnv_service.api.healthStatus has no value now"]);
  });

  it.each([
    [reference(catalog, "regions"), "data.rnv_catalog.c.regions is not a single value"],
    [reference(catalog, "regions.7.id"), "data.rnv_catalog.c.regions.7.id is not there"],
    [reference(catalog, "regions.length"), "data.rnv_catalog.c.regions.length is not there"],
  ])(
    "that no attribute can hold are errors at the reference, or at the value where that has no place",
    (value, problem) => {
      const at = (range: SourceRange | undefined) => {
        const [only] = (value as Template).references;
        const parts = [{ ...(only as Reference), ...(range && { range }) }];
        return fillData(desired(new Template(parts, false)), reads).uses.flatMap(({ problems }) => problems);
      };
      const own = { file: "stack.json", start: 7, end: 9 };
      expect(at(own)).toMatchObject([
        { summary: problem, range: own, attribute: "configuration.startCommand" },
      ]);
      expect(at(undefined)).toMatchObject([{ summary: problem, range, address: "service.docs" }]);
    },
  );

  it("that are null are null in an output, and what is wrong in one is said with its name", () => {
    const outputs = (of: Template) => new Map([["docs", { value: of, range }]]);
    const nothing = fillData(desired("x", { outputs: outputs(reference(api, "healthStatus")) }), reads);
    expect(nothing.desired.outputs.get("docs")?.value).toBeNull();
    const inside = new Template(["is ", { address: api, attribute: "healthStatus" }], false);
    const problems = fillData(desired("x", { outputs: outputs(inside) }), reads).uses.flatMap(
      (use) => use.problems,
    );
    expect(problems).toMatchObject([{ code: "plan.data_unusable", attribute: "outputs.docs" }]);
    expect(problems[0]).not.toHaveProperty("address");
  });

  it("inside the text of an output are a part of that text", () => {
    const text = new Template(["see ", { address: api, attribute: "url" }, "/v1"], false);
    const outputs = new Map([["docs", { value: text, range }]]);
    expect(fillData(desired("x", { outputs }), reads).desired.outputs.get("docs")?.value).toBe(
      "see https://a/v1",
    );
  });
});

describe("a plan with data sources", () => {
  const lost = { severity: "error", code: "live.data_missing", summary: "there is none" } as const;
  const failed = new Map<typeof api, DataRead>([[api, { kind: "failed", diagnostic: lost }]]);
  const codesOf = (chosen: Partial<typeof options>, wanted = desired(reference(api, "url"))): string[] => {
    const { desired: result, uses } = fillData(wanted, failed);
    const input = { ...new World().input(result, chosen), data: uses };
    return makePlan(input).diagnostics.map(({ code }) => code);
  };

  it("with a target asks only for those that the target needs, also by way of others", () => {
    const more = desiredOf(
      [
        declare("service.docs"),
        declare("service.front", { "configuration.startCommand": reference(catalog, "url") }),
      ],
      {
        data: new Map([
          [api, source()],
          [catalog, source(catalog, { query: new Map([["name", { value: reference(api, "url"), range }]]) })],
        ]),
      },
    );
    expect(codesOf({ targets: [at("service.docs")] }, more)).toEqual([]);
    expect(codesOf({ targets: [at("service.front")] }, more)).toEqual(["live.data_missing"]);
  });

  it("fails with one that finds what it replaces or deletes", () => {
    const world = new World();
    const declared = desiredOf([declare("service.docs"), declare("service.api")]);
    world.settle(declared);
    const live = world.live.get(world.id("service.api")) as LiveResource;
    const codes = (wanted: Desired, chosen: Partial<typeof options> = {}) => {
      const seen = new Map<typeof api, DataRead>([[api, { kind: "found", values: { id: live.id }, live }]]);
      const { desired: result, uses } = fillData({ ...wanted, data: new Map([[api, source()]]) }, seen);
      return makePlan({ ...world.input(result, chosen), data: uses }).diagnostics.map(({ code }) => code);
    };
    expect(codes(declared)).toEqual([]);
    expect(codes(declared, { replace: [at("service.api")] })).toEqual(["plan.data_deferred"]);
    expect(codes(desiredOf([declare("service.docs")]))).toEqual(["plan.data_deferred"]);
  });
});
