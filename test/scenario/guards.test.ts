import { approve, oneScenario, openScenario } from "../support/cli";

const service = (name: string, kind = "web") =>
  `      ${name}:\n        kind: ${kind}\n        configuration: { repository: "https://git.example.com/${name}" }\n        deploy: { when: never }\n`;
const shop = (...services: string[]) =>
  `projects:\n  shop:\n    name: Shop\n    services:\n${services.join("")}`;

describe("the guards of deletions", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    await scenario.applied(shop(service("api"), service("web")));
  });
  beforeEach(() => scenario.forget());
  afterEach(() => scenario.fail());

  it("approval alone deletes no service, and says how to confirm it", async () => {
    scenario.write("rnv.yaml", shop(service("api")));
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect(code).toBe(4);
    expect(stderr).toContain("error[guard.delete_unconfirmed]: service.shop.web will be destroyed");
    expect(stderr).toContain("--confirm-delete service.shop.web");
    const { stdout } = await scenario.run("plan", "-destroy", "--format=markdown");
    expect(stdout).toContain("To destroy it: `--confirm-delete service.shop.web`; rnv destroy asks");
    expect(scenario.requests()).toEqual([]);
  });

  it("a confirmation that is mistyped is told, a confirmation of a past deletion is not", async () => {
    scenario.write("rnv.yaml", `${shop(service("api"))}removed: [service.shop.old, service.shop.wbe]\n`);
    const { stdout } = await scenario.run("plan", "--confirm-delete", "service.shop.we");
    const warned = "is neither declared nor recorded\n";
    expect(stdout).toContain(`warning[plan.target_unknown]: service.shop.wbe ${warned}  --> rnv.yaml:9:29`);
    expect(stdout).toContain(`warning[plan.target_unknown]: service.shop.we ${warned}`);
    expect(stdout.match(/did you mean "service.shop.web"/g)).toHaveLength(2);
    expect(stdout).not.toContain("service.shop.old is");
  });

  it("approval alone deletes no project", async () => {
    scenario.write("rnv.yaml", "services:\n  docs: { kind: static, deploy: { when: never } }\n");
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect(code).toBe(4);
    expect(stderr).toContain("project.shop will be destroyed");
    expect(scenario.requests()).toEqual([]);
  });

  it("one confirmation does not confirm another deletion", async () => {
    const confirmed = ["--confirm-delete", "service.shop.web", "--confirm-delete=project.shop"];
    const { code } = await scenario.run("apply", ...approve, ...confirmed);
    expect(code).toBe(4);
    expect(scenario.requests()).toEqual([]);
  });

  it("an empty manifest deletes nothing, whatever is confirmed", async () => {
    const all = ["service.shop.api", "service.shop.web", "project.shop"];
    const confirmed = all.map((address) => `--confirm-delete=${address}`);
    for (const text of ["", "# nothing\n", "projects: {}\n"]) {
      scenario.write("rnv.yaml", text);
      const { code, stderr } = await scenario.run("apply", ...approve, ...confirmed);
      expect({ text, code }).toEqual({ text, code: 4 });
      expect(stderr).toContain("error[guard.empty_manifest]");
      expect(scenario.requests()).toEqual([]);
    }
  });

  it("a service renamed since the state was written is not deleted", async () => {
    const { store } = scenario.emulator;
    const web = scenario.idOf("web");
    store.renameService(web, "billing");
    scenario.write("rnv.yaml", shop(service("api")));
    const { code, stderr } = await scenario.run("apply", ...approve, "--confirm-delete=service.shop.web");
    expect(code).toBe(4);
    expect(stderr).toContain("error[guard.name_changed]");
    expect(stderr).toContain("billing");
    expect(scenario.requests()).toEqual([]);
    store.renameService(web, "web");
  });

  it("a service renamed between plan and deletion is not deleted", async () => {
    const { store } = scenario.emulator;
    const web = scenario.idOf("web");
    scenario.fail(({ method }) =>
      method === "DELETE"
        ? { kind: "hook", when: "before", run: (at) => void at.renameService(web, "billing") }
        : undefined,
    );
    const { code, stderr } = await scenario.run("apply", ...approve, "--confirm-delete=service.shop.web");
    expect(code).not.toBe(0);
    expect(stderr).toContain("service.shop.web");
    expect(scenario.names()).toEqual(["api", "billing"]);
    store.renameService(web, "web");
  });

  it("a changed kind is a replacement, which counts as a deletion", async () => {
    scenario.write("rnv.yaml", shop(service("api"), service("web", "static")));
    const planned = await scenario.run("plan");
    expect(planned.stdout).toContain("service.shop.web must be replaced");
    const refused = await scenario.run("apply", ...approve);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("hint: To destroy it: --confirm-delete service.shop.web\n");
    expect(scenario.requests()).toEqual([]);
    const before = scenario.service("web")?.id;
    const { code } = await scenario.run("apply", ...approve, "--confirm-delete=service.shop.web");
    expect(code).toBe(0);
    const after = scenario.service("web");
    expect(after?.kind).toBe("static");
    expect(after?.id).not.toBe(before);
    await scenario.isQuiet();
  });

  it("-replace names what it replaces: that confirms it", async () => {
    const before = scenario.service("api")?.id;
    await scenario.applies("-replace=service.shop.api");
    expect(scenario.service("api")?.id).not.toBe(before);
    await scenario.isQuiet();
  });

  it("a removed entry in git confirms the deletion", async () => {
    await scenario.applied(`${shop(service("api"))}removed: [service.shop.web]\n`);
    expect(scenario.names()).toEqual(["api"]);
    await scenario.isQuiet();
  });
});

describe("preventDestroy", () => {
  it("holds against removal, replacement and destroy, also once its block is gone", async () => {
    const scenario = await openScenario();
    const guarded = service("api").concat("        lifecycle: { preventDestroy: true }\n");
    await scenario.applied(shop(guarded, service("web")));
    scenario.forget();
    const attempts = [
      ["apply", shop(guarded.replace("kind: web", "kind: static"), service("web"))],
      ["apply", shop(service("web"))],
      ["destroy", shop(service("web"))],
    ] as const;
    for (const [verb, text] of attempts) {
      scenario.write("rnv.yaml", text);
      const { code, stderr } = await scenario.run(verb, ...approve, "--confirm-delete=service.shop.api");
      expect({ verb, text, code }).toEqual({ verb, text, code: 4 });
      expect(stderr).toContain("error[guard.prevent_destroy]");
      expect(scenario.requests()).toEqual([]);
    }
    await scenario.applied(shop(service("api"), service("web")));
    expect((await scenario.run("destroy", ...approve)).code).toBe(0);
    expect(scenario.emulator.store.projects()).toEqual([]);
  });
});
