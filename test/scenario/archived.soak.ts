import { rmSync } from "node:fs";
import { join } from "node:path";
import { approve, openScenario, type Scenario } from "../support/cli";

const block = (more = "", branch = "main") => `projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: https://git.example.com/api, branch: ${branch} }
        variables: { LEVEL: one }
${more}`;
const onRemove = "        lifecycle: { onRemove: archive }\n";
const ignored = "        lifecycle: { ignoreChanges: [archived] }\n";

describe("archived services", () => {
  let scenario: Scenario;
  beforeEach(async () => {
    scenario = await openScenario();
  });
  afterEach(() => scenario.close());

  const services = () => scenario.emulator.store.services();
  const archiveOutside = (archived = true) => {
    const id = services()[0]?.id ?? "";
    scenario.emulator.store.editService(id, () => ({ archived }));
    return id;
  };
  const opened = async (text: string) => {
    scenario.write("rnv.yaml", text);
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    await scenario.isQuiet();
    scenario.forget();
  };

  // DESIGN section 4: "Whether a managed service is archived is always ours: it is declared, or false."
  it("archived outside is drift, and the next apply restores it", async () => {
    await opened(block());
    archiveOutside();
    const drifted = await scenario.run("drift");
    expect(drifted.code).toBe(2);
    expect(drifted.stdout).toContain("1 changed outside rnv");
    const planned = await scenario.run("plan");
    expect(planned.stdout).toMatch(/archived +true -> false +# drift: changed outside rnv/);
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    // "Restore: no deployment and no resume of infrastructure" (interface, "Moves that are stated").
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/restore"]);
    expect(services().map(({ archived }) => archived)).toEqual([false]);
    await scenario.isQuiet();
    expect((await scenario.run("drift")).code).toBe(0);
  });

  it("taken over with -refresh-only it is restored by the plan after that", async () => {
    await opened(block());
    archiveOutside();
    expect((await scenario.run("apply", "-refresh-only", ...approve)).code).toBe(0);
    expect((await scenario.run("plan", "-refresh-only")).stdout).toContain("No changes.");
    expect((await scenario.run("plan")).stdout).toMatch(/archived +true -> false/);
  });

  it("with ignoreChanges it stays, and what cannot be deployed is said and ends with exit 7", async () => {
    await opened(block(ignored));
    archiveOutside();
    await scenario.isQuiet();
    scenario.write("rnv.yaml", block(ignored, "next"));
    const planned = await scenario.run("plan");
    expect(planned.stdout + planned.stderr).toContain(
      "warning[plan.not_deployed]: deployment.shop.api cannot run",
    );
    const applied = await scenario.run("apply", ...approve);
    expect(applied.code).toBe(7);
    expect(applied.stderr).toContain("deployment.shop.api: not started: its service is archived");
    expect(scenario.requests()).toEqual(["PATCH /workspaces/ID/services/ID"]);
    const drift = await scenario.run("drift", "-json");
    expect(JSON.parse(drift.stdout)).toMatchObject({
      has_drift: false,
      pending: [
        {
          address: "deployment.shop.api",
          standing: {
            code: "held",
            class: "pending",
            summary: "cannot run: its service is archived, and ignoreChanges leaves it so",
          },
        },
      ],
    });
    const told = await scenario.run("drift");
    expect(told.stdout).toMatch(/deployment\.shop\.api\n +cannot run: its service is archived/);
    expect((await scenario.run("drift", "--fail-on", "pending")).code).toBe(2);
    // It is never dropped: as long as it is not deployed, every plan says so and no apply succeeds.
    const later = await scenario.run("plan");
    expect(later.stdout + later.stderr).toContain("warning[plan.not_deployed]");
    expect((await scenario.run("apply", ...approve)).code).toBe(7);
    archiveOutside(false);
    scenario.forget();
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/deploys"]);
    await scenario.isQuiet();
  });

  it("declared as archived it stays so, without a word", async () => {
    await opened(block("        archived: true\n"));
    expect(services().map(({ archived }) => archived)).toEqual([true]);
    scenario.write("rnv.yaml", block("        archived: true\n", "next"));
    const applied = await scenario.run("apply", ...approve);
    expect({ code: applied.code, stderr: applied.stderr }).toEqual({ code: 0, stderr: "" });
    await scenario.isQuiet();
    scenario.write("rnv.yaml", block("", "next"));
    expect((await scenario.run("plan")).stdout).toMatch(/archived +true -> false +# back to the default/);
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    await scenario.isQuiet();
  });

  it("by onRemove stay in the state, and declared again are restored under their ids", async () => {
    await opened(block(onRemove));
    const before = services().map(({ id }) => id);
    scenario.write("rnv.yaml", "projects: { shop: {} }\n");
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/archive"]);
    scenario.forget();
    // The address is not managed: a plan says nothing about it and asks for nothing.
    await scenario.isQuiet();
    expect(scenario.requests("all").filter((request) => request.includes("/services/"))).toEqual([]);
    const listed = (await scenario.run("state", "list")).stdout;
    expect(listed).toContain("service.shop.api  (retained)\n");
    expect(listed).toContain("project.shop\n");
    expect((await scenario.run("state", "show", "service.shop.api")).stdout).toContain(
      "# retained: archived",
    );
    scenario.forget();
    scenario.write("rnv.yaml", block(onRemove, "next"));
    const planned = await scenario.run("plan");
    expect(planned.stdout).toContain("service.shop.api will be restored");
    expect(planned.stdout).toContain("Plan: 0 to add, 2 to change, 0 to destroy.");
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(scenario.requests()).toEqual([
      "POST /workspaces/ID/services/ID/restore",
      "PATCH /workspaces/ID/services/ID",
      "POST /workspaces/ID/services/ID/deploys",
    ]);
    expect(services().map(({ id }) => id)).toEqual(before);
    expect((await scenario.run("state", "list")).stdout).not.toContain("retained");
    await scenario.isQuiet();
  });

  it("keep the project that holds them, and both come back", async () => {
    await opened(block(onRemove));
    scenario.write("rnv.yaml", "removed: [project.shop]\n");
    const applied = await scenario.run("apply", ...approve, "--allow-empty");
    expect(applied.code).toBe(0);
    expect(applied.stdout).toContain("because it still holds service.shop.api");
    // Nothing of it is managed any more, so nothing is left to say.
    await scenario.isQuiet("--allow-empty");
    const destroyed = await scenario.run("destroy", ...approve);
    expect(destroyed.code).toBe(0);
    expect(destroyed.stdout + destroyed.stderr).toContain(
      "archived and kept in the state, not destroyed: service.shop.api",
    );
    scenario.forget();
    scenario.write("rnv.yaml", block(onRemove));
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/restore"]);
    expect([scenario.emulator.store.projects().length, services().length]).toEqual([1, 1]);
    await scenario.isQuiet();
  });

  it.each([
    ["the project is no longer declared", "removed: [project.shop]\n", ["apply", "--allow-empty"]],
    ["everything is destroyed", "projects: { shop: {} }\n", ["destroy"]],
  ] as const)("that someone deleted hold nothing back: %s", async (_, text, verb) => {
    await opened(block(onRemove));
    scenario.write("rnv.yaml", "projects: { shop: {} }\n");
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    const [api] = services();
    expect(api?.archived).toBe(true);
    scenario.emulator.store.deleteServiceNow(api?.id ?? "");
    scenario.settle();
    scenario.forget();
    // What is retained and in no one's way is not asked for.
    await scenario.isQuiet();
    expect(scenario.requests("all").filter((one) => one === "GET /workspaces/ID/services/ID")).toEqual([]);
    scenario.write("rnv.yaml", text);
    const ended = await scenario.run(...verb, ...approve);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(
      /service\.shop\.api .*\n +because it was archived here, and deleted outside of rnv/,
    );
    expect(scenario.requests()).toEqual(["DELETE /workspaces/ID/projects/ID"]);
    expect(scenario.emulator.store.projects()).toEqual([]);
    expect((await scenario.run("state", "list")).stdout).toBe("");
  });

  it("are named where their project is to be deleted, and by state rm with the id that finds them", async () => {
    await opened(block(onRemove));
    const [id] = services().map((one) => one.id);
    scenario.write("rnv.yaml", "projects: { shop: {} }\n");
    await scenario.run("apply", ...approve);
    scenario.write("rnv.yaml", "services: {}\nremoved: [project.shop]\n");
    const refused = await scenario.run("apply", ...approve, "--allow-empty");
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("service.shop.api");
    expect(refused.stdout).toContain("declare it again without onRemove: archive");
    const forgotten = await scenario.run("state", "rm", "service.shop.api");
    expect(forgotten.stdout).toContain(`rnv import service.shop.api ${id}`);
    expect(services()).toHaveLength(1);
  });

  it("are not found by --adopt or export, which say so, and are taken over by id", async () => {
    await opened(block());
    const id = archiveOutside();
    for (const { path } of scenario.files())
      if (path.endsWith("state.json")) await scenario.run("state", "rm", "project.shop");
    const adopting = await scenario.run("plan", "--adopt");
    expect(adopting.stdout + adopting.stderr).toContain("warning[live.unlisted]");
    expect(adopting.stdout + adopting.stderr).toContain("import: ID");
    expect((await scenario.run("export")).stderr).toContain("Archived services are in no list");
    // What is in something taken over was not made here either.
    const [project] = scenario.emulator.store.projects();
    expect((await scenario.run("import", "project.shop", project?.id ?? "")).code).toBe(0);
    const inside = await scenario.run("plan");
    expect(inside.stdout + inside.stderr).toContain("warning[live.unlisted]");
    scenario.write("rnv.yaml", block(`        import: ${id}\n`));
    const planned = await scenario.run("plan", "--adopt");
    expect(planned.stdout + planned.stderr).not.toContain("live.unlisted");
    expect(planned.stdout).toMatch(/archived +true -> false/);
    scenario.forget();
    expect((await scenario.run("apply", ...approve, "--adopt")).code).toBe(0);
    expect(scenario.requests()).toContain("POST /workspaces/ID/services/ID/restore");
    expect(services().map((one) => one.id)).toEqual([id]);
    await scenario.isQuiet();
  });

  it("imported by rnv import are restored by the plan, unless they are declared archived", async () => {
    const { store } = scenario.emulator;
    const id = store.addService({ name: "docs", kind: "static" }).id;
    store.editService(id, () => ({ archived: true }));
    const docs = (more: string) => `services: { docs: { kind: static, deploy: { when: never }${more} } }\n`;
    scenario.write("rnv.yaml", docs(", archived: true"));
    expect((await scenario.run("import", "service.docs", id)).code).toBe(0);
    await scenario.isQuiet();
    scenario.write("rnv.yaml", docs(""));
    expect((await scenario.run("plan")).stdout).toMatch(/archived +true -> false/);
  });

  it("that hold a name a service needs are named by the service's own answer", async () => {
    scenario.emulator.store.setCondition("unique-names", true);
    await opened(block(onRemove));
    const [id] = services().map((one) => one.id);
    scenario.write("rnv.yaml", "projects: { shop: {} }\n");
    await scenario.run("apply", ...approve);
    scenario.write("rnv.yaml", block().replace("      api:\n", "      web:\n        name: api\n"));
    const planned = await scenario.run("plan");
    expect(planned.stdout + planned.stderr).toContain("warning[plan.retained]");
    expect(planned.stdout + planned.stderr).toContain(
      "moved: [{ from: service.shop.api, to: service.shop.web }]",
    );
    const refused = await scenario.run("apply", ...approve);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('An archived service already has the name "api"');
    expect(refused.stderr).toContain("No list shows archived services");
    scenario.write(
      "rnv.yaml",
      `${block().replace("      api:\n", "      web:\n        name: api\n")}moved: [{ from: service.shop.api, to: service.shop.web }]\n`,
    );
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(services().map((one) => one.id)).toEqual([id]);
    await scenario.isQuiet();
  });

  // "No list of the interface shows archived services: what no state knows can only be imported by id."
  it("of which only the id is known are never made a second time because that id cannot be looked up", async () => {
    await opened(block());
    const id = archiveOutside();
    rmSync(join(scenario.folder, ".rnv"), { recursive: true });
    scenario.write("rnv.yaml", block(`        import: ${id}\n`));
    const blind = { env: { RNV_GAP_READ_SERVICE: "off" } };
    const planned = await scenario.runWith(blind, "plan", "-adopt");
    expect(planned.code).toBe(1);
    expect(planned.stderr).toContain("live.import_missing");
    expect(planned.stderr).toContain("it is unknown whether");
    expect(planned.stderr).toContain("RNV_GAP_READ_SERVICE");
    expect((await scenario.runWith(blind, "apply", "-adopt", ...approve)).code).toBe(1);
    expect(services()).toHaveLength(1);
    expect((await scenario.run("apply", "-adopt", ...approve)).code).toBe(0);
    expect(services().map((one) => [one.id, one.archived])).toEqual([[id, false]]);
    await scenario.isQuiet();
  });
});
