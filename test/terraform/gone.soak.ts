import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import type { Fault, SeenRequest } from "../../src/emulator/faults";
import { listsWithout } from "../support/edited-answers";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const names = ["a", "b", "c", "d"];
const shop = `
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "s" {
  for_each   = toset(["${names.join('", "')}"])
  name       = each.key
  kind       = "web"
  project_id = rnv_project.shop.id
}
`;

describeTerraform("resources that seem gone", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const idOf = (name: string): string => {
    const found = emulator.store.services().find((one) => one.name === name && one.deletedAt === null);
    return found?.id ?? "";
  };
  const projectId = (): string => emulator.store.projects()[0]?.id ?? "";

  /** Lists without these ids, and 404 for each of them: what a key without membership sees of them. */
  const hide = (ids: readonly string[]): void =>
    emulator.setFaults((_index, { method, path }: SeenRequest): Fault | undefined => {
      if (method !== "GET") return undefined;
      if (ids.some((id) => path.includes(id))) return { kind: "status", status: 404 };
      return /\/(canvas|projects)$/.test(path) ? listsWithout(ids) : undefined;
    });
  /** Runs a command that must fail, and change neither the state nor the service. */
  const refused = async (command: string): Promise<string> => {
    const before = world.stateText();
    emulator.resetLog();
    const output = await world.run(command, 1);
    expect(world.stateText()).toBe(before);
    expect(world.writes()).toEqual([]);
    return output;
  };

  beforeAll(async () => {
    await world.openAttached();
    world.write(shop);
    await world.apply();
  });

  it("are planned again where they were deleted outside", async () => {
    world.settle();
    emulator.store.deleteServiceNow(idOf("b"));
    expect(await world.apply()).toContain("1 added, 0 changed, 0 destroyed");
    expect(idOf("b")).not.toBe("");
  }, 30_000);

  // "never within two minutes of our last create or update of it" (DESIGN section 5)
  it("are planned again beside a key of the same map that was just written", async () => {
    const map = (level: number) =>
      `${shop}resource "rnv_variables" "a" {\n service_id = rnv_service.s["a"].id\n values = { LEVEL = "${level}", MODE = "x" }\n}\n`;
    world.write(map(1));
    await world.apply();
    world.settle();
    world.write(map(2));
    await world.apply();
    const mode = emulator.store.variables(idOf("a")).find(({ key }) => key === "MODE");
    emulator.store.deleteVariableNow(mode?.id ?? "");
    expect(await world.apply()).toContain("0 added, 1 changed, 0 destroyed");
    expect(
      emulator.store
        .variables(idOf("a"))
        .map(({ key }) => key)
        .sort(),
    ).toEqual(["LEVEL", "MODE"]);
    world.write(shop);
    await world.apply();
  }, 60_000);

  it("say that a service was renamed after the plan that deletes it", async () => {
    world.write(shop.replace(', "d"', ""));
    await world.run("plan -input=false -out=delete.plan");
    emulator.store.editService(idOf("d"), () => ({ name: "renamed" }));
    expect(await world.told("apply -input=false delete.plan", 1)).toContain('"d" is called "renamed" now');
    emulator.store.editService(idOf("renamed"), () => ({ name: "d" }));
    world.write(shop);
  }, 60_000);

  it("when nothing at all is shown, nothing leaves the state: not by plan, refresh or destroy", async () => {
    world.settle();
    hide([projectId(), ...names.map(idOf)]);
    const output = await refused("plan");
    expect(output).toContain("A key that lost its membership sees the same");
    expect(output).toContain("terraform state rm");
    await refused("apply -refresh-only -auto-approve");
    await refused("destroy -auto-approve");
    emulator.setFaults(undefined);
  }, 60_000);

  // "404 for a resource that does not exist or is outside the caller's membership" (interface, "Authentication")
  it("a deletion that is answered with 404 by a workspace that shows nothing is no end of it", async () => {
    world.settle();
    const hidden = [projectId(), ...names.map(idOf)];
    emulator.setFaults((_index, { method, path }): Fault | undefined => {
      if (hidden.some((id) => path.includes(id))) return { kind: "status", status: 404 };
      return method === "GET" && /\/(canvas|projects)$/.test(path) ? listsWithout(hidden) : undefined;
    });
    await world.run("destroy -refresh=false -auto-approve -target=rnv_service.s", 1);
    for (const id of hidden) expect(world.stateText()).toContain(`"id": "${id}"`);
    emulator.setFaults(undefined);
  }, 60_000);

  it("a resource in another workspace is an error that names both workspaces, without a read of it", async () => {
    const state = JSON.parse(world.stateText());
    const elsewhere = "00000000-0000-4000-8000-00000000abcd";
    for (const { type, instances } of state.resources)
      for (const instance of instances) {
        if (type !== "rnv_service" || instance.index_key !== "d") continue;
        const kept = JSON.parse(Buffer.from(instance.private, "base64").toString("utf8"));
        instance.private = Buffer.from(JSON.stringify({ ...kept, workspace: elsewhere })).toString("base64");
      }
    writeFileSync(join(world.folder, "w", "terraform.tfstate"), JSON.stringify(state));
    emulator.resetLog();
    const output = (await refused("plan")).replace(/[\s│╷╵]+/g, " ");
    expect(output).toContain(`Service "d" is in workspace ${elsewhere}`);
    expect(output).toContain("This provider uses workspace");
    expect(emulator.log.some(({ path }) => path.includes(idOf("d")))).toBe(false);
  }, 30_000);

  it("a deletion that is answered with 404 is done, and an answer of 409 leaves the service in the state", async () => {
    const only = await new TerraformFolder().openAttached();
    const { store } = only.emulator;
    only.write(
      `resource "rnv_service" "s" {\n  for_each = toset(["a", "b"])\n  name = each.key\n  kind = "web"\n}\n`,
    );
    await only.apply();
    only.settle();
    const [a = "", b = ""] = ["a", "b"].map((name) => store.services().find((one) => one.name === name)?.id);
    only.emulator.setFaults((_index, { method, path }) => {
      if (method !== "DELETE") return undefined;
      return path.endsWith(a)
        ? { kind: "hook", when: "before", run: async () => store.deleteServiceNow(a) }
        : { kind: "status", status: 409 };
    });
    const refused = await only.run("destroy -auto-approve", 1);
    expect(refused).toContain('rnv_service.s["a"]: Destruction complete');
    expect(refused.match(/Error: /g)).toHaveLength(1);
    expect(only.stateText()).not.toContain(a);
    expect(only.stateText()).toContain(b);
    only.emulator.setFaults(undefined);
    expect(await only.run("destroy -auto-approve")).toContain("Resources: 1 destroyed");
  }, 60_000);

  it("a deletion that another user requested is told with its time, and requested again where it failed", async () => {
    for (const failedDeletionFlag of ["active", "archived"] as const) {
      const readings = { failedDeletionTime: "kept", failedDeletionFlag } as const;
      const only = new TerraformFolder({ conditions: ["failed-deletions"], readings, operationSeconds: 60 });
      await only.openAttached();
      const { store } = only.emulator;
      only.write('resource "rnv_service" "api" {\n  name = "api"\n  kind = "web"\n}\n');
      await only.apply();
      only.settle();
      const [service] = store.services();
      const url = `${only.baseUrl}/workspaces/${embeddedWorkspaceId}/services/${service?.id}`;
      const headers = { authorization: `Bearer ${embeddedApiKey}`, "content-type": "application/json" };
      await fetch(url, { method: "DELETE", headers, body: '{"confirm":"api"}' });
      const { deletionRequestedAt } = store.service(service?.id ?? "") ?? {};
      const output = await only.told("plan");
      expect(output).toContain(`is being deleted on the platform, since ${deletionRequestedAt}`);
      store.settle();
      store.setCondition("failed-deletions", false);
      only.settle();
      expect(await only.run("destroy -auto-approve")).toContain("Resources: 1 destroyed");
      expect(store.services()).toEqual([]);
    }
  }, 60_000);

  it("a deletion that failed keeps its place in the state, and is asked for with a new key", async () => {
    for (const failedDeletionTime of ["cleared", "kept"] as const) {
      const readings = {
        failedDeletionTime,
        failedDeletionFlag: failedDeletionTime === "kept" ? "archived" : "active",
      } as const;
      const only = new TerraformFolder({ conditions: ["failed-deletions"], readings });
      await only.openAttached();
      only.write('resource "rnv_service" "api" {\n  name = "api"\n  kind = "web"\n}\n');
      await only.apply();
      const before = only.emulator.store.services().map(({ id }) => id);
      const keys = new Set<string | undefined>();
      only.emulator.setFaults((_index, { method, idempotencyKey }) => {
        if (method === "DELETE") keys.add(idempotencyKey);
        return undefined;
      });
      const output = await only.run("destroy -auto-approve", 1);
      expect(output).toContain('Service "api" was not deleted: the platform could not carry it out');
      // It is there, so it is not planned again beside itself.
      expect(await only.run("plan -detailed-exitcode", 0)).toContain("No changes");
      expect(await only.run("destroy -auto-approve", 1)).toContain("was not deleted");
      expect(only.emulator.store.services().map(({ id }) => id)).toEqual(before);
      only.emulator.store.setCondition("failed-deletions", false);
      await only.run("destroy -auto-approve", 0);
      expect(only.emulator.store.services()).toEqual([]);
      expect(keys.size).toBeGreaterThanOrEqual(3);
    }
  }, 60_000);
});
