import { join } from "node:path";
import * as cdktf from "cdktf";
import { approve, openScenario, type Scenario } from "../support/cli";
import {
  archivedService,
  changed,
  fieldsOfOthers,
  internalLibrary,
  mistaken,
  mistakes,
  monorepo,
  recordBesideHosting,
  renamed,
  servicesIn,
  teamService,
  threeEnvironments,
  unchanged,
  wholeEnvironment,
} from "../support/stack-programs";

const env = { QUEUE_TOKEN: "token-of-the-queue", RNV_STATE_KEY: "5a".repeat(32) };

describe("programs in the style of those that teams write", () => {
  let scenario: Scenario;
  beforeEach(async () => {
    scenario = await openScenario();
  });
  afterEach(() => scenario.close());

  const rnv = (...args: string[]) => scenario.runWith({ env }, ...args, "-f", "cdktf.out");
  function synthesize(define: (app: cdktf.App) => void, edit = unchanged, skipValidation = false): void {
    const app = new cdktf.App({ outdir: join(scenario.folder, "cdktf.out"), skipValidation });
    define(app);
    edit(servicesIn(app));
    app.synth();
  }

  /** Applies a program, and plans it to nothing. */
  async function applied(define: (app: cdktf.App) => void, edit = unchanged): Promise<void> {
    synthesize(define, edit);
    const { code, stderr } = await rnv("apply", ...approve);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const quiet = await rnv("plan", "-detailed-exitcode");
    expect([quiet.code, quiet.stderr]).toEqual([0, expect.any(String)]);
  }
  const services = () =>
    Object.fromEntries(
      scenario.emulator.store.services().map(({ id, name, configuration }) => [
        name,
        {
          configuration,
          deployments: scenario.emulator.store.deployments(id).length,
          variables: Object.fromEntries(
            scenario.emulator.store
              .variables(id)
              .map((one) => [one.key, scenario.emulator.store.variableValue(one.id)]),
          ),
        },
      ]),
    );

  it.each(Object.entries({ monorepo, internalLibrary }))(
    "are changed and renamed: %s",
    async (_name, define) => {
      await applied(define);
      await applied(define, changed);
      const before = services();
      synthesize(define, renamed);
      expect((await rnv("plan")).stdout).not.toMatch(/[1-9]\d* to (add|destroy)/);
      await applied(define, renamed);
      expect(services()).toEqual(before);
    },
    60_000,
  );

  it("keep the deployment of a service that they archive, and hand it to Terraform", async () => {
    await applied(archivedService("info", false));
    await applied(archivedService("info"));
    expect((await rnv("state", "list")).stdout).toContain("deployment.shop.old");
    const { code, stdout } = await rnv("terraform", "import-blocks", "--stack", "archive");
    expect([code, stdout]).toEqual([0, expect.stringContaining("rnv_deployment.shop__old")]);
    const destroyed = await rnv("destroy", ...approve);
    expect(destroyed).toMatchObject({ code: 0, stdout: expect.stringContaining("deployment.shop.old") });
  }, 60_000);

  it("apply a whole environment", async () => {
    await applied(wholeEnvironment);
    const { api, worker, nightly } = services();
    expect(api?.variables).toMatchObject({
      LOG_LEVEL: "info",
      QUEUE_TOKEN: "token-of-the-queue",
      SESSION_KEY: expect.stringMatching(/^.{32}$/),
      WORKER_URL: expect.stringMatching(/^http:\/\/worker-.*:9000$/),
    });
    expect(api?.configuration.ipAllowList).toEqual(["10.0.0.0/8", "192.168.0.0/16"]);
    expect([api?.deployments, worker?.deployments, nightly?.deployments]).toEqual([1, 1, 1]);
  }, 60_000);

  it("apply a monorepo", async () => {
    await applied(monorepo);
    expect(services()).toMatchObject({
      accounts: { variables: { LOG_LEVEL: "debug", REGION: "eu", MAILER_HOST: expect.any(String) } },
      billing: { configuration: { rootDirectory: "services/billing" }, variables: { LOG_LEVEL: "info" } },
      mailer: { variables: { SENDER: "shop@example.com", TOKEN: "token-of-the-queue" } },
    });
  }, 60_000);

  it("apply fields of one resource in another", async () => {
    await applied(fieldsOfOthers);
    expect(services()).toMatchObject({
      "Shop-api": { variables: { LEVEL: "info", TOKEN: "token-of-the-queue" } },
      worker: {
        configuration: { replicas: 2, ignorePaths: ["docs", "test"] },
        variables: {
          LEVEL: "info",
          API: "Shop-api of Shop",
          COUNT: "2",
          CONFIGURATION: expect.stringContaining('"port":null'),
          TOKEN: "token-of-the-queue",
        },
      },
    });
    const { stdout } = await rnv("output", "-json");
    expect(JSON.parse(stdout).configuration.value).toMatchObject({ replicas: 2 });
  });

  it.each(Object.entries(mistakes))("are refused while planning: %s", async (_name, { define, says }) => {
    expect(() => synthesize(mistaken(define))).toThrow(says);
    synthesize(mistaken(define), unchanged, true);
    expect(await rnv("plan")).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
    expect(scenario.emulator.store.projects()).toEqual([]);
  });

  it("leave a record of another provider to Terraform", async () => {
    synthesize(recordBesideHosting);
    const { code, stderr } = await rnv("plan");
    expect(code).toBe(1);
    expect(stderr).toContain("dns/record");
    expect(stderr).toContain("terraform_data.record");
    expect(scenario.emulator.store.services()).toEqual([]);
  }, 60_000);

  it("apply constructs of an internal library that has its own copy of the package", async () => {
    let own: typeof import("../../src/cdktf/cdktf") | undefined;
    jest.isolateModules(() => {
      jest.doMock("cdktf", () => cdktf);
      own = require("../../src/cdktf/cdktf");
    });
    if (own === undefined) throw new Error("the second copy is not loaded");
    const TeamService = teamService(own);
    await applied((app) => internalLibrary(app, TeamService));
    const { index, query } = services();
    expect(query?.variables).toMatchObject({ TEAM: "search", INDEX_URL: expect.stringContaining("index-") });
    expect([index?.deployments, query?.deployments]).toEqual([1, 1]);
    expect(Object.keys(JSON.parse(scenario.read(".rnv/library/state.json")).resources)).toContain(
      "service.search.query",
    );
  }, 60_000);

  it("apply three environments of one class", async () => {
    await applied(threeEnvironments);
    const projects = scenario.emulator.store.projects().map(({ name }) => name);
    expect(projects.sort()).toEqual(["Shop development", "Shop production", "Shop staging"]);
  }, 60_000);
});
