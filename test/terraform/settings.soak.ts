import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeTerraform, TerraformFolder } from "../support/terraform";

/** What a person reads, without the frame that Terraform draws. */
const unframed = (output: string): string => output.replace(/[\s│╷╵]+/g, " ");

describeTerraform("a configuration as one value, and what must not be deleted", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const api = () => emulator.store.services()[0];

  const module = `
variable "configuration" { type = any }
variable "protected" {
  type    = bool
  default = null
}
variable "kind" { default = "web" }
terraform {
  required_providers { rnv = { source = "rnv/rnv" } }
}
resource "rnv_service" "this" {
  name                = "api"
  kind                = var.kind
  settings            = var.configuration
  deletion_protection = var.protected
}
`;
  const call = (configuration: string, more = "") =>
    world.write(`
variable "api" {
  type = object({ repository = string, branch = optional(string), replicas = optional(string) })
  default = { repository = "https://git.example.com/shop/api", replicas = "2" }
}
module "api" {
  source        = "./service"
  configuration = ${configuration}
  ${more}
}
`);
  const refused = async (args = "plan -input=false"): Promise<string> => unframed(await world.run(args, 1));

  beforeAll(async () => {
    await world.openAttached();
    mkdirSync(join(world.folder, "w/service"));
    writeFileSync(join(world.folder, "w/service/main.tf"), module);
    call("var.api");
    await world.run("get");
  });
  afterAll(() => world.close());

  it("is passed on by a module as it was given, nulls and numbers in quotes too", async () => {
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

  it("takes back what is no longer in it, and drift of a field is seen", async () => {
    emulator.store.editConfiguration(api()?.id ?? "", { replicas: 5 });
    call("var.api");
    const output = await world.apply();
    expect(output).toMatch(/replicas += "5" -> "2"/);
    expect(api()?.configuration).toMatchObject({ branch: "main", replicas: 2 });
    await world.expectNoChanges();
  }, 60_000);

  it("shows nothing of it that is sensitive: not in a plan, of a change or of drift, nor in the state's text", async () => {
    const secret = "npm run hidden-canary";
    call(`merge(var.api, { start_command = sensitive("${secret}") })`);
    const created = await world.run("plan -input=false");
    expect(created).toMatch(/settings += \(sensitive value\)|start_command += \(sensitive value\)/);
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

  it("makes anew, as it is given now, what is replaced while a field goes", async () => {
    call(`merge(var.api, { branch = "release" })`);
    await world.apply();
    call("var.api", `kind = "worker"`);
    expect(await world.apply()).toContain("1 added, 0 changed, 1 destroyed");
    expect(api()).toMatchObject({ kind: "worker", configuration: { branch: "main", replicas: 2 } });
    await world.expectNoChanges();
    call("var.api");
    await world.apply();
    await world.expectNoChanges();
  }, 60_000);

  it("refuses a field that is none, a value that does not fit, and both forms at once", async () => {
    call(`{ repository = "https://git.example.com/shop/api", replica = 2, port = "many" }`);
    const output = await refused();
    expect(output).toContain('There is no field "replica" in settings');
    expect(output).toContain('Did you mean "replicas"?');
    expect(output).toContain("settings.port: expected a number");
    // The line in the module, not that of the resource.
    expect(output).toMatch(
      /on service\/main\.tf line \d+, in resource "rnv_service" "this": \d+: settings += var\.configuration/,
    );
    call("[1]");
    expect(await refused()).toContain("settings: expected an object");
    world.write(`
resource "rnv_service" "both" {
  name     = "both"
  kind     = "web"
  settings = { branch = "main" }
  configuration {
    replicas = 2
  }
}
`);
    expect(await refused()).toContain("Both settings and the block configuration are set");
  }, 60_000);

  it("says in the plan that ignore_changes keeps the block beside it", async () => {
    const kept = (body: string) =>
      world.write(
        `resource "rnv_service" "kept" {\n  name = "kept"\n  kind = "web"\n  ${body}\n  lifecycle { ignore_changes = [configuration] }\n}\n`,
      );
    const target = "-target=rnv_service.kept";
    kept("configuration {\n    replicas = 2\n  }");
    await world.apply(target);
    kept('settings = { branch = "next" }');
    const output = await refused(`plan -input=false ${target}`);
    expect(output).toContain("Both settings and the block configuration are set");
    expect(output).toContain("Take settings and configuration out of ignore_changes");
    world.write("");
    await world.apply(target);
  }, 60_000);

  it("null stands for nothing, beside a block too", async () => {
    world.write(`
variable "none" {
  type    = string
  default = null
}
resource "rnv_service" "both" {
  name     = "both"
  kind     = "web"
  settings = var.none
  configuration {
    replicas = 2
  }
}
`);
    expect(await world.run("plan -input=false")).toContain("1 to add");
  }, 60_000);

  it("may stand beside a block in which nothing is set, as a module has it that takes both", async () => {
    const both = (settings: string, block: string) =>
      world.write(`
resource "terraform_data" "later" { input = ${settings} }
resource "rnv_service" "both" {
  name     = "both"
  kind     = "web"
  settings = terraform_data.later.output
  ${block}
}
`);
    const empty = "configuration {\n    replicas = null\n  }";
    const branch = () => emulator.store.services().find(({ name }) => name === "both")?.configuration.branch;
    both('{ branch = "one" }', empty);
    await world.apply();
    expect(branch()).toBe("one");
    await world.expectNoChanges();
    emulator.store.editConfiguration(
      emulator.store.services().find(({ name }) => name === "both")?.id ?? "",
      {
        branch: "drift",
      },
    );
    both('{ branch = "two" }', "configuration {}");
    await world.apply();
    expect(branch()).toBe("two");
    await world.expectNoChanges();
    for (const block of ["", empty]) {
      both('{ branch = "two" }', block);
      emulator.resetLog();
      await world.apply();
      expect(world.writes()).toEqual([]);
      await world.expectNoChanges();
    }
    both('{ branch = "three" }', "configuration {\n    replicas = 2\n  }");
    expect(await refused("apply -auto-approve")).toContain(
      "Both settings and the block configuration are set",
    );
    both('{ branch = "four", replicas = 2 }', "");
    await world.apply();
    // Refused: the state stays in the form that it had.
    world.emulator.setFaults((_index, { method }) =>
      method === "PATCH" ? { kind: "status", status: 400, code: "invalid_value" } : undefined,
    );
    both("null", 'configuration {\n    branch = "five"\n  }');
    await world.run("apply -auto-approve", 1);
    world.emulator.setFaults(undefined);
    expect(branch()).toBe("four");
    await world.apply();
    expect(branch()).toBe("five");
    await world.expectNoChanges();
    both("null", "configuration {\n    replicas = 2\n  }");
    await world.apply();
    expect(branch()).toBe("main");
    await world.expectNoChanges();
    world.write("");
    await world.apply();
  }, 60_000);

  it("takes over what was imported: fields that it does not give stay, and the plan says so", async () => {
    const ipAllowList = ["10.0.0.0/8"];
    const { id } = emulator.store.addService({ name: "old", kind: "web", configuration: { ipAllowList } });
    const old = (fields: string) => `
import {
  to = rnv_service.old
  id = "old"
}
resource "rnv_service" "old" {
  name = "old"
  kind = "web"
  ${fields}
}
`;
    world.write(old('settings = { branch = "main" }'));
    emulator.resetLog();
    const said = /Fields that settings do not give stay as they are[\s\S]* ip_allow_list,/;
    expect(unframed(await world.apply())).toMatch(said);
    expect(world.writes()).toEqual([]);
    expect(await world.expectNoChanges()).not.toContain("stay as they are");
    expect(emulator.store.services().find((one) => one.id === id)?.configuration).toMatchObject({
      ipAllowList,
    });
    world.write("");
    await world.apply();
  }, 60_000);

  it("may depend on what is not known before apply", async () => {
    call(`merge(var.api, { branch = terraform_data.branch.output })`, `depends_on = [terraform_data.branch]`);
    const main = `resource "terraform_data" "branch" { input = "later" }`;
    writeFileSync(join(world.folder, "w/branch.tf"), main);
    await world.apply();
    expect(api()?.configuration.branch).toBe("later");
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
    await world.run("taint module.api.rnv_service.this");
    expect(await refused()).toContain(message("replace"));
    call("var.api", "protected = false");
    expect(await refused()).toContain(message("replace"));
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
