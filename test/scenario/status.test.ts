import { embeddedApiKey } from "../../src/emulator/emulator";
import { eachScenario, oneScenario, openScenario } from "../support/cli";

const readKey = "rnv_read_only";
const manifest = `
projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/api" } }
      web: { kind: static, configuration: { repository: "https://git.example.com/web" } }
      cron: { kind: web, deploy: { when: never } }
`;

describe("status and deployments, with a key that may only read", () => {
  const scenario = oneScenario({
    apiKeys: [
      { key: embeddedApiKey, scope: "write", role: "owner" },
      { key: readKey, scope: "read", role: "viewer" },
    ],
    // What runs and how it is are words of the service.
    readings: { statusWords: "seen" },
  });
  const store = () => scenario.emulator.store;
  const run = (...args: string[]) => scenario.runWith({ env: { RNV_API_KEY: readKey } }, ...args);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "-json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };

  it("say that nothing is recorded before the first apply", async () => {
    expect(await run("status")).toEqual({ code: 0, stdout: "", stderr: "No service is recorded yet.\n" });
    expect(await json("status")).toEqual({ format_version: "1.0", services: [] });
    expect(await run("deployments", "service.shop.api")).toMatchObject({ code: 1, stdout: "" });
    await scenario.applied(manifest);
  });

  it("show the release of each recorded service, write nothing and take no lock", async () => {
    scenario.forget();
    const before = scenario.files();
    const { services } = await json("status");
    const live = store().service(scenario.idOf("api"))?.liveDeploymentId;
    expect(services).toMatchObject([
      {
        address: "service.shop.api",
        runs: "release",
        health: "ready",
        release: { id: live, serves: true },
        standing: [],
      },
      { address: "service.shop.cron", runs: "nothing" },
      { address: "service.shop.web", runs: "release" },
    ]);
    expect((await run("status")).stdout).toContain("3 services: 2 live, 1 without a release.");
    expect(scenario.requests()).toEqual([]);
    expect(scenario.files()).toEqual(before);
  });

  it("list as many as were asked for, newest first, at most 200", async () => {
    for (let i = 0; i < 250; i += 1) store().deploy(scenario.idOf("web"));
    store().settle();
    scenario.forget();
    const { deployments, has_more: hasMore } = await json("deployments", "service.shop.web", "-limit", "200");
    const newest = store()
      .deployments(scenario.idOf("web"))
      .map(({ id }) => id)
      .reverse();
    expect(deployments.map(({ id }: { id: string }) => id)).toEqual(newest.slice(0, 200));
    expect(hasMore).toBe(true);
    expect(scenario.requests("all").filter((request) => request.endsWith("/deploys"))).toHaveLength(1);
    expect((await run("deployments", "service.shop.web")).stdout).toContain("-limit 200 shows more");
    const refused = await run("deployments", "service.shop.web", "-limit", "201");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("from 1 to 200")]);
  });

  it("tell which release serves, what failed, and what can be rolled back to", async () => {
    store().failNextDeployment(scenario.idOf("api"), "npm ERR! \u001b[31mred");
    const failed = store().deploy(scenario.idOf("api"), { commitSha: "ab".repeat(20) });
    store().settle();
    const live = store().service(scenario.idOf("api"))?.liveDeploymentId;
    expect(await json("status", "service.shop.api")).toMatchObject({
      services: [
        {
          release: { id: live },
          latest: { id: failed.id, status: "failed" },
          standing: [{ code: "failed" }],
        },
      ],
    });
    const shown = await run("status");
    expect(shown.stdout).toMatch(/^service\.shop\.api +live, last deployment failed /m);
    expect(shown.stdout).toContain(
      "3 services: 2 live, 1 without a release; the last deployment of 1 failed.\n",
    );
    const { stdout } = await run("deployments", "deployment.shop.api");
    expect(stdout.split("\n").slice(1, 4)).toEqual([
      expect.stringMatching(new RegExp(`^${failed.id}  failed +abababababab`)),
      "    npm ERR! \\u001b[31mred",
      expect.stringMatching(new RegExp(`^${live}  live, serves`)),
    ]);
    store().deploy(scenario.idOf("api"));
    store().settle();
    expect((await run("deployments", "service.shop.api")).stdout).toContain(
      "To go back to one marked *: rnv rollback service.shop.api ID\n",
    );
  });

  it("tell a service that is suspended, archived, deleted, or cannot be read from a service that runs", async () => {
    expect(await scenario.run("suspend", "service.shop.api")).toMatchObject({ code: 0 });
    // What was made within two minutes is not believed gone.
    scenario.settle();
    store().editService(scenario.idOf("cron"), () => ({ archived: true }));
    expect(await json("status")).toMatchObject({
      services: [{ runs: "suspended" }, { runs: "nothing", archived: true }, { runs: "release" }],
    });
    const blind = await scenario.runWith({ env: { RNV_GAP_READ_SERVICE: "off" } }, "status", "-json");
    expect(JSON.parse(blind.stdout).services[1]).toMatchObject({
      runs: "unknown",
      reason: expect.stringContaining("no way to read one service"),
    });
    store().deleteServiceNow(scenario.idOf("web"));
    expect((await run("status")).stdout).toContain("service.shop.web   deleted outside rnv");
    const gone = await run("deployments", "service.shop.web");
    expect(gone).toMatchObject({ code: 1, stdout: "" });
    expect(gone.stderr).toContain("service.shop.web no longer exists");
  });
});

