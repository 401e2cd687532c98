import type { SeenRequest } from "../../src/emulator/faults";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const flat = (text: string): string => text.replace(/[\s│╷╵]+/g, " ");
const services = (names: readonly string[]) =>
  names.map((name) => `resource "rnv_service" "${name}" {\n  name = "${name}"\n  kind = "web"\n}\n`).join("");

describeTerraform("what does not block", () => {
  let world: TerraformFolder;
  beforeEach(async () => {
    world = await new TerraformFolder().openAttached();
  });
  afterEach(() => world.close());
  const isPost = (end: string) => (request: SeenRequest) =>
    request.method === "POST" && request.path.endsWith(end);

  it("a map of variables of which one was refused is an error, its service is not deployed, and the next apply completes it", async () => {
    world.write(
      `${services(["api"]).replace('"web"', '"web"\n  configuration { repository = "https://git.example.com/shop/api" }')}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  values = { A = "1", B = "2", C = "3" }\n}\n` +
        `resource "rnv_deployment" "api" {\n  service_id = rnv_service.api.id\n  triggers = { vars = rnv_variables.all.revision }\n}\n`,
    );
    world.emulator.setFaults((_index, request) =>
      isPost("/variables")(request) && `${request.body}`.includes('"B"')
        ? { kind: "status", status: 403 }
        : undefined,
    );
    const output = flat(await world.run("apply -auto-approve", 1));
    expect(output).toMatch(/Error: B: /);
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(world.writes().some((write) => write.endsWith("/deploys"))).toBe(false);
    world.emulator.setFaults(undefined);
    await world.apply();
    const [api] = world.emulator.store.services();
    const keys = world.emulator.store.variables(api?.id ?? "").map(({ key }) => key);
    expect(keys.sort()).toEqual(["A", "B", "C"]);
    await world.expectNoChanges();
  }, 60_000);

  it("a variable of a map that was deleted after the plan fails the apply, and is made by the next one at once", async () => {
    const map = (value: string) =>
      `${services(["api"])}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  values = { A = "${value}", B = "2" }\n}\n`;
    world.write(map("1"));
    await world.apply();
    world.settle();
    world.write(map("3"));
    await world.run("plan -out=tfplan");
    const { A: id } = world.attributes("rnv_variables", "all").ids as Record<string, string>;
    world.emulator.store.deleteVariableNow(id ?? "");
    expect(await world.run("apply tfplan", 1)).toContain(`variable "A" was deleted after the plan was made`);
    expect(await world.apply()).toContain("0 added, 1 changed, 0 destroyed");
    await world.expectNoChanges();
  }, 60_000);

  it("a create whose answer was lost is finished once it is found, and of a map the attribute that declares is named", async () => {
    world.write(
      `${services(["api"]).replace('"web"', '"web"\n  archived = true')}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  generate = { A = { length = 20 } }\n}\n`,
    );
    world.emulator.setFaults((_index, request) => {
      if (isPost("/services")(request)) return { kind: "status", status: 500, when: "after", receipt: false };
      return isPost("/variables")(request) ? { kind: "status", status: 403 } : undefined;
    });
    expect(flat(await world.run("apply -auto-approve", 1))).toMatch(
      /in resource "rnv_variables" "all": \d+: generate/,
    );
    world.emulator.setFaults(undefined);
    expect(world.emulator.store.services().map(({ archived }) => archived)).toEqual([true]);
    expect(await world.apply()).toContain("1 added, 0 changed, 0 destroyed");
    await world.expectNoChanges();
  }, 60_000);

  it("a variable of a map that could not be deleted stays, and a name that is kept otherwise is told how to declare it", async () => {
    world.write(
      `${services(["Api"])}resource "rnv_variables" "all" {\n  service_id = rnv_service.Api.id\n  values = { A = "1" }\n}\n`,
    );
    world.emulator.store.setCondition("plain-names", true);
    expect(flat(await world.apply())).toContain('keeps names in a form of its own, declare name = "api"');
    world.emulator.store.setCondition("failed-deletions", true);
    const output = flat(await world.run("destroy -auto-approve", 1));
    expect(output).toContain('A: variable "A" was not deleted: the service could not carry it out');
    expect(output).not.toContain("bug");
    world.emulator.store.setCondition("failed-deletions", false);
    await world.run("destroy -auto-approve");
    expect(world.emulator.store.services()).toEqual([]);
  }, 60_000);

  it("deletions whose end could not be seen go on by themselves: what is gone then was deleted here", async () => {
    world.emulator.store.setCondition("queued-deletions", true);
    world.write(
      `${services(["api", "docs"])}resource "rnv_variables" "all" {\n  service_id = rnv_service.api.id\n  values = { A = "1", B = "2", C = "3" }\n}\n`,
    );
    await world.apply();
    world.settle();
    world.emulator.setFaults((_index, { method, path }) =>
      method === "GET" && path.includes("/operations/") ? { kind: "status", status: 403 } : undefined,
    );
    expect(await world.run("destroy -auto-approve", 1)).toContain("cannot read the operation");
    world.emulator.setFaults(undefined);
    world.emulator.store.settle();
    await world.run("destroy -auto-approve");
    expect(world.emulator.store.services()).toEqual([]);
  }, 60_000);

  it("a 500 on an update and on a deletion is sent again under its key", async () => {
    world.write(services(["a"]));
    await world.apply();
    for (const command of ["apply -auto-approve", "destroy -auto-approve"]) {
      const keys: (string | undefined)[] = [];
      world.write(
        services(["a"]).replace('kind = "web"', 'kind = "web"\n  configuration { branch = "next" }'),
      );
      world.emulator.setFaults((_index, { method, idempotencyKey }) => {
        if (method === "GET") return undefined;
        keys.push(idempotencyKey);
        return keys.length === 1 ? { kind: "status", status: 500, when: "after" } : undefined;
      });
      await world.run(command);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    }
    expect(world.emulator.store.services()).toEqual([]);
  }, 60_000);

  it("what has its name in other code points is deleted by that name: Terraform composes every text", async () => {
    const { store } = world.emulator;
    const name = "Caf\u00e9";
    const project = store.addProject({ name: name.normalize("NFD") });
    const service = store.addService({ name: name.normalize("NFD"), kind: "web", projectId: project.id });
    const imported = (type: string, id: string) => `import {\n  to = ${type}.a\n  id = "${id}"\n}\n`;
    world.write(
      `${imported("rnv_project", project.id)}resource "rnv_project" "a" {\n  name = "${name}"\n}\n` +
        `${imported("rnv_service", service.id)}resource "rnv_service" "a" {\n  project_id = rnv_project.a.id\n  name = "${name}"\n  kind = "web"\n}\n`,
    );
    await world.apply();
    await world.expectNoChanges();
    await world.run("destroy -auto-approve");
    expect([...store.services(), ...store.projects()]).toEqual([]);
  }, 60_000);
});

