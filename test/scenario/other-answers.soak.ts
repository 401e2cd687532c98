import { approve, openScenario, type Scenario } from "../support/cli";

const two = `
projects:
  shop:
    services:
      api: { kind: web, deploy: { when: never }, variables: { MODE: one } }
      worker: { kind: web, deploy: { when: never }, variables: { MODE: two } }
`;
const deployed = two.replaceAll(
  "deploy: { when: never }",
  'configuration: { repository: "https://git.example.com/api" }',
);

interface Recorded {
  readonly resources: Readonly<Record<string, { readonly id: string }>>;
}

/** DESIGN section 5: "a request by id gets that id; a create gets the name, kind and parent sent and an id not in the inventory". */
describe("an answer about another resource", () => {
  let scenario: Scenario;
  const store = () => scenario.emulator.store;
  const recorded = () => (JSON.parse(scenario.read(".rnv/state.json")) as Recorded).resources;
  const serviceIds = () =>
    Object.fromEntries(
      store()
        .services()
        .map(({ name, id }) => [name, id]),
    );
  beforeEach(async () => {
    scenario = await openScenario();
  });
  afterEach(() => scenario.close());

  const isCreate =
    (kind: string) =>
    ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
      method === "POST" && path.endsWith(`/${kind}`);

  it("does not make a stranger's service ours: what was made is looked for, and recorded", async () => {
    const theirs = store().addService({ name: "theirs", live: true });
    const before = JSON.stringify(store().services());
    scenario.write("rnv.yaml", two);
    scenario.fail((request) =>
      isCreate("services")(request) && request.body?.includes('"api"')
        ? { kind: "other-id", id: theirs.id }
        : undefined,
    );
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    scenario.fail();
    expect(store().services()).toHaveLength(3);
    expect(recorded()["service.shop.api"]?.id).toBe(serviceIds().api);
    await scenario.isQuiet();
    expect(
      JSON.stringify(
        store()
          .services()
          .filter(({ id }) => id === theirs.id),
      ),
    ).toBe(JSON.stringify(JSON.parse(before)));
  });

  it("does not make a stranger's project ours", async () => {
    const theirs = store().addProject({ name: "Theirs" });
    scenario.write("rnv.yaml", two);
    scenario.fail((request) =>
      isCreate("projects")(request) ? { kind: "other-id", id: theirs.id } : undefined,
    );
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    scenario.fail();
    expect(store().projects()).toHaveLength(2);
    expect(recorded()["project.shop"]?.id).not.toBe(theirs.id);
    await scenario.isQuiet();
  });

  it("does not record one variable twice", async () => {
    scenario.write("rnv.yaml", two.replace("variables: { MODE: two }", "variables: {}"));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    const mode = recorded()["variable.shop.api.MODE"]?.id ?? "";
    scenario.write("rnv.yaml", two);
    scenario.fail((request) => (isCreate("variables")(request) ? { kind: "other-id", id: mode } : undefined));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    scenario.fail();
    const [made] = store().variables(serviceIds().worker ?? "");
    expect(recorded()["variable.shop.worker.MODE"]?.id).toBe(made?.id);
    await scenario.isQuiet();
  });

  it("does not take an earlier deployment for the new one", async () => {
    scenario.write("rnv.yaml", deployed);
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    const earlier = recorded()["deployment.shop.api"]?.id ?? "";
    scenario.write("rnv.yaml", deployed.replace("MODE: one", "MODE: three"));
    scenario.fail((request) =>
      isCreate("deploys")(request) ? { kind: "other-id", id: earlier } : undefined,
    );
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    scenario.fail();
    expect(store().deployments(serviceIds().api ?? "")).toHaveLength(2);
    expect(recorded()["deployment.shop.api"]?.id).not.toBe(earlier);
    await scenario.isQuiet();
  });

  it("of a poll does not end a wait: the deployment that was asked for is asked for again", async () => {
    scenario.write("rnv.yaml", deployed);
    let asked = 0;
    scenario.fail(({ method, path }) =>
      method === "GET" && /deploys\/[^/]+$/.test(path) && asked++ < 2 ? { kind: "other-id" } : undefined,
    );
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    expect(asked).toBeGreaterThan(2);
    scenario.fail();
    await scenario.isQuiet();
  });
});

/** DESIGN section 5: "A listing that fails, is short, or does not parse is an error; it never means empty." */
describe("a list that does not show what a plan decides on", () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    scenario.write("rnv.yaml", two);
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  });
  afterAll(() => scenario.close());
  beforeEach(() => scenario.forget());
  afterEach(() => scenario.fail());

  it.each([
    ["canvas", "configuration", "nodes.0.configuration of ID"],
    ["canvas", "name", "nodes.0.name of ID"],
    ["canvas", "id", "nodes.0.id:"],
    ["canvas", "kind", "nodes.0.kind of ID"],
    ["projects", "name", "projects.0.name of ID"],
    ["variables", "updatedAt", "variables.0.updatedAt of ID"],
    ["variables", "key", "variables.0.key of ID"],
  ])("stops each command that needs it: %s without %s", async (list, field, told) => {
    scenario.fail(({ method, path }) =>
      method === "GET" && path.endsWith(`/${list}`) ? { kind: "without-fields", fields: [field] } : undefined,
    );
    for (const command of [["plan"], ["apply", ...approve], ["drift"], ["destroy", ...approve]]) {
      const { code, stdout, stderr } = await scenario.run(...command);
      expect({ command, code, stdout }).toMatchObject({ command, code: 1, stdout: "" });
      expect(stderr).toContain("error[api.malformed]");
      expect(stderr.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")).toContain(told);
    }
    expect(scenario.requests()).toEqual([]);
    scenario.fail();
    await scenario.isQuiet();
  });

  it("makes a write uncertain where its answer is short; what was made is looked for, and nothing is made twice", async () => {
    scenario.fail(({ method }) =>
      method === "GET" ? undefined : { kind: "without-fields", fields: ["configuration", "updatedAt"] },
    );
    scenario.write(
      "rnv.yaml",
      `${two
        .replace("api: { kind: web", "api: { kind: web, configuration: { branch: next }")
        .replace("MODE: two", "MODE: three")}      cron: { kind: web, deploy: { when: never } }\n`,
    );
    const uncertain = await scenario.run("apply", ...approve);
    expect({ code: uncertain.code, stderr: uncertain.stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("error[api.malformed]"),
    });
    expect(scenario.emulator.store.services()).toHaveLength(3);
    scenario.fail();
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    expect(scenario.emulator.store.services()).toHaveLength(3);
    await scenario.isQuiet();
  });
});
