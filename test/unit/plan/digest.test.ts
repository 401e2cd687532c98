import { compareWithRecord, isExpected, recordPlan } from "../../../src/plan/digest";
import { change, plan } from "../../support/plan-fixture";
import { key } from "../../support/plan-world";

describe("a record of a plan", () => {
  it("takes what a run left of it for the rest, until a run of it came to its end", () => {
    const made = { ...plan([change("create", "service.a")]), digest: "d" };
    const record = recordPlan(made, key);
    expect([isExpected(made, "d"), isExpected(made, "x")]).toEqual([true, false]);
    const gone = [{ address: "service.a", kind: "gone" }];
    const compare = (runs: { digest: string; exitCode?: number; command?: string }[], now = plan([])) =>
      compareWithRecord(record, now, { key, runs });
    expect(compare([{ digest: "d", exitCode: 3 }])).toEqual([]);
    expect(compare([{ digest: "d" }])).toEqual([]);
    const used = [{ address: "the plan", kind: "applied" }];
    expect(compare([{ digest: "d", exitCode: 0 }])).toEqual(used);
    expect(compare([{ digest: "x", exitCode: 3 }])).toEqual(gone);
    expect(compare([{ digest: "d", exitCode: 3 }], plan([change("create", "service.b")]))).toEqual([
      { address: "service.b", kind: "new" },
    ]);
    // Another plan was applied over what it left; an action on a service, or one that failed, changes no plan.
    const begun = { digest: "d", exitCode: 3 };
    expect(compare([{ digest: "x", exitCode: 0 }, begun])).toEqual(used);
    expect(compare([{ digest: "x", exitCode: 0, command: "restart" }, begun])).toEqual([]);
    expect(compare([{ digest: "x", exitCode: 5 }, begun])).toEqual([]);
  });

  it("counts for what ran since the review alone, as long as that is known", () => {
    const made = { ...plan([change("create", "service.a")]), digest: "d", lastRun: "r1" };
    const record = recordPlan(made, key);
    const compare = (...runs: { id: string; digest: string; exitCode: number }[]) =>
      compareWithRecord(record, made, { key, runs });
    const run = (id: string, digest = "d") => ({ id, digest, exitCode: 0 });
    expect(compare(run("r1"), run("r0"))).toEqual([]);
    expect(compare(run("r2"), run("r1"))).toMatchObject([{ kind: "applied" }]);
    const many = Array.from({ length: 50 }, (_, at) => run(`x${at}`, "x"));
    expect(compare(...many)).toMatchObject([{ kind: "forgotten" }]);
    expect(compare(...many, run("r1"))).toEqual([]);
  });
});
