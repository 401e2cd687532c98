import { type ApprovalOptions, approvePlan, askablePlan } from "../../../src/cli/prompt";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import type { Plan } from "../../../src/plan/plan";
import { change, plan } from "../../support/plan-fixture";

const guard = { code: "guard.delete_unconfirmed", summary: "would be deleted", hint: "confirm" } as const;
const deletion = change("delete", "service.shop.worker", { name: "Worker 1", guard });
const other = change("delete", "project.old", { name: "Old", guard });
const creation = change("create", "service.shop.api");

/** Answers questions in turn; keeps what was asked and said. */
function answering(answers: readonly (string | undefined)[], rest: Partial<ApprovalOptions> = {}) {
  const asked: string[] = [];
  const said: string[] = [];
  const left = [...answers];
  const options: ApprovalOptions = {
    autoApprove: false,
    ask: async (question) => {
      asked.push(question);
      return left.shift();
    },
    say: (text) => said.push(text),
    ...rest,
  };
  return { asked, said, options };
}

const inMode = (mode: Plan["options"]["mode"], ...changes: Plan["changes"]) => {
  const made = plan(changes);
  return { ...made, options: { ...made.options, mode } };
};

async function refusal(approval: Promise<unknown>): Promise<DiagnosticsError> {
  const failure = await approval.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(failure instanceof DiagnosticsError)) throw new Error("it was not refused");
  return failure;
}