it("status says that a release is of another branch or commit than declared", async () => {
  const scenario = await openScenario({ readings: { otherDeployments: "none" } });
  const { store } = scenario.emulator;
  const shop = (more: string) =>
    `services:\n  api: { kind: web, configuration: { repository: "https://git.example.com/api", branch: main }${more} }\n`;
  const shown = async (configuration: Record<string, string>, deployment: object) => {
    const [{ id = "" } = {}] = store.services();
    store.editConfiguration(id, configuration);
    store.deploy(id, deployment);
    store.settle();
    return (await scenario.run("status")).stdout;
  };
  await scenario.applied(shop(`, deploy: { commit: "${"a".repeat(40)}" }`));
  expect(await shown({}, { commitSha: "b".repeat(40) })).toContain(
    "\n    it runs commit bbbbbbbbbbbb; declared is aaaaaaaaaaaa (",
  );
  await scenario.applied(shop(""));
  expect(await shown({ branch: "hotfix" }, {})).toContain("\n    it runs branch hotfix; declared is main (");
  expect(await shown({ branch: "main" }, {})).not.toContain("it runs");
});

describe("status --variables", () => {
  const scenario = eachScenario();

  it("shows keys, who manages them and when they changed, and no value", async () => {
    const variables = "variables: { LEVEL: secret-text, TOKEN: { preserve: true } }";
    const service = (more: string) => `services:\n  api: { kind: web, deploy: { when: never }${more} }\n`;
    await scenario.applied(service(""));
    const id = scenario.emulator.store.services()[0]?.id ?? "";
    for (const key of ["TOKEN", "OTHER"]) scenario.emulator.store.addVariable(id, key, "x");
    await scenario.applied(service(`, ${variables}`));
    const { stdout } = await scenario.run("status", "--variables");
    expect(stdout).toMatch(/LEVEL: managed by rnv, changed /);
    expect(stdout).toMatch(/TOKEN: preserved, changed /);
    expect(stdout).toMatch(/OTHER: not managed, changed /);
    expect(stdout).not.toContain("secret-text");
    const { services } = JSON.parse(
      (await scenario.run("status", "service.api", "--variables", "-json")).stdout,
    );
    expect(services[0].variables).toContainEqual({
      ...{ key: "OTHER", managed: "no", changed: expect.any(String) },
    });
    expect((await scenario.run("status")).stdout).not.toContain("LEVEL");
  });
});
