import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Walk } from "../../../src/terraform/walk";

describe("the walk of Terraform that a process serves", () => {
  const folder = mkdtempSync(join(tmpdir(), "rnv-walk-"));
  const path = join(folder, ".terraform", ".rnv", "validated");
  const process = (run = "one", at = path) => new Walk(at, run);
  /** A process that validates, to its end. */
  const validated = (run?: string, at?: string): void => {
    const walk = process(run, at);
    walk.note("ValidateResourceConfig");
    walk.end();
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it("plans after one that validated, and applies after one that planned", () => {
    validated();
    const plans = process();
    expect(plans.begin()).toBe(false);
    plans.note("ValidateResourceConfig");
    plans.note("PlanResourceChange");
    plans.end();
    expect(existsSync(path)).toBe(false);
    expect(process().begin()).toBe(true);
  });

  it("applies a saved plan, whatever another run validated meanwhile", () => {
    expect(process().begin()).toBe(true);
    validated("another");
    expect(process().begin()).toBe(true);
    expect(process("another").begin()).toBe(false);
  });

  it("is told apart in one process, to which Terraform attaches for each", () => {
    rmSync(path, { force: true });
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
    const file = join(folder, "file");
    writeFileSync(file, "");
    const beside = join(file, "validated");
    validated("one", beside);
    expect(process("one", beside).begin()).toBe(false);
  });
});
