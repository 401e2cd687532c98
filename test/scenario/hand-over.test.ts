import { approve, eachScenario } from "../support/cli";

const project = (name: string): string => `  ${name}:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/${name}" }
        variables: { LEVEL: info }
`;

/** Resources that another team's state takes over. */
describe("rnv state mv --to", () => {
  const scenario = eachScenario();
  const env = { RNV_STATE_KEY: "ab".repeat(32) };
  const run = (...args: readonly string[]) => scenario.runWith({ env }, ...args);
  const there = (...args: readonly string[]) => run("-chdir=there", ...args);
  beforeEach(async () => {
    scenario.write("rnv.yaml", `projects:\n${project("shop")}${project("payments")}`);
    expect(await run("apply", ...approve)).toMatchObject({ code: 0 });
    scenario.forget();
  });

  it("hands a project over with everything in it: both plans are empty, and nothing is written", async () => {
    const moved = await run("state", "mv", "--to", "there/.rnv/state.json", "project.payments");
    expect(moved).toMatchObject({ code: 0 });
    expect(moved.stdout).toContain("Handed 4 records over to a new state, ");
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

  it("prints the error of a manifest alone where it hands over to Terraform", async () => {
    scenario.write("rnv.yaml", "projects: { shop: { colour: red } }\n");
    const { code, stdout, stderr } = await run("terraform", "import-blocks", "--hcl");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.match(/^error\S*/gm)).toEqual(["error[manifest.unknown_key]:"]);
  });
});
