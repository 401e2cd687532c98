import { approve, eachScenario, printing } from "../support/cli";

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
  const scenario = eachScenario();

  const services = () => scenario.emulator.store.services();
  const archiveOutside = (archived = true) => {
    const id = services()[0]?.id ?? "";
    scenario.emulator.store.editService(id, () => ({ archived }));
    return id;
  };
  const opened = async (text: string) => {
    await scenario.applied(text);
    await scenario.isQuiet();
    scenario.forget();
  };

  // DESIGN section 4: "Whether a managed service is archived is always ours: it is declared, or false."
  it("are drift where they were archived outside, and the next apply restores them", async () => {
    await opened(block());
    archiveOutside();
    expect(await scenario.run("drift")).toMatchObject(printing(2, "1 changed outside rnv"));
    const planned = await scenario.run("plan");
    expect(planned.stdout).toMatch(/archived +true -> false +# drift: changed outside rnv/);
    await scenario.applies();
    // "Restore: no deployment and no resume of infrastructure" (interface, "Moves that are stated").
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/restore"]);
    expect(services().map(({ archived }) => archived)).toEqual([false]);
    await scenario.isQuiet();
    expect((await scenario.run("drift")).code).toBe(0);
  });

  it("stay with ignoreChanges, and an apply that cannot deploy them says so and ends with exit 7", async () => {
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
          standing: { code: "held", class: "pending", summary: "cannot run: its service is archived" },
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
    await scenario.applies();
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/deploys"]);
    await scenario.isQuiet();
  });

  it("stay in the state after onRemove, and are restored under their ids once they are declared again", async () => {
    await opened(block(onRemove));
    const before = services().map(({ id }) => id);
    await scenario.applied("projects: { shop: {} }\n");
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/archive"]);
    scenario.forget();
    // The address is not managed: a plan says nothing about it and asks for nothing.
    await scenario.isQuiet();
    expect(scenario.requests("all").filter((request) => request.includes("/services/"))).toEqual([]);
    const listed = (await scenario.run("state", "list")).stdout;
    expect(listed).toContain("service.shop.api  (retained)\n");
    expect(listed).toContain("project.shop\n");
    expect((await scenario.run("state", "show", "service.shop.api")).stdout).toMatch(
      /# kept +retained: archived/,
    );
    scenario.forget();
    scenario.write("rnv.yaml", block(onRemove, "next"));
    const planned = await scenario.run("plan");
    expect(planned.stdout).toContain("service.shop.api will be restored");
    expect(planned.stdout).toContain("Plan: 0 to add, 2 to change, 0 to destroy.");
    await scenario.applies();
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
    await scenario.applied(block(onRemove));
    expect(scenario.requests()).toEqual(["POST /workspaces/ID/services/ID/restore"]);
    expect([scenario.emulator.store.projects().length, services().length]).toEqual([1, 1]);
    await scenario.isQuiet();
  });

  it("are not found by --adopt or export, which say so, and are taken over by id", async () => {
    await opened(block());
    const id = archiveOutside();
    for (const { path } of scenario.files())
      if (path.endsWith("state.json")) await scenario.run("state", "rm", "project.shop");
    const adopting = await scenario.run("plan", "--adopt");
    expect(adopting.stdout + adopting.stderr).toContain("warning[live.unlisted]");
    expect(adopting.stdout + adopting.stderr).toContain("import: ID");
    expect((await scenario.run("export")).stderr).toContain("Archived services cannot be listed");
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
    await scenario.applies("--adopt");
    expect(scenario.requests()).toContain("POST /workspaces/ID/services/ID/restore");
    expect(services().map((one) => one.id)).toEqual([id]);
    await scenario.isQuiet();
  });
});
