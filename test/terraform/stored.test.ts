import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { casesIn } from "../support/rows";
import { copyStoredService, storedFolder } from "../support/stored-world";
import { describeTerraform, TerraformFolder } from "../support/terraform";

/** Folder below `terraform/`, file of the state, and the resources in it. */
const states: readonly (readonly [folder: string, file: string, resources: readonly string[]])[] = casesIn(
  join(__dirname, "stored-states.json"),
);

/** A folder with a stored state, its service and its configuration. */
async function storedWorld(folder: string, file: string) {
  const data = copyStoredService(join("terraform", folder));
  const world = await new TerraformFolder({ folder: data }).openAttached();
  const stored = join(storedFolder, "terraform", folder);
  copyFileSync(join(stored, "main.tf"), join(world.folder, "w/main.tf"));
  copyFileSync(join(stored, file), join(world.folder, "w/terraform.tfstate"));
  return world;
}

describeTerraform("a Terraform state of version 0.1", () => {
  it.each(states)(
    "in %s (%s) plans to nothing or stops with one sentence, and nothing is written",
    async (folder, file, resources) => {
      const world = await storedWorld(folder, file);
      expect((await world.run("state list")).trim().split("\n")).toEqual(resources);
      const plan = await world.start("plan", "-input=false", "-detailed-exitcode");
      expect([
        { code: 0, sentences: [] },
        { code: 1, sentences: [expect.any(String)] },
      ]).toContainEqual({ code: plan.code, sentences: sentencesIn(plan.output) });
      const apply = await world.start("apply", "-auto-approve", "-input=false");
      expect([apply.code, sentencesIn(apply.output)]).toEqual([plan.code, sentencesIn(plan.output)]);
      if (plan.code === 0) {
        expect(apply.output).toContain("0 added, 0 changed, 0 destroyed");
        // Before, `terraform show` finds an attribute that has left the schema.
        await world.run("show");
      }
      expect(world.writes()).toEqual([]);
    },
    60_000,
  );

  it("has the fields of settings in the block configuration, and nothing is written", async () => {
    const world = await storedWorld("settings", "terraform.tfstate");
    const refused = await world.run("plan -input=false", 1);
    expect(refused).toContain('An argument named "settings" is not expected here.');
    const path = join(world.folder, "w/main.tf");
    const written = readFileSync(path, "utf8").replace("settings = {", "configuration {");
    writeFileSync(path, written.replace(/sensitive\((".*")\)/, "$1"));
    await world.expectNoChanges();
    // Only that the value is sensitive is new.
    writeFileSync(path, written);
    const output = await world.apply();
    expect(output).toContain("1 to change");
    expect(output.match(/^ {2,}[-+~] .*/gm)?.map((line) => line.trim())).toEqual([
      expect.stringMatching(/^~ update in-place( \(current -> planned\))?$/),
      '~ resource "rnv_service" "api" {',
      "~ configuration {",
      "~ start_command = (sensitive value)",
    ]);
    await world.expectNoChanges();
    expect(output + (await world.run("show"))).not.toContain("node server.js");
    expect(world.writes()).toEqual([]);
  }, 60_000);
});

/** Returns each summary of an error once: one for four resources is one sentence. */
const sentencesIn = (output: string): string[] => [
  ...new Set([...output.matchAll(/Error: (.*)/g)].map(([, sentence = ""]) => sentence.trim())),
];
