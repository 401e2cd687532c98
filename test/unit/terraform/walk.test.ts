import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Walk } from "../../../src/terraform/walk";

describe("the walk of Terraform that a process serves", () => {
  const home = mkdtempSync(join(tmpdir(), "rnv-walk-"));
  const folder = join(home, ".terraform", ".rnv");
  let pid = 0;
  const process = (run = "one", at = folder): Walk => {
    pid += 1;
    return new Walk({ folder: at, run, pid });
  };
  const words = () => readdirSync(folder).filter((name) => name.startsWith("validated"));
  /** A process that validates, to its end. */
  const validated = (run?: string, at?: string): void => {
    const walk = process(run, at);
    walk.note("ValidateResourceConfig");
    walk.end();
  };
  afterAll(() => rmSync(home, { recursive: true }));

  it("plans after one that validated, and applies after one that planned", () => {
    validated();
    const plans = process();
    expect(plans.begin()).toBe(false);
    plans.note("ValidateResourceConfig");
    plans.note("PlanResourceChange");
    plans.end();
    expect(words()).toEqual([]);
    expect(process().begin()).toBe(true);
  });

  it("plans for each of several provider blocks, whichever ends before the other begins", () => {
    validated();
    validated();
    const first = process();
    expect(first.begin()).toBe(false);
    first.note("PlanResourceChange");
    first.end();
    expect(process().begin()).toBe(false);
    expect([process().begin(), process().begin()]).toEqual([true, true]);
  });

  it("applies a saved plan, whatever another run validated meanwhile", () => {
    expect(process().begin()).toBe(true);
    validated("another");
    expect(process().begin()).toBe(true);
    expect(process("another").begin()).toBe(false);
  });

  it("leaves no word for long that nobody takes", () => {
    validated("alone");
    const [left = ""] = words();
    utimesSync(join(folder, left), 0, 0);
    validated();
    expect(words()).not.toContain(left);
    expect(process().begin()).toBe(false);
  });

  it("leaves how much it planned to the applies of its run, of one scope, until they end", () => {
    process().leavePlanned("scope", 3);
    process().leavePlanned("scope", 4);
    process().leavePlanned("other", Number.NaN);
    process("another").leavePlanned("scope", 1);
    const applies = process();
    expect([applies.planned("scope"), applies.planned("other"), applies.planned("third")]).toEqual([
      7,
      Number.NaN,
      undefined,
    ]);
    applies.forgetPlanned();
    expect([process().planned("scope"), process("another").planned("scope")]).toEqual([undefined, 1]);
  });

  it("is told apart in one process, to which Terraform attaches for each", () => {
    const attached = process();
    for (let command = 0; command < 2; command += 1) {
      attached.note("ValidateResourceConfig");
      expect(attached.begin()).toBe(false);
      attached.note("ValidateResourceConfig");
      attached.note("PlanResourceChange");
      expect(attached.begin()).toBe(true);
      attached.note("ValidateResourceConfig");
      attached.note("PlanResourceChange");
      attached.note("ApplyResourceChange");
    }
  });

  it("plans where nothing can be left behind: no create is sent there", () => {
    const file = join(home, "file");
    writeFileSync(file, "");
    validated("one", file);
    expect(process("one", file).begin()).toBe(false);
  });
});
