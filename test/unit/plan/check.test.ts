import type { Address } from "../../../src/model/address";
import type { Finding, ResourceType } from "../../../src/model/resource-type";
import { checkData, checkDeclared, tellUnlisted } from "../../../src/plan/check";
import type { DataUse } from "../../../src/plan/data";
import type { Decision } from "../../../src/plan/decision";
import type { PlanInput } from "../../../src/plan/plan";
import { at, catalog, options, range } from "../../support/plan-world";
import {
  changesOf,
  decisionOf,
  decisionsOf,
  type InstanceGiven,
  liveOf,
  recordOf,
  typeWith,
} from "./fixtures";

const shop = at("project.shop");
const finding: Finding = {
  code: "plan.invalid_combination",
  summary: "no such plan",
  hint: "take another",
  attribute: "plan",
};

describe("what the catalog does not offer", () => {
  const found = (
    action: Parameters<typeof decisionOf>[0],
    given: InstanceGiven = {},
    more: Parameters<typeof decisionOf>[2] = {},
    findings: readonly Finding[] = [finding],
  ) => {
    const type = typeWith({ check: () => findings });
    return checkDeclared(decisionsOf(decisionOf(action, { type, declared: {}, ...given }, more)), catalog);
  };

  it("is a warning where it is there already, and nothing where nothing is sent", () => {
    for (const action of ["update", "adopt"] as const)
      expect(found(action, {}, { attributes: changesOf("name") })).toMatchObject([{ severity: "warning" }]);
    for (const action of ["no-op", "delete", "forget"] as const) expect(found(action)).toEqual([]);
    expect(found("update", {}, { lifecycle: changesOf("preventDestroy") })).toEqual([]);
  });
});

describe("what does not go with its neighbours", () => {
  const asked: unknown[] = [];
  const typeFinding = (...findings: readonly Finding[]) =>
    typeWith({
      checkSiblings: (_, offered, siblings) => {
        asked.push([offered, siblings.length]);
        return findings;
      },
    });
  const found = (
    action: Parameters<typeof decisionOf>[0],
    findings: readonly Finding[],
    given: InstanceGiven = { declared: {} },
  ) => checkDeclared(decisionsOf(decisionOf(action, { type: typeFinding(...findings), ...given })), catalog);
  const { attribute: _, ...plain } = finding;
  const mild: Finding = { ...plain, isWarning: true };

  it("is told in every plan, and a warning only where something is sent", () => {
    expect(found("no-op", [plain, mild])).toMatchObject([{ severity: "error" }]);
    expect(found("create", [plain, mild])).toMatchObject([{ severity: "error" }, { severity: "warning" }]);
    expect(found("delete", [plain], { removed: true, declared: {} })).toEqual([]);
    expect(found("delete", [plain], {})).toEqual([]);
  });

  it("is judged by what the service shows of it, or would offer, and by nothing where its parent is made with it", () => {
    const type = typeFinding();
    asked.length = 0;
    const inside = (given: InstanceGiven) =>
      decisionOf("no-op", { type, declared: {}, parent: shop, ...given });
    const parent = (action: "create" | "no-op") => decisionOf(action, { address: shop, declared: {} });
    checkDeclared(decisionsOf(inside({ live: liveOf({}, { offers: { a: [] } }) }), parent("no-op")), catalog);
    checkDeclared(
      decisionsOf(inside({ read: { kind: "absent", offers: { b: [] } } }), parent("no-op")),
      catalog,
    );
    checkDeclared(decisionsOf(inside({ read: { kind: "gone" } })), catalog);
    checkDeclared(
      decisionsOf(inside({ live: liveOf({}, { offers: { a: [] } }) }), parent("create")),
      catalog,
    );
    expect(asked.map((one) => (one as unknown[])[0])).toEqual([{ a: [] }, { b: [] }, undefined, {}]);
  });
});

