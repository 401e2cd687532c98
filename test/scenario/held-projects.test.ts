import { approve, eachScenario } from "../support/cli";

const service = (name: string) => `      ${name}: { kind: web, deploy: { when: never } }\n`;
const shop = (...names: string[]) =>
  `projects:\n  shop:\n    name: Shop\n    services:\n${names.map(service).join("")}`;
const other = "services:\n  docs: { kind: static, deploy: { when: never } }\n";

/** Interface, "Projects": the project must hold no services and no scoped environment groups. */
describe("a project that is to be deleted while it holds something else", () => {
  // The reason is a text of the service.
  const scenario = eachScenario({ readings: { errorBody: "top" } });
  const projectId = () => scenario.emulator.store.projects()[0]?.id ?? "";

  beforeEach(async () => {
    await scenario.applied(`${shop("api", "web")}${other}`);
    scenario.forget();
  });

  it("is named with what it holds, and none of its services is destroyed", async () => {
    const legacy = scenario.emulator.store.addService({ name: "legacy", projectId: projectId() });
    const planned = await scenario.run("plan", "-destroy", "-detailed-exitcode");
    expect(planned.code).toBe(4);
    expect(planned.stdout).toContain(
      `blocked: project.shop still contains the service "legacy" (id ${legacy.id}, not managed here), which would not be deleted with it`,
    );
    const { code, stderr } = await scenario.run("destroy", ...approve);
    expect({ code, writes: scenario.requests() }).toEqual({ code: 4, writes: [] });
    expect(stderr).toContain("error[guard.holds_others]: project.shop still contains");
    expect(stderr).toContain("rnv destroy --exclude project.shop");
    expect((await scenario.run("destroy", ...approve, "--exclude", "project.shop")).code).toBe(0);
    expect(scenario.names()).toEqual(["legacy"]);
  });

  it("is held by an environment group of its own, and not by a group of another project", async () => {
    const [project] = scenario.emulator.store.projects();
    const environmentId = project?.environments[0]?.id ?? "";
    const elsewhere = scenario.emulator.store.addProject({ name: "Elsewhere" });
    scenario.emulator.store.addGroup({
      name: "theirs",
      serviceIds: [],
      projectId: elsewhere.id,
      environmentId: elsewhere.environments[0]?.id ?? "",
    });
    const group = { name: "secrets", serviceIds: [], projectId: projectId(), environmentId };
    scenario.emulator.store.addGroup(group);
    const { code, stderr } = await scenario.run("destroy", ...approve);
    expect({ code, writes: scenario.requests() }).toEqual({ code: 4, writes: [] });
    expect(stderr).toContain('project.shop still contains the environment group "secrets"');
    expect(stderr).not.toContain("theirs");
  });

  it("is told truthfully where no list shows what it holds, and the command to repeat is the given command", async () => {
    const hidden = scenario.emulator.store.addService({ name: "old", projectId: projectId() });
    scenario.emulator.store.editService(hidden.id, () => ({ archived: true }));
    const { code, stdout, stderr } = await scenario.run("destroy", ...approve);
    expect(code).toBe(3);
    expect(stderr).toContain("project.shop was not deleted: The project still holds services");
    expect(stderr).toContain("archived services are on no canvas and cannot be listed");
    expect(stdout).toContain(
      "Nothing is lost. Fix the cause, then run: rnv destroy -auto-approve -input=false",
    );
    expect(`${stdout}${stderr}`).not.toContain("rnv apply");
    scenario.emulator.store.deleteServiceNow(hidden.id);
    expect((await scenario.run("destroy", ...approve)).code).toBe(0);
    expect(scenario.emulator.store.projects()).toEqual([]);
  });

  it("is told with the name of a service that was put into it since the plan", async () => {
    scenario.fail(({ method, path }) =>
      method === "DELETE" && path.includes("/projects/")
        ? {
            kind: "hook",
            when: "before",
            run: (store) => void store.addService({ name: "late", projectId: projectId() }),
          }
        : undefined,
    );
    const { code, stderr } = await scenario.run("destroy", ...approve);
    expect(code).toBe(3);
    expect(stderr).toContain('It holds the service "late"');
    scenario.fail();
    expect((await scenario.run("destroy", ...approve)).stderr).toContain('the service "late"');
  });
});
