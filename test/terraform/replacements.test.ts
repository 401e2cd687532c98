import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

const missing = "00000000-0000-4000-8000-00000000dead";

describeTerraform("a resource that is made", () => {
  const world = attachedFolder();
  const { store } = world.emulator;
  const project = store.addProject({ name: "Shop" });
  store.addEnvironment(project.id, "Staging");
  const shop = (fields: string) =>
    world.write(`resource "rnv_service" "api" {\n  name = "api"\n${fields}\n}\n`);
  const place = `  project_id = "${project.id}"\n`;
  const deleting = [store.addService({ name: "gone", kind: "web", projectId: project.id })].map((one) =>
    Object.assign(one, { deletionRequestedAt: new Date().toISOString(), archived: true }),
  );
  const services = () => store.services().filter((one) => one.deletedAt === null && one.name !== "gone");
  /** First line of each error or warning, with the line of `main.tf` that it points at. */
  const errors = (output: string, severity = "Error"): string[] =>
    [
      ...output.matchAll(
        new RegExp(
          `${severity}: (.*(?:\\n[^\\n]+)*?)\\n\\n(?: *with .*\\n)?(?: *on main\\.tf line \\d+.*\\n *\\d+: *(.*)\\n)`,
          "g",
        ),
      ),
    ].map(([, summary, line]) => `${summary?.replaceAll("\n", " ")} @ ${line ?? ""}`);

  it("is checked by the plan: ids, projects, environments and choices, each at its attribute", async () => {
    shop(`  kind = "web"\n  project_id = "shop"`);
    expect(errors(await world.run("validate", 1))).toEqual([
      'project_id: expected an id, which is a UUID @ project_id = "shop"',
    ]);
    shop(`${place}  kind = "web"\n  environment = "Stagign"`);
    const output = await world.run("plan", 1);
    expect(errors(output)).toEqual(['The project has no environment "Stagign" @ environment = "Stagign"']);
    expect(output).toContain('Did you mean "Staging"?');
    expect(world.writes()).toEqual([]);
  }, 60_000);

  it.each([
    ["service", "project", `name = "new"\n  kind = "web"`],
    ["variable", "service", `key = "A"\n  value = "1"`],
    ["variable", "service", `key = "A"\n  preserve = true`],
    ["variables", "service", `values = { A = "1" }`],
    ["deployment", "service", `triggers = { a = "1" }`],
    ["canvas_layout", "project", `positions = "auto"`],
  ])(
    "a new %s in a %s that does not exist is a warning of the plan, and an error of the apply before any write",
    async (type, parent, fields) => {
      world.write(`resource "rnv_${type}" "x" {\n  ${fields}\n  ${parent}_id = "${missing}"\n}\n`);
      const expected = [`The ${parent} ${missing} does not exist @ ${parent}_id = "${missing}"`];
      expect(errors(await world.run("plan"), "Warning")).toEqual(expected);
      world.emulator.resetLog();
      expect(errors(await world.run("apply -auto-approve", 1))).toEqual(expected);
      expect(world.writes()).toEqual([]);
      const [gone] = deleting;
      if (parent === "project" || gone === undefined) return;
      world.write(`resource "rnv_${type}" "x" {\n  ${fields}\n  service_id = "${gone.id}"\n}\n`);
      expect(errors(await world.run("plan", 1))).toEqual([
        `The service ${gone.id} is being deleted @ service_id = "${gone.id}"`,
      ]);
    },
    60_000,
  );

  it("a layout that goes to a project that does not exist is a warning of the plan", async () => {
    const layout = (id: string) =>
      world.write(`resource "rnv_canvas_layout" "x" {\n  project_id = "${id}"\n  positions = "auto"\n}\n`);
    layout(project.id);
    await world.apply();
    layout(missing);
    const expected = [`The project ${missing} does not exist @ project_id = "${missing}"`];
    expect(errors(await world.run("plan"), "Warning")).toEqual(expected);
    world.write("");
    await world.apply();
  }, 60_000);

  it("is checked by the plan in a replacement too: nothing is deleted for what cannot be created", async () => {
    shop(`${place}  kind = "web"`);
    await world.apply();
    const [{ id = "" } = {}] = services();
    for (const [fields, expected] of [
      [`${place}  kind = "wrker"`, 'Kind "wrker" does not exist @ kind = "wrker"'],
      [
        `${place}  kind = "web"\n  environment = "Nope"`,
        'The project has no environment "Nope" @ environment = "Nope"',
      ],
      [
        `  kind = "web"\n  project_id = "${missing}"`,
        `The project ${missing} does not exist @ project_id = "${missing}"`,
      ],
      [
        `${place}  kind = "worker"\n  configuration {\n    region = "mars"\n  }`,
        'Region "mars" does not exist @ region = "mars"',
      ],
    ] as const) {
      shop(fields);
      expect(errors(await world.run("apply -auto-approve", 1))).toEqual([expected]);
    }
    expect(services().map((one) => one.id)).toEqual([id]);
  }, 60_000);

  it("with create_before_destroy and the same name, nothing is destroyed: the create is refused", async () => {
    const [{ id = "" } = {}] = services();
    const first = "lifecycle {\n create_before_destroy = true\n}";
    shop(`${place}  kind = "worker"\n${first}`);
    const refused = await world.told("apply -auto-approve", 1);
    expect(refused).toContain('Service "api" already exists');
    expect(refused).toContain("replaced here with create_before_destroy: choose another name");
    expect(services().map((one) => one.id)).toEqual([id]);
    const map = `resource "rnv_variables" "v" {\n service_id = rnv_service.api.id\n values = { A = "1" }\n${first}\n}\n`;
    world.write(`resource "rnv_service" "api" {\n name = "api"\n${place}  kind = "web"\n}\n${map}`);
    await world.apply();
    const taken = await world.told("apply -auto-approve -replace=rnv_variables.v", 1);
    expect(taken).toContain('A: already in service "api"');
    expect(taken).toContain("replaced here with create_before_destroy: choose another key");
  }, 60_000);

  it("a project that holds services is not deleted, and the error says what to do with them", async () => {
    const shop = `resource "rnv_project" "full" { name = "Full" }\n`;
    world.write(shop);
    await world.apply();
    const full = store.projects().find(({ name }) => name === "Full");
    store.addService({ name: "api", kind: "web", projectId: full?.id });
    world.settle();
    const output = await world.run("apply -auto-approve -replace=rnv_project.full", 1);
    const refused = output.replace(/[\s│╷╵]+/g, " ");
    expect(refused).toContain('It holds the service "api"');
    expect(refused).toContain("Replace or destroy these too, or rename the project in place;");
    expect(refused).not.toContain("dashboard");
    await world.expectNoChanges();
    world.write(
      `${shop}import {\n to = rnv_service.api\n id = "Full/api"\n}\nresource "rnv_service" "api" {\n name = "api"\n kind = "web"\n project_id = rnv_project.full.id\n}\n`,
    );
    await world.apply();
    const both = await world.apply("-replace=rnv_project.full -replace=rnv_service.api");
    expect(both).toContain("2 added, 0 changed, 2 destroyed");
    await world.expectNoChanges();
    world.write("");
    await world.apply();
  }, 60_000);

  it("with create_before_destroy and another name, a deployment goes to the new service, and variables need a second apply", async () => {
    const write = (name: string, kind: string, more: string) =>
      world.write(
        `resource "rnv_service" "api" {\n name = "${name}"\n${place}  kind = "${kind}"\n configuration {\n repository = "https://git.example.com/shop/api"\n }\n` +
          ` lifecycle {\n create_before_destroy = true\n }\n}\n${more}`,
      );
    const deployment = (others = "") =>
      `resource "rnv_deployment" "api" {\n service_id = rnv_service.api.id\n triggers = { s = rnv_service.api.revision${others} }\n}\n`;
    write("first", "web", deployment());
    await world.apply();
    write("second", "worker", deployment());
    expect(await world.apply()).toContain("1 added, 1 changed, 1 destroyed");
    const [second] = services();
    expect(services().map(({ name }) => name)).toEqual(["second"]);
    expect(store.deployments(second?.id ?? "")).toHaveLength(1);
    await world.expectNoChanges();
    const variables = `${deployment(", v = rnv_variables.v.revision")}resource "rnv_variables" "v" {\n service_id = rnv_service.api.id\n values = { A = "1" }\n}\n`;
    write("second", "worker", variables);
    await world.apply();
    write("third", "web", variables);
    const stopped = await world.told("apply -auto-approve", 1);
    expect(stopped).toContain(`Error: It belongs to service ${second?.id}, not`);
    expect(stopped).toContain("Plan and apply again.");
    expect(stopped).not.toContain("bug");
    expect(store.variables(second?.id ?? "")).toHaveLength(1);
    // In the second of its creation, no plan counts as knowing a service.
    world.clock.advance(1000);
    await world.apply();
    expect(services().map(({ name }) => name)).toEqual(["third"]);
    await world.expectNoChanges();
  }, 120_000);

  it("is followed by its variables, whose values no plan holds, and its deployment", async () => {
    const write = (kind: string) =>
      world.write(textIn(join(__dirname, "replaced.tf"), { kind, project: project.id }));
    write("web");
    await world.apply();
    write("worker");
    world.emulator.resetLog();
    expect(await world.apply()).toContain("1 added, 4 changed, 1 destroyed");
    // Its variables are deleted with it, by the service.
    expect(world.writes().filter((write) => write.startsWith("DELETE"))).toHaveLength(1);
    await world.expectNoChanges();
    const [made] = services().filter(({ name }) => name === "store");
    expect(made).toMatchObject({ kind: "worker" });
    expect(
      store
        .variables(made?.id ?? "")
        .map(({ key }) => key)
        .sort(),
    ).toEqual(["A", "B", "HIDDEN", "PLAIN"]);
    expect(store.deployments(made?.id ?? "")).toHaveLength(1);
  }, 60_000);
});
