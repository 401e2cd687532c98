import { join } from "node:path";
import type { Readings } from "../../src/emulator/readings";
import { dynamic, PluginClient, wholeOf } from "../support/plugin-client";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform, TerraformFolder } from "../support/terraform";

const project = `resource "rnv_project" "shop" { name = "Shop" }\n`;
const service = (name: string, more = "") => textIn(join(__dirname, "other-deployments.tf"), { name, more });
const deployment = (more = "") => `
resource "rnv_deployment" "a" {
  service_id = rnv_service.a.id
  triggers   = { config = rnv_service.a.revision }
  ${more}
}
`;

/** DESIGN section 5, "Consistent reads": another user's deployment is news. The interface says of `deploymentUpdatedAt` "timestamp". */
describeTerraform("the work of others at the service, through Terraform", () => {
  const each: readonly Partial<Readings>[] = [{}, { deploymentUpdatedAt: "service" }];
  describe.each(each)("in the reading %j", (readings) => {
    const world = attachedFolder({ readings, deploySeconds: 2 }, "fast-clock");
    const { store } = world.emulator;
    const isQuiet = async () => {
      store.settle();
      await world.expectNoChanges();
      // Another process knows nothing of what this one did.
      await world.attach("fast-clock");
      await world.expectNoChanges();
    };
    const id = () => store.services()[0]?.id ?? "";

    it("a deployment that is not waited for is one id with its own time in every later plan", async () => {
      world.write(project + service("a") + deployment("wait = false"));
      await world.apply();
      store.settle();
      world.settle();
      world.write(project + service("a", "replicas = 2") + deployment("wait = false"));
      await world.apply();
      expect(store.deployments(id())).toHaveLength(2);
      await world.expectNoChanges();
      await isQuiet();
      world.settle();
      await isQuiet();
    }, 120_000);

    it("a deployment of a colleague leaves the next plans empty, soon and hours later", async () => {
      store.deploy(id());
      await isQuiet();
      world.settle();
      store.deploy(id());
      await isQuiet();
    }, 120_000);

    it("a deployment and a rollback by an action of this provider leave the next plan empty", async () => {
      const client = await PluginClient.start(world.folder, world.baseUrl, "fast-clock");
      const schema = await client.schema();
      await client.configure();
      for (const [type, given] of [
        ["rnv_deploy", {}],
        ["rnv_rollback", { confirm: "svc-a" }],
      ] as const) {
        const config = dynamic(wholeOf(schema.action_schemas[type].schema, { service_id: id(), ...given }));
        const events = await client.events("InvokeAction", { action_type: type, config });
        expect(events.at(-1)?.completed.diagnostics).toEqual([]);
        await isQuiet();
      }
      client.close();
    }, 120_000);
  });

  it("a service that was deleted outside a moment after its creation fails alone", async () => {
    const world = await new TerraformFolder().openAttached("fast-clock");
    world.write(project + ["a", "b", "c", "d", "e"].map((name) => service(name)).join(""));
    await world.apply();
    const { store } = world.emulator;
    store.deleteServiceNow(store.services().find(({ name }) => name === "svc-c")?.id ?? "");
    await world.attach("fast-clock");
    const output = await world.told("plan", 1);
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(output).toContain("rnv_service.c");
    expect(output).toContain(
      'does not show service "svc-c" any more; it was written a minute ago, so this may be a delay',
    );
    world.clock.advance(120_000);
    expect(await world.run("plan -detailed-exitcode", 2)).toContain("1 to add, 0 to change, 0 to destroy");
  }, 120_000);
});
