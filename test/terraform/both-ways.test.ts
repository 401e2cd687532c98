import { join } from "node:path";
import { approve, oneScenario, openScenario } from "../support/cli";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const manifest = textIn(join(__dirname, "both-ways.yaml"));

/** What one engine manages is taken over by the other, without a change at the service. */
describeTerraform("a move between rnv and Terraform", () => {
  const world = new TerraformFolder();
  const scenario = oneScenario();
  const rnv = (...args: readonly string[]) =>
    scenario.runWith({ env: { RNV_BASE_URL: world.baseUrl } }, ...args);
  beforeAll(async () => {
    await world.openAttached();
    scenario.write("rnv.yaml", manifest.replace(", KEPT: { preserve: true }", ", KEPT: x"));
    const { code, stderr } = await rnv("apply", ...approve);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    scenario.write("rnv.yaml", manifest);
  });

  it("prints import blocks and the configuration: Terraform imports all of it and writes nothing", async () => {
    const plain = await rnv("terraform", "import-blocks");
    expect(plain.stdout.match(/^import \{/gm)).toHaveLength(7);
    expect(plain.stdout).not.toContain("resource");
    const { code, stdout } = await rnv("terraform", "import-blocks", "--hcl");
    expect(code).toBe(0);
    expect(stdout).not.toContain("dark");
    world.write(stdout);
    expect(await world.run("fmt -check -diff")).toBe("");
    world.emulator.resetLog();
    const applied = await world.apply();
    expect(applied).toContain("7 imported, 0 added");
    expect(applied).toContain("0 destroyed");
    expect(world.writes()).toEqual([]);
    await world.expectNoChanges();
    expect(world.writes()).toEqual([]);
    world.write(stdout.replace('"public"', '"dist"'));
    const changed = await world.run("plan");
    expect(changed).toContain("rnv_deployment.press_site will be updated in-place");
    world.write(stdout);
  }, 60_000);

  it("takes over what a Terraform state holds and the manifest declares: the plan is empty", async () => {
    const other = await openScenario();
    const env = { RNV_BASE_URL: world.baseUrl };
    const declared = manifest.replace("THEME: dark", "THEME: { preserve: true }");
    other.write("rnv.yaml", declared.slice(0, declared.indexOf("services:\n  2nd")));
    const state = world.state();
    // Both have the id of another resource.
    const { id: worker } = world.attributes("rnv_service", "press_worker");
    const { id: press } = world.attributes("rnv_project", "press");
    for (const [type, id] of Object.entries({ rnv_variables: worker, rnv_canvas_layout: press }))
      state.resources.push({
        mode: "managed",
        type,
        name: "more",
        instances: [{ attributes: { id } }],
      } as never);
    other.write("terraform.tfstate", JSON.stringify(state));
    world.emulator.resetLog();
    const taken = await other.runWith({ env }, "import", "--from-terraform-state", "terraform.tfstate");
    expect(taken).toMatchObject({ code: 0 });
    expect(taken.stdout).toContain("No changes. Your infrastructure matches the configuration.");
    expect(taken.stdout).toContain("Terraform manages 9 resources; 6 are recorded here now");
    for (const name of ["rnv_service._2nd-one", "rnv_variables.more", "rnv_canvas_layout.more"])
      expect(taken.stderr).toContain(`${name} is not declared here, or gone, and stays with Terraform`);
    expect(await other.runWith({ env }, "plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect((await other.runWith({ env }, "state", "list")).stdout).not.toContain("2nd-one");
    expect(world.writes()).toEqual([]);
  }, 60_000);

  it("refuses a file that is no Terraform state, and quotes none of it", async () => {
    scenario.write("broken.json", '{ "canary-1": ');
    const broken = await rnv("import", "--from-terraform-state", "broken.json");
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("this is no Terraform state of version 4");
    expect(broken.stderr).not.toContain("canary-1");
    scenario.write("other.json", JSON.stringify({ version: 4, resources: [] }));
    expect((await rnv("import", "--from-terraform-state", "other.json")).stderr).toContain(
      "holds no resource of rnv",
    );
    expect((await rnv("import", "service.press.site")).stderr).toContain("takes an address and an id");
  });
});
