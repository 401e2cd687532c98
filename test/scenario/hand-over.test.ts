import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { approve, openScenario, type Scenario } from "../support/cli";

const project = (name: string): string => `  ${name}:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/${name}" }
        variables: { LEVEL: info }
`;

/** Resources that another team's state takes over. */
describe("rnv state mv --to", () => {
  let scenario: Scenario;
  const env = { RNV_STATE_KEY: "ab".repeat(32) };
  const run = (...args: readonly string[]) => scenario.runWith({ env }, ...args);
  const there = (...args: readonly string[]) => run("-chdir=there", ...args);
  beforeEach(async () => {
    scenario = await openScenario();
    mkdirSync(join(scenario.folder, "there"));
    scenario.write("rnv.yaml", `projects:\n${project("shop")}${project("payments")}`);
    expect(await run("apply", ...approve)).toMatchObject({ code: 0 });
    scenario.forget();
  });
  afterEach(() => scenario.close());

  it("hands a project over with everything in it: both plans are empty, and nothing is written", async () => {
    const moved = await run("state", "mv", "--to", "there/.rnv/state.json", "project.payments");
    expect(moved).toMatchObject({ code: 0 });
    expect(moved.stdout).toContain("Handed 4 records over");
    scenario.write("rnv.yaml", `projects:\n${project("shop")}`);
    scenario.write("there/rnv.yaml", `projects:\n${project("payments")}`);
    expect(await run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect(await there("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect((await there("state", "list")).stdout).toContain("variable.payments.api.LEVEL");
    expect((await run("state", "list")).stdout).not.toContain("payments");
    // And back again, into a state that is there already.
    expect(await there("state", "mv", "--to", "../.rnv/state.json", "project.payments")).toMatchObject({
      code: 0,
    });
    scenario.write("rnv.yaml", `projects:\n${project("shop")}${project("payments")}`);
    expect(await run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
  });

  it("refuses what cannot be handed over, and changes neither state", async () => {
    const before = scenario.read(".rnv/state.json");
    const to = ["state", "mv", "--to", "there/.rnv/state.json"] as const;
    const part = await run(...to, "service.payments.api");
    expect(part.code).toBe(1);
    expect(part.stderr).toContain("service.payments.api lies in project.payments, which stays here");
    const unknown = await run(...to, "project.paymets");
    expect(unknown.stderr).toContain('did you mean "project.payments"?');
    const same = await run("state", "mv", "--to", ".rnv/state.json", "project.payments");
    expect(same.stderr).toContain("is the state that they are in");
    const keyless = await scenario.run("-chdir=there", "state", "mv", "--to", "x.json", "project.payments");
    expect(keyless.code).toBe(1);
    const noKey = await scenario.run(...to, "project.payments");
    expect(noKey.code).toBe(1);
    expect(noKey.stderr).toContain("error[state.key_mismatch]");
    const one = await run("state", "mv", "project.payments");
    expect(one.stderr).toContain("takes two addresses");
    expect(scenario.read(".rnv/state.json")).toBe(before);
    expect(scenario.files().filter(({ path }) => path.endsWith("there/.rnv/state.json"))).toEqual([]);
  });
});
