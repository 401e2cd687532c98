import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const api = (branch: string, lifecycle = "") =>
  textIn(join(__dirname, "newer-cores.tf"), { branch, lifecycle });

describeTerraform(
  "Terraform since 1.14",
  () => {
    const world = new TerraformFolder();
    const { store } = world.emulator;
    const file = (name: string): string => join(world.folder, "w", name);
    const ids = { project: "", api: "" };
    beforeAll(async () => {
      await world.openAttached();
      const configuration = { repository: "https://git.example.com/shop/api", branch: "main" };
      ids.api = store.addService({ name: "api", kind: "web", configuration }).id;
      ids.project = store.addProject({ name: "Shop" }).id;
      for (const name of ["docs", "worker"]) store.addService({ name, kind: "web", projectId: ids.project });
      store.deploy(ids.api);
      store.settle();
    });

    it("imports by identity, and writes nothing", async () => {
      const imported = `import {\n  to       = rnv_service.api\n  identity = { id = "${ids.api}" }\n}\n`;
      world.write(api("main") + imported);
      expect(await world.apply()).toContain("1 imported, 0 added, 0 changed, 0 destroyed");
      expect(world.writes()).toEqual([]);
      await world.expectNoChanges();
    }, 60_000);

    it("invokes an action by hand", async () => {
      expect(await world.apply("-invoke=action.rnv_restart.api")).toContain("Action complete");
      expect(world.writes()).toEqual([`POST /services/${ids.api}/actions`]);
    }, 60_000);

    it("invokes an action after an update that triggers it, once", async () => {
      const trigger = "action_trigger {\n events = [after_update]\n actions = [action.rnv_restart.api]\n }";
      world.write(api("release", `lifecycle {\n ${trigger}\n }`));
      world.emulator.resetLog();
      await world.apply();
      expect(world.writes()).toEqual([`PATCH /services/${ids.api}`, `POST /services/${ids.api}/actions`]);
      await world.expectNoChanges();
    }, 60_000);

    it("generates configuration from a query that plans to imports alone", async () => {
      const config = `config {\n    project_id = "${ids.project}"\n  }`;
      writeFileSync(
        file("all.tfquery.hcl"),
        `list "rnv_service" "all" {\n  provider = rnv\n  ${config}\n}\n`,
      );
      expect(await world.run("query -generate-config-out=generated.tf")).toMatch(/docs[\s\S]*worker/);
      expect(readFileSync(file("generated.tf"), "utf8").match(/^resource "rnv_service"/gm)).toHaveLength(2);
      world.emulator.resetLog();
      expect(await world.apply()).toContain("2 imported, 0 added, 0 changed, 0 destroyed");
      expect(world.writes()).toEqual([]);
      await world.expectNoChanges();
    }, 60_000);
  },
  1.14,
);
