import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform, TerraformFolder } from "../support/terraform";

const service = textIn(join(__dirname, "deployed.tf"));

describeTerraform("deployments and the canvas", () => {
  const world = attachedFolder();
  const { emulator } = world;
  const deployments = () => emulator.store.deployments(emulator.store.services()[0]?.id ?? "");
  const deploy = (body: string) =>
    world.write(
      `${service}resource "rnv_deployment" "api" {\n  service_id = rnv_service.api.id\n${body}\n}\n`,
    );

  it("a failed deployment is an error that names the reason, taints nothing, and is tried once again", async () => {
    deploy(`triggers = { version = "1" }`);
    emulator.store.failNextDeployment("*", "the build ran out of memory");
    const output = await world.run("apply -auto-approve", 1);
    expect(output).toContain("the build ran out of memory");
    expect(world.state().resources.map(({ type }) => type)).not.toContain("rnv_deployment");
    await world.apply();
    const statuses = deployments().map(({ status }) => status);
    expect(statuses.sort()).toEqual(["failed", "live"]);
    await world.expectNoChanges();
  }, 60_000);

  it("the words of the service on a deployment are shown without the values of variables, those of other runs too", async () => {
    const variables = textIn(join(__dirname, "deployed-variables.tf"));
    const deployment = (version: number) =>
      `resource "rnv_deployment" "api" {\n  service_id = rnv_service.api.id\n  triggers = { version = "${version}" }\n}\n`;
    const told = "cannot use hunter2-canary one, hunter2-canary%20two";
    for (const version of [10, 11]) {
      world.write(service + variables + deployment(version));
      emulator.store.failNextDeployment("*", told);
      const output = await world.run("apply -auto-approve", 1);
      expect(output).toContain("cannot use (sensitive), (sensitive)");
      expect(output).not.toContain("canary");
    }
    // Terraform does not order a new deployment after the deletion of variables.
    world.write(service);
    await world.apply();
    world.write(service + deployment(1));
    await world.apply();
  }, 120_000);

  it("a deployment runs again when a trigger changes, once, and not when its timeout changes", async () => {
    const before = deployments().length;
    deploy(`triggers = { version = "1" }\n timeout = "20m"`);
    await world.apply();
    expect(deployments()).toHaveLength(before);
    deploy(`triggers = { version = "2" }`);
    await world.apply();
    expect(deployments()).toHaveLength(before + 1);
    await world.expectNoChanges();
  }, 60_000);

  it("a replaced deployment is taken over where it has every change, and deploys where it was rolled back", async () => {
    const replace = async () => world.told("apply -auto-approve -input=false -replace=rnv_deployment.api");
    const before = deployments().length;
    expect(await replace()).toContain("a second time. To deploy again, change a value in triggers.");
    expect(deployments()).toHaveLength(before);
    const [first] = deployments();
    Object.assign(emulator.store.deploy(first?.serviceId ?? ""), { sourceDeploymentId: first?.id });
    emulator.store.settle();
    // Nothing runs against a rollback by itself.
    await world.expectNoChanges();
    await replace();
    expect(deployments()).toHaveLength(before + 2);
    await world.expectNoChanges();
  }, 60_000);

  it("a deployment pins a commit, and deploys it again when another commit serves", async () => {
    const commit = "a".repeat(40);
    deploy(`triggers = { version = "2" }\n commit = "${commit}"`);
    await world.apply();
    const [api] = emulator.store.services();
    expect(deployments()).toContainEqual(expect.objectContaining({ commitSha: commit, status: "live" }));
    await world.expectNoChanges();
    emulator.store.deploy(api?.id ?? "", { commitSha: "b".repeat(40) });
    emulator.store.settle();
    await world.apply();
    await world.expectNoChanges();
    expect(world.attributes("rnv_deployment", "api").commit_sha).toBe(commit);
  }, 60_000);

  it("a deployment that stays queued ends as timeouts say, with the reason, is queued once, and destroy does not wait for it", async () => {
    const folder = await new TerraformFolder({ conditions: ["worker-offline"] }).openAttached();
    const { emulator: offline } = folder;
    const queued = () => offline.store.deployments(offline.store.services()[0]?.id ?? "");
    const waits = (how: string) =>
      folder.write(
        `${service}resource "rnv_deployment" "api" {\n  service_id = rnv_service.api.id\n  ${how}\n}\n`,
      );
    for (const how of ['timeouts {\n create = "1s"\n }', 'timeout = "1s"']) {
      waits(how);
      const output = await folder.told("apply -auto-approve", 1);
      expect(output).toContain("The deployment: still queued after 1s");
      expect(output).toContain("Waiting for capacity: no worker is online.");
      expect(queued()).toHaveLength(1);
    }
    await folder.run("destroy -auto-approve");
    expect(offline.store.services()).toEqual([]);
  }, 60_000);

  it.each([
    ["triggers", "triggers = { config = rnv_service.api.revision, vars = rnv_variables.v.revision }", 1],
    ["when = always", 'when = "always"', 0],
    ["when = never", 'when = "never"', 0],
  ])(
    "a deployment of an archived service queues nothing and leaves an empty plan, with %s; the restore deploys what waited, once",
    async (_title, how, inRestore) => {
      const folder = await new TerraformFolder().openAttached("fast-clock");
      const { store } = folder.emulator;
      const queued = () => store.deployments(store.services()[0]?.id ?? "").length;
      const apply = async (archived: boolean, value: string) => {
        folder.write(`${service.replace("configuration {", `archived = ${archived}\n  configuration {`)}
resource "rnv_variables" "v" {
  service_id = rnv_service.api.id
  values     = { A = "${value}" }
}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  ${how}
}
`);
        return folder.apply();
      };
      const made = await apply(true, "1");
      if (!how.includes("never")) expect(made).toContain('"api" is archived, and takes no deployment');
      await folder.expectNoChanges();
      await apply(true, "2");
      await folder.expectNoChanges();
      expect(queued()).toBe(0);
      await apply(false, "2");
      expect(queued()).toBe(inRestore);
      await apply(false, "2");
      expect(queued()).toBe(how.includes("never") ? 0 : 1);
      if (!how.includes("always")) await folder.expectNoChanges();
      if (inRestore === 0) return;
      // Nothing changed meanwhile: nothing is deployed.
      for (const archived of [true, false]) {
        await apply(archived, "2");
        await folder.expectNoChanges();
      }
      expect(queued()).toBe(1);
      await apply(true, "2");
      await apply(false, "3");
      expect(queued()).toBe(2);
      await folder.expectNoChanges();
    },
    120_000,
  );

  it("a deployment that is interrupted names its service, and the next apply follows it", async () => {
    const folder = await new TerraformFolder({ deploySeconds: 4 }).open();
    const { store } = folder.emulator;
    const queued = () => store.services().flatMap(({ id }) => store.deployments(id));
    folder.write(`${service}resource "rnv_deployment" "api" { service_id = rnv_service.api.id }\n`);
    const apply = folder.start("apply", "-auto-approve");
    while (queued().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(-(apply.child.pid ?? 0), "SIGINT");
    const { code, output } = await apply;
    expect(code).toBe(1);
    expect(
      folder
        .state()
        .resources.map(({ type }) => type)
        .sort(),
    ).toEqual(["rnv_project", "rnv_service"]);
    expect(output).toContain('Service "api": deployment started; apply again to follow it');
    expect(output).not.toContain("timeout");
    await folder.apply();
    expect(queued()).toMatchObject([{ status: "live" }]);
  }, 60_000);

  it("the layout of a canvas is saved, and saved again when a service has no place yet", async () => {
    const layout = `resource "rnv_canvas_layout" "shop" {\n  project_id = rnv_project.shop.id\n positions = "auto"\n viewport = { x = 1 / 3, y = 10.5, zoom = 1.1 }\n depends_on = [rnv_service.api]\n}\n`;
    world.write(service + layout);
    await world.apply();
    await world.expectNoChanges();
    expect(world.attributes("rnv_canvas_layout", "shop")).toMatchObject({
      revision: 1,
      positions: { value: "auto" },
    });
    const [project] = emulator.store.projects();
    emulator.store.addService({ name: "new", kind: "web", projectId: project?.id });
    await world.apply();
    await world.expectNoChanges();
    world.write(service + layout.replace('"auto"', "{ api = { x = 1.5, y = -200 / 3 } }"));
    await world.apply();
    await world.expectNoChanges();
    const named = "{ api = { x = 7, y = 7 }, later = { x = 8, y = 8 } }";
    world.write(service + layout.replace('"auto"', named));
    const told = await world.apply();
    expect(told).toContain('Warning: The canvas has no node "later"');
    expect(told).toMatch(
      /It is left out, and the rest is saved\. If this apply creates it, write\s+depends_on\./,
    );
    await world.expectNoChanges();
    emulator.store.addService({ name: "later", kind: "web", projectId: project?.id });
    expect(await world.apply()).toContain("1 changed");
    await world.expectNoChanges();
    // A service that is replaced has another ID: `triggers` give it its place in the same apply, else the next one does.
    const triggers = "triggers = { api = rnv_service.api.id }\n}";
    for (const positions of ["{ api = { x = 1.5, y = 2 } }", '"auto"'])
      for (const how of ["}", triggers]) {
        world.write(service + layout.replace('"auto"', positions).replace(/\}\n$/, `${how}\n`));
        await world.apply();
        const output = await world.run("apply -auto-approve -input=false -replace=rnv_service.api");
        expect(output).toContain(`1 added, ${how === triggers ? 1 : 0} changed, 1 destroyed`);
        if (how !== triggers)
          expect(await world.run("apply -auto-approve -input=false")).toContain("1 changed");
        await world.expectNoChanges();
      }
  }, 120_000);
});
