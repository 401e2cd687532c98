import { appendFileSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openScenario, type Scenario } from "../support/cli";

/** A workspace, its state and a saved plan as they lay on a disk before the sources were rearranged. */
const fixture = join(__dirname, "../support/stored");
const files = {
  "rnv.yaml": "rnv.yaml",
  "saved.plan": "saved.plan",
  "state.json": ".rnv/state.json",
  "state.key": ".rnv/state.key",
  "service.ndjson": ".rnv/emulator/journal.ndjson",
  "service.key": ".rnv/emulator/key",
};

describe("what an earlier rnv wrote", () => {
  let scenario: Scenario;
  const run = (...args: string[]) => scenario.runWith({ env: { RNV_BASE_URL: "embedded" } }, ...args);
  const isQuiet = async () =>
    expect(await run("plan", "-detailed-exitcode")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("No changes."),
    });
  const deploymentsOf = async (service: string): Promise<number> =>
    JSON.parse((await run("deployments", service, "-json")).stdout).deployments.length;
  beforeEach(async () => {
    scenario = await openScenario();
    mkdirSync(join(scenario.folder, ".rnv/emulator"), { recursive: true });
    for (const [from, to] of Object.entries(files))
      copyFileSync(join(fixture, from), join(scenario.folder, to));
  });
  afterEach(() => scenario.close());

  it("a state and a saved plan are read, shown and applied as they were meant", async () => {
    const listed = await run("state", "list");
    expect(listed.stdout.trim().split("\n")).toHaveLength(13);
    expect(await run("drift")).toMatchObject({ code: 0, stdout: expect.stringContaining("No drift") });
    const planned = await run("plan", "-confirm-delete", "service.old");
    const shown = await run("show", "saved.plan");
    expect(shown.code).toBe(0);
    // What was saved before plans had a digest shows none.
    expect(shown.stdout.trim()).toBe(planned.stdout.replace(/\n\nDigest: [0-9a-f]{64}\n$/, ""));
    expect(shown.stdout).toContain("Plan: 3 to add, 4 to change, 2 to destroy.");
    const applied = await run("apply", "saved.plan", "-input=false");
    expect(applied).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("3 added, 4 changed, 2 destroyed"),
    });
    await isQuiet();
  });

  it("a run that was killed after its deployment was sent is settled, and deploys once", async () => {
    copyFileSync(join(fixture, "state.json.journal"), join(scenario.folder, ".rnv/state.json.journal"));
    appendFileSync(
      join(scenario.folder, ".rnv/emulator/journal.ndjson"),
      readFileSync(join(fixture, "service-after.ndjson")),
    );
    const before = await deploymentsOf("service.shop.api");
    const applied = await run("apply", "-auto-approve", "-input=false", "-confirm-delete", "service.old");
    expect(applied).toMatchObject({ code: 0 });
    expect(await deploymentsOf("service.shop.api")).toBe(before);
    expect(before).toBe(2);
    await isQuiet();
  });
});
