import { approve, eachScenario, printing } from "../support/cli";

const source = "configuration: { repository: 'https://git.example.com/shop' }";
const service = (name: string, more = "") =>
  `      ${name}: { kind: web, deploy: { when: never }, ${source}${more} }\n`;
const shop = (...services: readonly string[]) =>
  `projects:\n  shop:\n    name: Shop\n    services:\n${services.join("")}`;
const db = service("db");
const api = service("api");
const confirmed = ["--confirm-delete", "service.shop.db"] as const;

/** Interface, "Canvas": a `reference` edge points from consumer to provider and lists variable names only. */
describe("a service that others refer to", () => {
  // All is about these edges and the names they list.
  const scenario = eachScenario({ readings: { referenceEdges: "keys" } });

  beforeEach(async () => {
    await scenario.applied(shop(api, db));
    const { store } = scenario.emulator;
    const billing = store.addProject({ name: "Billing" });
    const invoices = store.addService({ name: "invoices", projectId: billing.id });
    store.addReference(invoices.id, scenario.idOf("db"), ["DATABASE_URL"]);
    scenario.settle();
    scenario.forget();
  });

  it("is not deleted before that is confirmed, and every report names them", async () => {
    scenario.write("rnv.yaml", shop(api));
    const facts = `service.shop.db is used by the service "invoices" of project "Billing" (DATABASE_URL)`;
    const planned = await scenario.run("plan", "-detailed-exitcode", "--html", "plan.html", ...confirmed);
    expect(planned.code).toBe(4);
    expect(planned.stdout).toContain(facts);
    expect(planned.stdout).toContain("--confirm-consumers service.shop.db");
    expect(scenario.read("plan.html")).toContain("is used by the service");
    const markdown = await scenario.run("plan", "--format", "markdown");
    expect(markdown.stdout).toContain('is used by the service "invoices" of project "Billing"');
    const document = JSON.parse((await scenario.run("plan", "-json")).stdout);
    const blocks = document.resource_changes.flatMap(
      ({ blocked_by: block }: { blocked_by?: object }) => block ?? [],
    );
    expect(blocks).toEqual([expect.objectContaining({ code: "guard.consumers", summary: facts })]);
    scenario.forget();
    const refused = await scenario.run("apply", ...approve, ...confirmed);
    expect({ code: refused.code, writes: scenario.requests() }).toEqual({ code: 4, writes: [] });
    expect(refused.stderr).toContain(`error[guard.consumers]: ${facts}`);
    const applied = await scenario.run(
      "apply",
      ...approve,
      ...confirmed,
      "--confirm-consumers",
      "service.shop.db",
    );
    expect(applied.code).toBe(0);
    expect(scenario.idOf("db")).toBe("");
  });

  it("names a consumer outside of Production with its environment", async () => {
    const { store } = scenario.emulator;
    const billing = store.projects().find(({ name }) => name === "Billing")?.id ?? "";
    const environmentId = store.addEnvironment(billing, "QA").id;
    const other = store.addService({ name: "invoices", projectId: billing, environmentId });
    store.addReference(other.id, scenario.idOf("db"), ["DATABASE_URL"]);
    scenario.write("rnv.yaml", shop(api));
    const { code, stdout } = await scenario.run("plan", "-detailed-exitcode", ...confirmed);
    expect({ code, stdout }).toMatchObject(
      printing(
        4,
        'the service "invoices" of project "Billing" (DATABASE_URL), the service "invoices" of project "Billing", environment "QA" (DATABASE_URL)',
      ),
    );
  });

  it("is deleted where the manifest confirms that, or a saved plan", async () => {
    scenario.write("rnv.yaml", `${shop(api)}removed: [service.shop.db]\n`);
    expect((await scenario.run("apply", ...approve)).code).toBe(4);
    const saved = ["plan", "-out", "db.rnvplan", "--confirm-consumers", "service.shop.db"] as const;
    const env = { RNV_STATE_KEY: "5".repeat(64) };
    expect((await scenario.runWith({ env }, ...saved)).code).toBe(0);
    // Without the key that made it, a saved plan confirms nothing.
    expect((await scenario.run("apply", "db.rnvplan")).code).toBe(4);
    await scenario.applied(`${shop(api)}removed: [{ address: service.shop.db, consumers: true }]\n`);
    expect(scenario.idOf("db")).toBe("");
  });

  it("is deleted together with them, and where only an environment group is linked", async () => {
    const { store } = scenario.emulator;
    store.deleteServiceNow(scenario.idOf("invoices"));
    store.addReference(scenario.idOf("api"), scenario.idOf("db"), []);
    store.addGroup({ name: "secrets", serviceIds: [scenario.idOf("api"), scenario.idOf("db")] });
    scenario.write("rnv.yaml", `services:\n  docs: { kind: static, deploy: { when: never } }\n`);
    const names = ["project.shop", "service.shop.api", "service.shop.db"];
    const applied = await scenario.run(
      "apply",
      ...approve,
      ...names.map((name) => `--confirm-delete=${name}`),
    );
    expect(applied.code).toBe(0);
  });

  it("is deleted where the same plan changes the variables of the reference", async () => {
    const { store } = scenario.emulator;
    store.deleteServiceNow(scenario.idOf("invoices"));
    const old = service("api", ", variables: { DB_HOST: db.internal }");
    await scenario.applied(shop(old, db));
    store.addReference(scenario.idOf("api"), scenario.idOf("db"), ["DB_HOST"]);
    scenario.write("rnv.yaml", shop(old));
    expect((await scenario.run("apply", ...approve, ...confirmed)).code).toBe(4);
    scenario.write("rnv.yaml", shop(service("api", ", variables: { DB_HOST: other.internal }")));
    await scenario.applies(...confirmed);
  });

  it("is archived, renamed and suspended with a warning, and so are changes of a variable that they name", async () => {
    const warned = async (...variants: readonly string[]) => {
      scenario.write("rnv.yaml", shop(api, ...variants));
      const { code, stdout, stderr } = await scenario.run("plan");
      expect(code).toBe(0);
      return stdout + stderr;
    };
    const users = 'is used by the service "invoices" of project "Billing" (DATABASE_URL)';
    expect(await warned(service("db", ", archived: true"))).toContain(
      `service.shop.db will be archived and ${users}`,
    );
    expect(await warned(service("db", ", name: base"))).toContain(
      `service.shop.db will be renamed and ${users}`,
    );
    const withUrl = service("db", ", variables: { DATABASE_URL: one, OTHER: two }");
    expect(await warned(withUrl)).not.toContain("guard.consumers");
    await scenario.applies();
    const without = await warned(db);
    expect(without).toContain(`variable.shop.db.DATABASE_URL will be destroyed and ${users}`);
    expect(without).not.toContain("variable.shop.db.OTHER will be destroyed and");
    expect((await scenario.run("deploy", "service.shop.db")).code).toBe(0);
    const suspended = await scenario.run("suspend", "service.shop.db");
    expect(suspended.stderr).toContain(`warning[guard.consumers]: service.shop.db ${users}`);
  });

  it("is said to be unchecked where the canvas is read project by project", async () => {
    scenario.fail(({ method, path, query }) =>
      method === "GET" && path.endsWith("/canvas") && query === ""
        ? { kind: "status", when: "before", status: 413, code: "canvas_too_large" }
        : undefined,
    );
    scenario.write("rnv.yaml", shop(api));
    const { stdout, stderr } = await scenario.run("plan");
    expect(stdout + stderr).toContain("consumers in other projects were not checked");
  });
});
