import { attachedFolder, describeTerraform } from "../support/terraform";

describeTerraform("values that mean the same", () => {
  const world = attachedFolder();
  const { store } = world.emulator;
  const [project] = [store.addProject({ name: "Shop" })];
  const production = project.environments[0]?.id ?? "";
  const staging = store.addEnvironment(project.id, "Staging");
  const service = () => store.services().find(({ deletedAt }) => deletedAt === null);
  const write = (environment: string, projectId = `"${project.id}"`, more = "") =>
    world.write(
      `resource "rnv_service" "api" {\n name = "api"\n kind = "web"\n project_id = ${projectId}\n ${environment}\n}\n${more}`,
    );
  /** A value that is known once the plan is applied. */
  const later = (value: string) => `resource "terraform_data" "later" { input = "${value}" }\n`;
  const fromLater = "environment = terraform_data.later.output";

  it("an environment by name, by id or in another case of letters is no change", async () => {
    write("");
    await world.apply();
    const { id } = service() ?? {};
    world.emulator.resetLog();
    write(`environment = "Production"`);
    expect(await world.run("plan -detailed-exitcode", 2)).toContain("0 to add, 1 to change, 0 to destroy");
    await world.apply();
    for (const form of ["Production", "production", production, production.toUpperCase()]) {
      write(`environment = "${form}"`);
      await world.expectNoChanges();
    }
    // Only the text of the state is another one, and that of a project, too.
    write(`environment = "PRODUCTION"`, `"${project.id.toUpperCase()}"`);
    await world.run("plan -refresh=false -detailed-exitcode");
    expect(world.writes()).toEqual([]);
    expect(service()).toMatchObject({ id, environmentId: production });
  }, 60_000);

  it("an environment that was renamed in the dashboard is no change by its new name, and nothing is said of it", async () => {
    const rename = (from: string, to: string) => {
      const { environments = [] } = store.projects().find(({ id }) => id === project.id) ?? {};
      const renamed = environments.map((one) => (one.name === from ? { ...one, name: to } : one));
      store.editProject(project.id, { environments: renamed });
    };
    rename("Production", "Läden");
    expect(await world.run("plan", 1)).toContain('The project has no environment "PRODUCTION"');
    write(`environment = "läden"`);
    expect(await world.run("plan -detailed-exitcode")).not.toContain("was changed here and outside");
    rename("Läden", "Production");
    write(`environment = "production"`);
    await world.apply();
  }, 60_000);

  it("an environment that is not known before apply is no replacement, and stops the apply where it would replace", async () => {
    const { id } = service() ?? {};
    write(fromLater, undefined, later("production"));
    await world.apply();
    await world.expectNoChanges();
    expect(service()?.id).toBe(id);

    world.emulator.resetLog();
    write(fromLater, undefined, later("staging"));
    const stopped = await world.told("apply -auto-approve", 1);
    expect(stopped).toContain("Provider produced inconsistent final plan");
    expect(stopped).toContain(
      "environment was unknown when the plan was made, and nothing was deleted. Then plan and apply again.",
    );
    expect(world.writes()).toEqual([]);
    // Now it is known: the plan shows the replacement.
    expect(await world.apply()).toContain("1 added, 0 changed, 1 destroyed");
    expect(service()).toMatchObject({ environmentId: staging.id });
    await world.expectNoChanges();
  }, 60_000);

  it("a service is known by its environment too, and a move of a service that declares none is a warning with the edit", async () => {
    const { id = "" } = service() ?? {};
    const moved = 'Service "api" is in the environment "Staging", and declares none';
    const told = async (code?: number) => await world.told("plan", code);
    write("");
    expect(await told()).toContain(moved);
    // The name is free in Production.
    const main = `resource "rnv_service" "main" {\n name = "api"\n kind = "web"\n project_id = "${project.id}"\n}\n`;
    write(`environment = "Staging"`, undefined, main);
    expect(await world.apply()).toContain("1 added, 0 changed");
    expect(await told()).not.toContain("declares none");
    const made = store.services().find((one) => one.environmentId === production);
    expect(made).toMatchObject({ name: "api", projectId: project.id });

    const data = `data "rnv_service" "api" {\n name = "api"\n project_id = "${project.id}"\n}\n`;
    write(`environment = "Staging"`, undefined, main + data);
    expect(await told(1)).toMatch(/2 rnv_service resources are called "api".*Choose one by its id: /);
    const another = main.replace('"main"', '"another"');
    const byName = `import {\n to = rnv_service.another\n id = "Shop/api"\n}\n${another}`;
    write(`environment = "Staging"`, undefined, main + byName);
    expect(await told(1)).toMatch(/2 rnv_service resources are called "api".*Import one by its id: /);

    const byId = byName.replace("Shop/api", id).replace("kind", 'environment = "Production"\n kind');
    write(`environment = "Staging"`, undefined, main + byId);
    expect(await told(1)).toContain(
      'Its environment is "Staging". What is not managed yet is never replaced: check the import ID.',
    );

    store.deleteServiceNow(id);
    store.editService(made?.id ?? "", () => ({ environmentId: staging.id }));
    world.settle();
    world.write(main);
    const output = await told();
    expect(output).toContain(moved);
    expect(output).toContain('To keep it there, set environment = "Staging"');
    expect(output).toContain("No changes.");
    world.write(main.replace("kind", 'environment = "staging"\n kind'));
    expect(await world.apply()).not.toContain("declares none");
    await world.expectNoChanges();
    expect(store.services()).toMatchObject([{ id: made?.id }]);
    world.write(
      `${main.replace("kind", 'environment = "staging"\n kind').replaceAll('"main"', '"api"')}\nmoved {\n from = rnv_service.main\n to = rnv_service.api\n}\n`,
    );
    await world.apply();
  }, 60_000);

  it("a project that is not known before apply replaces nothing", async () => {
    const { id } = service() ?? {};
    const data = (text: string) =>
      `${later(text)}data "rnv_project" "shop" {\n name = "Shop"\n depends_on = [terraform_data.later]\n}\n`;
    write(`environment = "staging"`, "data.rnv_project.shop.id", data("moves"));
    expect(await world.run("plan")).not.toContain("must be replaced");
    await world.apply();
    expect(service()?.id).toBe(id);
    const other = `resource "rnv_project" "other" { name = "Other" }\n`;
    write("", "rnv_project.other.id", other);
    await world.run("apply -auto-approve", 1);
    expect(service()?.id).toBe(id);
    expect(await world.apply()).toContain("1 added, 0 changed, 1 destroyed");
    expect(service()?.id).not.toBe(id);
    await world.expectNoChanges();
  }, 60_000);
});
