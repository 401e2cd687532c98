import { join } from "node:path";
import type { Acceptance } from "../../../src/model/acceptance";
import { acceptDrift } from "../../../src/plan/accepted-drift";
import type { DriftReport } from "../../../src/plan/drift";
import { textIn } from "../../support/rows";

const report: DriftReport = JSON.parse(textIn(join(__dirname, "accepted-drift.json")));
const entry = (address: string, more: Partial<Acceptance> = {}): Acceptance => ({
  ...{ address, until: "2026-12-31", endsAt: 1000, reason: "why", range: { file: "f", start: 0, end: 1 } },
  ...more,
});
const judge = (acceptances: readonly Acceptance[], stage?: string, now = 999) =>
  acceptDrift(report, acceptances, { now, stage });

describe("acceptDrift", () => {
  it("takes out fields, resources and what is not managed; a consequence goes with the last of its causes", () => {
    const one = judge([entry("service.shop.api", { attribute: "configuration.branch" })]);
    expect(one.report.drifted.map(({ fields }) => fields.map(({ path }) => path))).toEqual([
      ["configuration.port"],
      ["name"],
    ]);
    expect(one.report.accepted).toEqual([
      {
        class: "drifted",
        address: "service.shop.api",
        attribute: "configuration.branch",
        until: "2026-12-31",
        reason: "why",
      },
    ]);
    const group = judge([entry("service.shop.api", { attribute: "configuration" })]);
    expect(group.report.drifted).toMatchObject([{ address: "service.shop.web" }]);
    const two = judge([entry("service.shop.api"), entry("service.shop.worker")]);
    expect(two.report).toMatchObject({
      drifted: [{ address: "service.shop.web" }],
      missing: [],
      consequences: [{ because: ["service.shop.web"] }],
      hasDrift: true,
    });
    const all = judge([entry("service.shop.*"), entry("service.theirs"), entry("variable.shop.api.?")]);
    expect(all.report).toMatchObject({
      ...{ drifted: [], missing: [], consequences: [], unmanaged: [], pending: [], hasDrift: false },
    });
    expect(all.unused).toEqual([]);
  });

  it("lists a field once that has drifted and is pending", () => {
    const pending = report.drifted.map((one) => ({ ...one, action: "update" }) as const);
    const both = acceptDrift({ ...report, pending }, [entry("service.shop.web")], { now: 999 });
    expect(both.report.accepted).toMatchObject([{ class: "drifted", attribute: "name" }]);
  });

  it("a field that is named accepts no resource that is gone, and no other field", () => {
    const acceptances = [
      entry("service.shop.worker", { attribute: "name" }),
      entry("service.shop.web", { attribute: "nam" }),
    ];
    expect(judge(acceptances)).toMatchObject({ report, unused: acceptances });
  });

  it("an entry of another stage is neither used nor told of; an entry that has ended accepts nothing and is", () => {
    const other = entry("*", { stage: "prod-*" });
    expect(judge([other], "staging")).toMatchObject({ report, unused: [], expired: [] });
    expect(judge([other])).toMatchObject({ report, unused: [] });
    expect(judge([other], "prod-eu").report.hasDrift).toBe(false);
    expect(judge([entry("*")], undefined, 1000)).toMatchObject({
      report: { drifted: report.drifted, hasDrift: true },
      unused: [],
      expired: [{ address: "*" }],
    });
    expect(judge([other], "staging", 1000).expired).toEqual([]);
  });
});