describe("approvePlan asked at a terminal", () => {
  it("approves with yes", async () => {
    const { options, asked } = answering(["yes"]);
    expect(await approvePlan(plan([creation]), options)).toEqual({ confirmedDeletes: [] });
    expect(asked[0]).toContain("Only 'yes' will be accepted");
  });

  it.each(["y", "Yes", "YES", "no", "", undefined])("takes %j as a no", async (answer) => {
    expect(await approvePlan(plan([creation]), answering([answer]).options)).toBeUndefined();
  });

  it("confirms a deletion by its exact live name, then asks for yes", async () => {
    const { options, asked } = answering(["Worker 1", "yes"]);
    const approval = await approvePlan(plan([creation, deletion]), options);
    expect(approval).toEqual({ confirmedDeletes: ["service.shop.worker"] });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("service.shop.worker");
  });

  it.each(["worker 1", "Worker 1 ", "worker", "service.shop.worker", "yes"])(
    "cancels everything when %j is typed three times for the name",
    async (answer) => {
      const { options, asked, said } = answering([answer, answer, answer, "Worker 1", "yes"]);
      expect(await approvePlan(plan([deletion]), options)).toBeUndefined();
      expect(asked).toHaveLength(3);
      expect(said.join("")).toContain('not "Worker 1"');
    },
  );

  it.each([[""], [undefined]])("cancels everything at once when the answer is %j", async (answer) => {
    const { options, asked } = answering([answer, "Worker 1", "yes"]);
    expect(await approvePlan(plan([deletion]), options)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it("asks again after a name that was mistyped", async () => {
    const { options, asked } = answering(["worker", "Wrker 1", "Worker 1", "yes"]);
    expect(await approvePlan(plan([deletion]), options)).toEqual({
      confirmedDeletes: ["service.shop.worker"],
    });
    expect(asked.slice(0, 3).filter((question) => question.includes("cannot be undone"))).toHaveLength(1);
  });

  it("says what is deleted with it, and not what goes with another", async () => {
    const parts = ["variable.shop.worker.A", "variable.shop.worker.B", "variable.shop.api.C"].map((at) =>
      change("delete", at, { withParent: true }),
    );
    const { options, asked } = answering(["Worker 1", "API", "yes"]);
    const api = change("delete", "service.shop.api", { name: "API", guard });
    await approvePlan(plan([deletion, api, ...parts]), options);
    expect(asked[0]).toContain("  Deleted with it: 2 variables.\n");
    expect(asked[1]).toContain("  Deleted with it: 1 variable.\n");
  });

  it("asks for each deletion", async () => {
    const { options, asked } = answering(["Worker 1", "Old", "yes"]);
    const approval = await approvePlan(inMode("destroy", deletion, other), options);
    expect(approval?.confirmedDeletes).toEqual(["service.shop.worker", "project.old"]);
    expect(asked[2]).toContain("destroy all");
  });

  it("asks for the names of a saved plan only: it was approved when it was made", async () => {
    const { options, asked } = answering(["Worker 1"], { isSaved: true });
    expect(await approvePlan(plan([deletion, creation]), options)).toEqual({
      confirmedDeletes: ["service.shop.worker"],
    });
    expect(asked).toHaveLength(1);
  });

  it("asks for names even with --auto-approve on apply, but not for yes", async () => {
    const { options, asked } = answering(["Worker 1"], { autoApprove: true });
    expect(await approvePlan(plan([deletion]), options)).toEqual({
      confirmedDeletes: ["service.shop.worker"],
    });
    expect(asked).toHaveLength(1);
  });

  it("does not let a name from the service write on the terminal", async () => {
    const hostile = change("delete", "service.shop.x", { name: "a\u001b[2J\u009b1mb", guard });
    const { options, asked } = answering([undefined]);
    await approvePlan(plan([hostile]), options);
    expect(asked.join("")).not.toMatch(/\p{Cc}(?<!\n)/u);
  });
});

describe("approvePlan where nobody can answer", () => {
  const mute = { ask: undefined };

  it("approves with --auto-approve", async () => {
    const { options } = answering([], { ...mute, autoApprove: true });
    expect(await approvePlan(plan([creation]), options)).toEqual({ confirmedDeletes: [] });
  });

  it("refuses without it with exit code 1", async () => {
    const { exitCode, diagnostics } = await refusal(
      approvePlan(plan([creation]), answering([], mute).options),
    );
    expect(exitCode).toBe(1);
    expect(diagnostics[0]?.hint).toContain("--auto-approve");
  });

  it("refuses deletions on apply with exit code 4, even with --auto-approve", async () => {
    const { options } = answering([], { ...mute, autoApprove: true });
    const { exitCode, diagnostics } = await refusal(approvePlan(plan([deletion, other]), options));
    expect(exitCode).toBe(4);
    expect(diagnostics.map(({ address }) => address)).toEqual(["service.shop.worker", "project.old"]);
    expect(diagnostics[0]?.hint).toContain("--confirm-delete service.shop.worker");
  });

  it("refuses the deletions of a saved plan with exit code 4, of a destroy too, whatever is approved", async () => {
    for (const mode of ["apply", "destroy"] as const) {
      const { options } = answering([], { ...mute, autoApprove: true, isSaved: true });
      const { exitCode, diagnostics } = await refusal(approvePlan(inMode(mode, deletion, other), options));
      expect(exitCode).toBe(4);
      expect(diagnostics.map(({ hint }) => hint)).toEqual([
        expect.stringContaining("--confirm-delete service.shop.worker"),
        expect.stringContaining("--confirm-delete project.old"),
      ]);
    }
  });

  it("refuses a destroy without --auto-approve with exit code 1", async () => {
    const { exitCode, diagnostics } = await refusal(
      approvePlan(inMode("destroy", change("delete", "service.a")), answering([], mute).options),
    );
    expect(exitCode).toBe(1);
    expect(diagnostics[0]?.hint).toBe("Run it in a terminal, or add --auto-approve.");
  });
});

describe("askablePlan", () => {
  it("takes away the guards that the prompt asks about, and no others", () => {
    const kept = change("delete", "service.shop.db", {
      guard: { code: "guard.prevent_destroy", summary: "protected", hint: "" },
    });
    const shown = askablePlan(plan([deletion, kept]));
    expect(shown.changes.map((one) => one.guard?.code)).toEqual([undefined, "guard.prevent_destroy"]);
  });
});
