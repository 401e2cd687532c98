import { embeddedApiKey } from "../../src/emulator/emulator";
import { approve, openScenario, type Scenario } from "../support/cli";

const readKey = "rnv_read_only";
const shop = (branch = "main", level = "info") => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/api", branch: ${branch} }
        variables: { LOG_LEVEL: ${level} }
      web: { kind: static, deploy: { when: never } }
`;

describe("drift, with a key that may only read", () => {
  let scenario: Scenario;
  const find = (name: string) =>
    scenario.emulator.store.services().find((one) => one.name === name)?.id ?? "";
  const drift = (...args: string[]) => scenario.runWith({ env: { RNV_API_KEY: readKey } }, "drift", ...args);
  beforeAll(async () => {
    scenario = await openScenario({
      apiKeys: [
        { key: embeddedApiKey, scope: "write", role: "owner" },
        { key: readKey, scope: "read", role: "viewer" },
      ],
    });
    scenario.write("rnv.yaml", shop());
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  });
  afterAll(() => scenario.close());
  beforeEach(() => {
    scenario.write("rnv.yaml", shop());
    scenario.forget();
  });
  afterEach(() => scenario.fail());

  it("is 0 when nothing changed, writes nothing and leaves no lock", async () => {
    const before = scenario.files();
    expect(await drift()).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    expect(scenario.files()).toEqual(before);
  });

  it("is 2 and told apart: drifted, pending, missing, unmanaged", async () => {
    const { store } = scenario.emulator;
    store.editConfiguration(find("api"), { branch: "evil" });
    const [variable] = store.variables(find("api"));
    store.editVariable(variable?.id ?? "", { value: "evil" });
    store.deleteServiceNow(find("web"));
    store.addService({ name: "theirs" });
    scenario.write("rnv.yaml", shop("main", "info").replace("branch: main", "branch: main, port: 9000"));
    const { code, stdout } = await drift("-json");
    expect(code).toBe(2);
    const report = JSON.parse(stdout);
    const addresses = (list: readonly { address: string }[]) => list.map(({ address }) => address);
    expect(addresses(report.drifted)).toEqual(
      expect.arrayContaining(["service.shop.api", "variable.shop.api.LOG_LEVEL"]),
    );
    expect(addresses(report.pending)).toContain("service.shop.api");
    expect(JSON.stringify(report.missing)).toContain("service.shop.web");
    expect(JSON.stringify(report.unmanaged)).toContain("theirs");
    expect(stdout).not.toContain("LOG_LEVEL: evil");
    for (const format of ["text", "markdown"])
      expect(await drift("--format", format)).toMatchObject({ code: 2 });
    expect(scenario.requests()).toEqual([]);
  });

  it("is repaired by apply, and by nothing else", async () => {
    expect(await drift()).toMatchObject({ code: 2 });
    const refused = await scenario.runWith({ env: { RNV_API_KEY: readKey } }, "apply", ...approve);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("api.forbidden");
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    expect(await drift()).toMatchObject({ code: 0 });
    await scenario.isQuiet();
  });

  it.each([
    ["fails", { kind: "status", status: 403 }],
    ["is not JSON", { kind: "html", status: 200 }],
    ["is cut off", { kind: "malformed" }],
  ] as const)("is 1, never 0, when a listing %s", async (_, fault) => {
    scenario.fail(({ path }) => (path.endsWith("/projects") ? fault : undefined));
    const { code, stdout, stderr } = await drift();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("error[");
  });
});
