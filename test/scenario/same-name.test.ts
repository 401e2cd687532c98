import { approve, eachScenario, failing, openScenario, printing } from "../support/cli";

const repository = "https://git.example.com/shop/api";
const api = (variables: string): string =>
  `services: { api: { kind: worker, configuration: { repository: "${repository}" }, variables: ${variables} } }\n`;
const generated = "{ generate: { length: 32 } }";

/** Interface, "Variable": `id` is a uuid. The recorded one stays under any address, and its value with it. */
describe("a variable whose entry has another name", () => {
  const at = eachScenario();
  const value = (key: string) => at.valueOf(key, "api");

  it.each([
    ["a value that is made", `{ SESSION: ${generated} }`],
    ["preserve", "{ SESSION: { preserve: true } }"],
    ["a name of its own", `{ other: { key: SESSION, value: ${generated} } }`],
  ])("stays the same variable with its value, and nothing runs again: %s", async (_, variables) => {
    await at.applied(api(`{ session: { key: SESSION, value: ${generated} } }`));
    const before = [value("SESSION"), at.variable("SESSION", "api")?.id];
    at.forget();
    at.write("rnv.yaml", api(variables));
    expect(await at.run("plan")).toMatchObject(
      printing(0, "variable.api.session has moved to variable.api."),
    );
    await at.applies();
    expect({ after: [value("SESSION"), at.variable("SESSION", "api")?.id], sent: at.requests() }).toEqual({
      after: before,
      sent: [],
    });
    await at.isQuiet();
  });

  it.each([
    ["that is made", `value: ${generated}`],
    ["that is preserved", "preserve: true"],
  ])("passes no value %s on to another key: entries that count are refused", async (_, more) => {
    const counted = (...keys: readonly string[]) =>
      api(`{ ${keys.map((key, at) => `s${at}: { key: ${key}, ${more} }`).join(", ")} }`);
    await at.applied(api("{}"));
    if (more.startsWith("preserve"))
      for (const key of ["CSRF", "COOKIE", "CIPHER"])
        at.emulator.store.addVariable(at.idOf("api"), key, `of ${key}`);
    await at.applied(counted("CSRF", "COOKIE", "CIPHER"));
    at.forget();
    at.write("rnv.yaml", counted("COOKIE", "CIPHER"));
    const summary = 'variable.api.s0 would become "COOKIE", which is variable.api.s1';
    expect(await at.run("apply", ...approve)).toMatchObject(failing(1, summary));
    expect(at.requests()).toEqual([]);
  });

  it("passes on what the manifest holds", async () => {
    await at.applied(api("{ s0: { key: A, value: a }, s1: { key: B, value: b } }"));
    await at.applied(api("{ s0: { key: B, value: b } }"));
    expect([value("A"), value("B")]).toEqual([undefined, "b"]);
    await at.isQuiet();
  });
});

describe("a name that a resource would take", () => {
  const at = eachScenario();
  const counted = (...names: readonly string[]): string =>
    `services:\n${names.map((name, at) => `  db${at}: { name: ${name}, kind: postgres }\n`).join("")}`;

  it.each([
    ["another order", ["orders", "users", "audit"]],
    ["the first removed", ["orders", "audit"]],
  ])("of another recorded service is refused, so that no service becomes another: %s", async (_, names) => {
    await at.applied(counted("users", "orders", "audit"));
    at.forget();
    at.write("rnv.yaml", counted(...names));
    const removed = names.length < 3 ? ["--confirm-delete", "service.db2"] : [];
    const refused = await at.run("apply", ...approve, ...removed);
    expect(refused).toMatchObject(failing(1, 'service.db0 would become "orders", which is service.db1'));
    expect(at.requests()).toEqual([]);
  });

  it("of a service in another environment is free", async () => {
    const shop = (name: string): string =>
      `projects:\n  shop:\n    services:\n      a: { name: ${name}, kind: worker, environment: Production, deploy: { when: never } }\n      b: { name: api, kind: worker, environment: Staging, deploy: { when: never } }\n`;
    await at.applied("projects: { shop: {} }\n");
    at.emulator.store.addEnvironment(at.emulator.store.projects()[0]?.id ?? "", "Staging");
    await at.applied(shop("web"));
    await at.applied(shop("api"));
    expect(at.names()).toEqual(["api", "api"]);
    await at.isQuiet();
  });

  it("of a service or project that is not managed is refused, as for a new one", async () => {
    const shop = (project: string, service: string) =>
      `projects: { shop: { name: ${project}, services: { api: { name: ${service}, kind: worker, deploy: { when: never } } } } }\n`;
    await at.applied(shop("Shop", "api"));
    const { store } = at.emulator;
    const [project] = store.projects();
    store.addService({ name: "web", kind: "web", projectId: project?.id });
    store.addProject({ name: "Store" });
    at.forget();
    for (const [manifest, named] of [
      [shop("Shop", "web"), 'service.shop.api cannot be named "web": another service has that name'],
      [shop("Store", "api"), 'project.shop cannot be named "Store": another project has that name'],
    ] as const) {
      at.write("rnv.yaml", manifest);
      expect(await at.run("apply", ...approve)).toMatchObject(failing(1, named));
    }
    expect(at.requests()).toEqual([]);
  });
});

/** Interface, "Idempotency rules": an answer may be lost. Another user may make the key in that moment. */
it("a variable that is found after a lost request has the declared value", async () => {
  const at = await openScenario();
  let isFirst = true;
  at.fail(({ method, path }) => {
    if (!isFirst || method !== "POST" || !path.endsWith("/variables")) return undefined;
    isFirst = false;
    at.emulator.store.addVariable(at.idOf("api"), "TOKEN", "theirs");
    return { kind: "status", status: 503 };
  });
  await at.applied(api("{ TOKEN: ours }"));
  expect(at.valueOf("TOKEN", "api")).toBe("ours");
  await at.isQuiet();
});

it.each([
  ['services: { a: { kind: web, name: "${env.constructor}" } }\n', "constructor is not set"],
  ["services: { a: { kind: web, variables: { X: { fromEnv: toString } } } }\n", "toString is not set"],
  ["services: { a: { kind: web, variables: { X: { valueOf: a } } } }\n", 'has no attribute "valueOf"'],
])("a name that each object of JavaScript has is a name like others: %s", async (manifest, summary) => {
  const at = await openScenario();
  at.write("rnv.yaml", manifest);
  expect(await at.run("plan")).toMatchObject(failing(1, summary));
});
