import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

/** What a person reads, without the frame that Terraform draws. */

describeTerraform("a configuration that a module passes on, and what must not be deleted", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const api = () => emulator.store.services()[0];

  const module = textIn(join(__dirname, "passed-on.tf"));
  const call = (configuration: string, more = "") =>
    world.write(textIn(join(__dirname, "modules.tf"), { configuration, more }));
  const refused = async (args = "plan -input=false"): Promise<string> => await world.told(args, 1);

  beforeAll(async () => {
    await world.openAttached();
    mkdirSync(join(world.folder, "w/service"));
    writeFileSync(join(world.folder, "w/service/main.tf"), module);
    call("var.api");
    await world.run("get");
  });

  it("is passed on field by field, nulls and numbers in quotes too", async () => {
    await world.apply();
    expect(api()?.configuration).toMatchObject({
      repository: "https://git.example.com/shop/api",
      replicas: 2,
    });
    await world.expectNoChanges();
    call(`merge(var.api, { branch = "release" })`);
    emulator.resetLog();
    expect(await world.apply()).toContain("0 to destroy");
    expect(world.writes()).toHaveLength(1);
    expect(api()?.configuration.branch).toBe("release");
    await world.expectNoChanges();
  }, 60_000);

  it("shows nothing of it that is sensitive: not in a plan, of a change or of drift, nor in the state's text", async () => {
    const secret = "npm run hidden-canary";
    call(`merge(var.api, { start_command = sensitive("${secret}") })`);
    const created = await world.run("plan -input=false");
    expect(created).toMatch(/start_command += \(sensitive value\)/);
    expect(created + (await world.apply())).not.toContain("hidden-canary");
    expect(api()?.configuration.startCommand).toBe(secret);
    await world.expectNoChanges();
    expect(await world.run("show")).not.toContain("hidden-canary");
    emulator.store.editConfiguration(api()?.id ?? "", { startCommand: "npm run other-canary", replicas: 4 });
    const drifted = await world.run("plan -input=false");
    expect(drifted).toContain("1 to change");
    expect(drifted).not.toContain("canary");
    await world.apply();
    expect(api()?.configuration).toMatchObject({ startCommand: secret, replicas: 2 });
    await world.expectNoChanges();
    call("var.api");
    expect(await world.run("plan -input=false")).not.toContain("canary");
    await world.apply();
    expect(api()?.configuration.startCommand).toBe("");
    await world.expectNoChanges();
    // A map of texts, all of it sensitive.
    call(`sensitive(tomap({ repository = "https://git.example.com/canary", replicas = "3" }))`);
    const whole = await world.apply();
    emulator.store.editConfiguration(api()?.id ?? "", { repository: "https://git.example.com/other-canary" });
    expect(whole + (await world.run("plan -input=false"))).not.toContain("canary");
    call("var.api");
    await world.apply();
    await world.expectNoChanges();
  }, 60_000);

  it("deletion_protection refuses to delete and to replace, at plan time, until it was applied as false", async () => {
    emulator.resetLog();
    call("var.api", "protected = true");
    await world.apply();
    const sent = world.writes();
    const message = (verb: string) => `This plan would ${verb} the service "api"`;
    expect(await refused("plan -destroy")).toContain(message("delete"));
    expect(await refused("plan -replace=module.api.rnv_service.this")).toContain(message("replace"));
    // Terraform plans what is tainted as a create, and does not tell: the apply refuses its deletion.
    await world.run("taint module.api.rnv_service.this");
    for (const own of ["true", "false"]) {
      call("var.api", `protected = ${own}`);
      expect(await refused("apply -auto-approve")).toContain(message("delete"));
    }
    await world.run("untaint module.api.rnv_service.this");
    call("var.api", `protected = true\n  kind = "worker"`);
    expect(await refused()).toContain(message("replace"));
    call("var.api", `protected = false\n  kind = "worker"`);
    expect(await refused()).toContain(message("replace"));
    world.write("");
    const removed = await refused("apply -auto-approve");
    expect(removed).toContain(message("delete"));
    expect(removed).toContain("Set deletion_protection = false and apply that");
    expect(world.writes()).toEqual(sent);
    call("var.api", "protected = false");
    emulator.resetLog();
    await world.apply();
    expect(world.writes()).toEqual([]);
    await world.run("destroy -auto-approve");
    expect(emulator.store.services()).toEqual([]);
  }, 120_000);
});
