import { countsOfStage, type DriftReport, type StageDrift, withoutOthers } from "../../../src/plan/drift";
import { statusOf } from "../../../src/report/ci/drift-job";
import { nameOfStage } from "../../../src/report/drift-report";
import { address } from "../../support/plan-fixture";

const report = (rest: Partial<DriftReport> = {}): DriftReport => ({
  ...{ drifted: [], missing: [], consequences: [], pending: [], running: [], unmanaged: [], undeclared: [] },
  ...{ unchecked: [], failOn: ["drifted", "missing", "unmanaged"], hasDrift: false },
  ...rest,
});
const stage = (rest: Partial<StageDrift>): StageDrift => ({
  ...{ exitCode: 0, seconds: 1, diagnostics: [] },
  ...rest,
});
const stranger = { type: "service", id: "x", name: "x" };
const shared = { type: "service", id: "s", name: "s" };

it("tells how a stage ended", () => {
  const found = [0, 2, 130, 1, 4].map((exitCode) => statusOf({ exitCode }));
  expect(found).toEqual(["clean", "drift", "interrupted", "error", "error"]);
  expect(statusOf({ exitCode: 1, report: report() })).toBe("expired");
});

it("names a stage, a stack, a stack of a stage, and nothing where there is but one", () => {
  const named = [{ stage: "production" }, { stack: "api" }, { stage: "production", stack: "api" }, {}];
  expect(named.map(nameOfStage)).toEqual(["production", "api", "production api", ""]);
});

it("counts what was found by class, and nothing of a stage that was not read", () => {
  const found = report({ missing: [address("service.a")], unmanaged: [stranger, shared] });
  expect(countsOfStage(stage({ report: found }))).toMatchObject({
    missing: 1,
    drifted: 0,
    unmanaged: 2,
    pending: 0,
  });
  expect(countsOfStage(stage({ exitCode: 1 }))).toBeUndefined();
});

describe("what another stage records", () => {
  const others = stage({ stage: "staging", report: report(), recordedIds: ["s"] });
  const own = (rest: Partial<DriftReport>, exitCode = 2): StageDrift =>
    stage({
      stage: "production",
      exitCode,
      report: report({ hasDrift: true, ...rest }),
      recordedIds: ["x"],
    });

  it("is not unmanaged: where nothing else was found the stage is clean", () => {
    const [found] = withoutOthers([own({ unmanaged: [shared] }), others]);
    expect(found).toMatchObject({ exitCode: 0, report: { unmanaged: [], hasDrift: false } });
  });

  it("leaves a stranger, which no other stage records", () => {
    const both = own({ unmanaged: [shared, stranger] });
    const [found] = withoutOthers([both, others]);
    expect(found).toMatchObject({ exitCode: 2, report: { unmanaged: [stranger], hasDrift: true } });
    // What a stage records itself is no other stage's.
    expect(withoutOthers([own({ unmanaged: [stranger] }), others])[0]).toMatchObject({ exitCode: 2 });
    expect(withoutOthers([both])[0]).toBe(both);
  });
});
