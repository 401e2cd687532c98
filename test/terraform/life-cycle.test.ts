import { join } from "node:path";
import { withFields } from "../support/edited-answers";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

const shop = (configuration: string, more = "", kind = "web") =>
  textIn(join(__dirname, "life-cycle.tf"), { kind, more, configuration });

describeTerraform("the life of a project and a service", () => {
  const world = attachedFolder({ deploySeconds: 0, operationSeconds: 0 });
  const { emulator } = world;
  const only = () => {
    const [service, ...others] = emulator.store.services().filter(({ deletedAt }) => deletedAt === null);
    expect(others).toEqual([]);
    if (service === undefined) throw new Error("no service");
    return service;
  };

  it("a provider block that cannot be is refused by validate already", async () => {
    world.write(shop(""), "max_concurrency = 0");
    expect(await world.run("validate -no-color", 1)).toContain("max_concurrency: ");
  }, 30_000);

  it("a value for what the platform decides is refused by validate", async () => {
    world.write(shop("", `url = "https://elsewhere.example"`));
    expect(await world.run("validate -no-color", 1)).toContain("The platform decides url");
  }, 30_000);

  it("creates both, and sends only what is declared", async () => {
    world.write(shop(`branch = "develop"\n plan = "starter"\n replicas = 2`));
    await world.run("validate");
    await world.apply();
    const create = emulator.log.find(({ method, path }) => method === "POST" && path.endsWith("/services"));
    const configuration = { branch: "develop", plan: "starter", replicas: 2 };
    expect(Object(create?.body).configuration).toEqual(configuration);
    expect(only().configuration).toMatchObject({ branch: "develop", plan: "starter", replicas: 2 });
    await world.expectNoChanges();
  }, 30_000);

  it("corrects a declared field that was changed outside, and leaves the others alone", async () => {
    emulator.store.editConfiguration(only().id, { branch: "hotfix", port: 9000 });
    expect(await world.run("plan -detailed-exitcode", 2)).toMatch(/branch\s+= "hotfix" -> "develop"/);
    emulator.resetLog();
    await world.apply();
    expect(only().configuration).toMatchObject({ branch: "develop", port: 9000 });
    const patch = emulator.log.find(({ method }) => method === "PATCH");
    expect(patch?.body).toEqual({ configuration: { branch: "develop" } });
    await world.expectNoChanges();
  }, 30_000);

  it("takes a field that is no longer declared back to its default, and leaves a field that was changed since", async () => {
    emulator.store.editConfiguration(only().id, { replicas: 5 });
    world.write(shop(`plan = "starter"`));
    expect(await world.run("plan -detailed-exitcode", 2)).toMatch(/branch\s+= "develop" -> "main"/);
    await world.apply();
    expect(only().configuration).toMatchObject({ branch: "main", replicas: 5, plan: "starter" });
    await world.expectNoChanges();
  }, 30_000);

  it("takes a field back to its default where the provider block, and with it the default, is not known before apply", async () => {
    world.write(shop(`plan = "starter"\n branch = "develop"`));
    await world.apply();
    const later = `resource "terraform_data" "later" { input = false }\n`;
    world.write(shop(`plan = "starter"`) + later, "deletion_protection = terraform_data.later.output");
    await world.apply();
    expect(only().configuration.branch).toBe("main");
  }, 30_000);

  it("renames in place", async () => {
    const { id } = only();
    world.write(shop(`plan = "starter"`).replace(`"api"\n  kind`, `"backend"\n  kind`));
    await world.apply();
    expect(only()).toMatchObject({ id, name: "backend" });
    await world.expectNoChanges();
    world.write(shop(`plan = "starter"`));
    await world.apply();
  }, 30_000);

  it("archives and restores, also what was archived outside", async () => {
    world.write(shop(`plan = "starter"`, "archived = true"));
    await world.apply();
    expect(only().archived).toBe(true);
    await world.expectNoChanges();
    world.write(shop(`plan = "starter"`));
    await world.apply();
    expect(only().archived).toBe(false);
    await world.expectNoChanges();
    emulator.store.editService(only().id, () => ({ archived: true }));
    expect(await world.run("plan -detailed-exitcode", 2)).toMatch(/archived += true -> false/);
    await world.apply();
    expect(only().archived).toBe(false);
  }, 30_000);

  it("replaces the service when its kind changes", async () => {
    const { id } = only();
    world.write(shop(`plan = "starter"`, "", "worker"));
    const plan = await world.run("plan -detailed-exitcode", 2);
    expect(plan).toContain("1 to add, 0 to change, 1 to destroy");
    expect(plan).toMatch(/kind\s+= "web" -> "worker" # forces replacement/);
    await world.apply();
    expect(only()).toMatchObject({ kind: "worker", name: "api" });
    expect(only().id).not.toBe(id);
    await world.expectNoChanges();
  }, 30_000);

  it("destroys everything, service before project", async () => {
    emulator.resetLog();
    await world.run("destroy -auto-approve");
    expect(world.writes().map((write) => write.replace(/[0-9a-f-]{36}/, "ID"))).toEqual([
      "DELETE /services/ID",
      "DELETE /projects/ID",
    ]);
    expect(emulator.store.projects()).toEqual([]);
  }, 30_000);

  it("creates again what was destroyed a moment ago", async () => {
    await world.apply();
    expect(only().kind).toBe("worker");
    await world.run("destroy -auto-approve");
  }, 30_000);

  it("warns of what a create sends and the service does not take", async () => {
    emulator.setFaults((_, { method }) => (method === "POST" ? withFields({ replicas: 2 }) : undefined));
    world.write(shop("replicas = 3"));
    const created = await world.run("apply -auto-approve");
    emulator.setFaults(undefined);
    expect(created).toMatch(/Warning: The platform accepted the change, but configuration\.replicas did not/);
    await world.expectNoChanges();
  }, 30_000);
});