describeTerraform("one error for all", () => {
  const world = new TerraformFolder();
  beforeAll(async () => {
    await world.openAttached();
    world.write(services(["a", "b", "c", "d"]));
    await world.apply();
  }, 60_000);
  afterAll(() => world.close());
  const errorOf = async (block: string): Promise<string> => {
    world.write(services(["a", "b", "c", "d"]), block);
    const output = flat(await world.run("plan", 1));
    world.write(services(["a", "b", "c", "d"]));
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(output).toContain('in provider "rnv"');
    return output;
  };

  it("a wrong key, workspace or address is one error of the provider block", async () => {
    expect(await errorOf('api_key = "rnv_no-such-key"')).toContain("does not accept the API key");
    const other = "00000000-0000-4000-8000-00000000abcd";
    expect(await errorOf(`workspace_id = "${other}"`)).toMatch(new RegExp(`workspace ${other}`));
    expect(await errorOf(`base_url = "${world.baseUrl.replace("/api/v1", "/elsewhere/api/v1")}"`)).toContain(
      "RNV_BASE_URL",
    );
    expect(await errorOf('base_url = "http://127.0.0.1:9/api/v1"')).toContain(
      "Cannot connect to 127.0.0.1:9",
    );
  }, 120_000);

  it("what was deleted elsewhere, with nothing left beside it, is an error that names it and accept_missing", async () => {
    for (const { id } of world.emulator.store.services()) world.emulator.store.deleteServiceNow(id);
    world.settle();
    const output = flat(await world.run("plan", 1));
    expect(output).toMatch(/Service "[abcd]" cannot be found, and the workspace shows nothing else/);
    expect(output).toContain("accept_missing = true");
    world.write(services(["a", "b", "c", "d"]), "accept_missing = true");
    const plan = flat(await world.run("plan"));
    expect(plan).toContain("4 to add, 0 to change, 0 to destroy");
    expect(plan).toContain("Missing resources are taken out of the state");
    await world.apply();
    await world.expectNoChanges();
    const map = `${services(["a", "b", "c", "d"])}resource "rnv_variables" "all" {\n  service_id = rnv_service.a.id\n  values = { A = "1", B = "2", C = "3" }\n}\n`;
    world.write(map);
    await world.apply();
    world.settle();
    for (const one of Object.values(world.attributes("rnv_variables", "all").ids as Record<string, string>))
      world.emulator.store.deleteVariableNow(one);
    expect(flat(await world.run("plan"))).toContain("0 to add, 1 to change, 0 to destroy");
  }, 60_000);
});