describe("what no list of the service shows", () => {
  const archives = { attribute: "archived", unlisted: "archived services" };
  const type = typeWith({ archives });
  const made = (given: InstanceGiven = {}) =>
    decisionOf("create", { type, declared: { name: "api" }, ...given });
  const retained = (given: InstanceGiven = {}) =>
    decisionOf("no-op", {
      address: "service.old",
      type,
      recorded: recordOf({}, { id: "s9", retained: true }),
      ...given,
    });
  const told = (
    decisions: ReturnType<typeof decisionsOf>,
    chosen: Partial<PlanInput["options"]> = {},
    scope = new Set(decisions.keys()),
  ) => tellUnlisted({ options: { ...options, ...chosen } } as unknown as PlanInput, decisions, scope);

  it("may be doubled by a creation beside what is taken over", () => {
    expect(told(decisionsOf(made()), { adopt: true })).toMatchObject([
      {
        severity: "warning",
        code: "live.unlisted",
        summary: expect.stringContaining("archived services"),
        detail: expect.stringContaining("service.api"),
      },
    ]);
    expect(told(decisionsOf(made()))).toEqual([]);
    expect(told(decisionsOf(made({ recorded: recordOf({}) })), { adopt: true })).toEqual([]);
    expect(told(decisionsOf(made()), { adopt: true }, new Set())).toEqual([]);
    expect(told(decisionsOf(made({ type: typeWith() })), { adopt: true })).toEqual([]);
    const parent = (action: "adopt" | "no-op", given: InstanceGiven = {}) =>
      decisionOf(action, { address: shop, declared: {}, ...given });
    const inside = made({ parent: shop });
    const codes = (...decisions: readonly Decision[]) =>
      told(decisionsOf(...decisions)).map(({ code }) => code);
    expect(codes(inside, parent("adopt"))).toEqual(["live.unlisted"]);
    expect(codes(inside, parent("no-op", { recorded: recordOf({}, { writes: 0 }) }))).toEqual([
      "live.unlisted",
    ]);
    expect(codes(inside, parent("no-op", { recorded: recordOf({ name: "x" }, { writes: 0 }) }))).toEqual([]);
    expect(codes(inside, parent("no-op", { recorded: recordOf({}, { writes: 1 }) }))).toEqual([]);
    expect(codes(inside, parent("no-op"))).toEqual([]);
  });

  it("is named where it has the name of a creation in the same parent", () => {
    const told9 = told(decisionsOf(made(), retained()));
    expect(told9).toMatchObject([
      {
        ...{ severity: "warning", code: "plan.retained", address: "service.api", range },
        ...{
          detail: expect.stringContaining("s9"),
          hint: expect.stringContaining("from: service.old, to: service.api"),
        },
      },
    ]);
    const others = [
      retained({ recorded: recordOf({}, { retained: true, name: "web" }) }),
      retained({ recorded: recordOf({}, { retained: true, parent: shop }) }),
      retained({ recorded: recordOf({}) }),
      retained({ type: typeWith({ archives }) }),
      retained({ read: { kind: "gone" } }),
    ];
    for (const other of others) expect(told(decisionsOf(made(), other))).toEqual([]);
  });

  it("is left by a destroy, and by the deletion of what it is in", () => {
    const codes = (decisions: ReturnType<typeof decisionsOf>, ...args: [Partial<PlanInput["options"]>?]) =>
      told(decisions, ...args).map(({ code, summary }) => `${code} ${summary.includes("service.old")}`);
    expect(codes(decisionsOf(retained()), { mode: "destroy" })).toEqual(["plan.retained true"]);
    expect(codes(decisionsOf(retained()))).toEqual([]);
    const inside = retained({ parent: shop });
    expect(codes(decisionsOf(inside, decisionOf("delete", { address: shop })))).toEqual([
      "plan.retained true",
    ]);
    expect(codes(decisionsOf(inside, decisionOf("no-op", { address: shop })))).toEqual([]);
    expect(codes(decisionsOf(inside))).toEqual([]);
  });
});

describe("a data source", () => {
  const source = {
    address: at("data.shop.rnv_service.api"),
    owner: "shop/api",
    query: new Map(),
    dependsOn: [],
    range,
  };
  const use = (
    more: Partial<DataUse> & { readonly query?: object; readonly dependsOn?: readonly Address[] } = {},
  ): DataUse =>
    ({
      source: {
        ...source,
        ...(more.query && { query: new Map(Object.entries(more.query)) }),
        dependsOn: more.dependsOn ?? [],
      },
      problems: more.problems ?? [],
      usedBy: more.usedBy ?? new Set(),
      ...(more.found && { found: more.found }),
    }) as unknown as DataUse;
  const told = (
    one: DataUse,
    decisions = decisionsOf(),
    chosen: Partial<PlanInput["options"]> = {},
    scope = new Set<Address>(),
  ) =>
    checkData({ data: [one], options: { ...options, ...chosen } } as unknown as PlanInput, decisions, scope);
  const web = at("service.web");
  const decided = (action: Parameters<typeof decisionOf>[0], type?: ResourceType) =>
    decisionsOf(decisionOf(action, { address: web, ...(type && { type }), live: liveOf({}, { id: "s7" }) }));

  it("cannot be used once what it found is gone", () => {
    const found = use({ found: liveOf({}, { id: "s7" }) });
    for (const action of ["replace", "delete"] as const)
      expect(told(found, decided(action))).toMatchObject([{ code: "plan.data_deferred" }]);
    expect(told(found, decided("update"))).toEqual([]);
    expect(told(found, decided("delete", typeWith({ type: "project" })))).toEqual([]);
    expect(told(use({ found: liveOf({}, { id: "other" }) }), decided("delete"))).toEqual([]);
  });
});
