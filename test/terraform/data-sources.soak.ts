import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

describeTerraform(
  "data sources of projects, variables and one deployment, and what is shown of a service",
  () => {
    const world = attachedFolder();
    const { store } = world.emulator;
    const shop = store.addProject({ name: "Shop" });
    const office = store.addProject({ name: "Office" });
    const die = store.addProject({ name: "Dié".normalize("NFD") });
    const cafe = store.addService({ name: "Café".normalize("NFD"), kind: "web", projectId: die.id });
    const configuration = { repository: "https://git.example.com/shop/api" };
    const api = store.addService({ name: "api", kind: "web", projectId: shop.id, configuration });
    for (const { id } of [shop, office]) store.addService({ name: "twice", kind: "web", projectId: id });
    const first = store.deploy(api.id, { commitSha: "a".repeat(40) });
    store.settle();
    const second = store.deploy(api.id, { commitSha: "b".repeat(40) });
    store.settle();
    store.addVariable(api.id, "TOKEN", "hidden-value");
    store.addVariable(api.id, "LOG_LEVEL", "hidden-too");

    it("show what is there, names found in every project, and no value of a variable", async () => {
      world.write(textIn(join(__dirname, "listed.tf"), { first: first.id }));
      await world.apply();
      const { stdout } = await world.start("output", "-json", "all");
      const ids = store.variables(api.id).map(({ key, id }) => [key, id] as const);
      expect(JSON.parse(stdout)).toEqual({
        projects: [die.name.normalize(), "Office", "Shop"],
        cafes: [cafe.id, cafe.id],
        project: shop.id,
        keys: ["LOG_LEVEL", "TOKEN"],
        ids: ids.sort().map(([, id]) => id),
        serving: second.id,
        commits: ["b".repeat(40), "a".repeat(40)],
        status: "live",
      });
      expect(world.stateText()).not.toContain("hidden");
    }, 60_000);

    it("show the canvas of one environment", async () => {
      const staging = store.addEnvironment(shop.id, "Staging");
      store.addService({ name: "next", kind: "web", projectId: shop.id, environmentId: staging.id });
      const canvas = (scope: string) => `[for one in data.rnv_canvas.${scope}.nodes : one.name]`;
      world.write(`
data "rnv_canvas" "all" { project_id = "${shop.id}" }
data "rnv_canvas" "staging" {
  project_id     = "${shop.id}"
  environment_id = "${staging.id}"
}
output "all" { value = { all = sort(${canvas("all")}), staging = ${canvas("staging")} } }
`);
      await world.apply();
      const { stdout } = await world.start("output", "-json", "all");
      expect(JSON.parse(stdout)).toEqual({ all: ["api", "next", "twice"], staging: ["next"] });
    }, 60_000);

    it("say what is not there, and what is there twice", async () => {
      const nowhere = "00000000-0000-4000-8000-00000000ffff";
      world.write(textIn(join(__dirname, "not-found.tf"), { nowhere, apiId: api.id }));
      const output = await world.told("plan", 1);
      expect(output).toContain('2 rnv_service resources are called "twice"');
      expect(output).toContain("or name its project");
      expect(output).toMatch(/There is no service "none"[^(]*apply that first: -target=ADDRESS/);
      expect(output).toMatch(/There is no service "twiec"[\s\S]*Did you mean "twice"\?/);
      expect(output.normalize()).toMatch(/There is no project "DIÉ"[\s\S]*Did you mean "Dié"\?/);
      expect(output).toContain(`The service ${nowhere} does not exist`);
      expect(output).not.toContain("live.import_missing");
      expect(output).toContain(`The service has no deployment of the id ${nowhere}`);
    }, 60_000);

    it("a list below a missing project is an error; a filter that fits nothing is an empty list", async () => {
      const nowhere = "00000000-0000-4000-8000-00000000ffff";
      world.write(`data "rnv_services" "crons" { kind = "cron" }\n`);
      await world.run("plan");
      world.write(textIn(join(__dirname, "empty-lists.tf"), { nowhere, apiId: api.id, officeId: office.id }));
      const output = await world.told("plan", 1);
      expect(output.match(/The project [0-9a-f-]+ffff does not exist/g)).toHaveLength(2);
      expect(output.match(/The service [0-9a-f-]+ffff does not exist/g)).toHaveLength(2);
      expect(output).toContain(`There is no service of the id ${api.id} in the project ${office.id}`);
      expect(output).not.toContain("Check workspace_id");
    }, 60_000);

    it("a list of which the service shows a part only is an error", async () => {
      const tooLarge = { kind: "status", status: 413, code: "canvas_too_large" } as const;
      world.emulator.setFaults((_index, { path, query }) =>
        path.endsWith("/canvas") && query === "" ? tooLarge : undefined,
      );
      world.write(`data "rnv_services" "all" {}\n`);
      const output = await world.told("plan", 1);
      expect(output).toContain("There are too many services to list those outside of projects");
      expect(output).toContain("Ask for those of one project");
      world.emulator.setFaults(undefined);
    }, 60_000);

    it("a suspended and an archived service are told by a plan, once each, and by their data source", async () => {
      const service = `resource "rnv_service" "mine" {\n  name = "mine"\n  kind = "web"\n}\n`;
      world.write(service);
      await world.apply();
      const mine = store.services().find(({ name }) => name === "mine");
      const edit = (change: object) => store.editService(mine?.id ?? "", () => change);
      edit({ runtime: "suspended" });
      const output = await world.told("plan -detailed-exitcode");
      expect(output.split('Service "mine" is suspended')).toHaveLength(2);
      expect(output).toContain("No changes");
      edit({ runtime: "none", archived: true });
      expect(await world.told("plan -refresh-only")).toContain('Service "mine" is archived');
      world.write(service.replace("}", "  archived = true\n}"));
      await world.apply();
      expect(await world.expectNoChanges()).not.toContain("is archived");
      world.write(
        `data "rnv_service" "mine" { id = "${mine?.id}" }\nremoved {\n  from = rnv_service.mine\n  lifecycle { destroy = false }\n}\n`,
      );
      expect(await world.told("apply -auto-approve -input=false")).toContain('Service "mine" is archived');
    }, 60_000);
  },
);
