import { join } from "node:path";
import * as cdktf from "cdktf";
import { approve, eachScenario, failing } from "../support/cli";
import {
  internalLibrary,
  mistaken,
  mistakes,
  servicesIn,
  teamService,
  unchanged,
} from "../support/stack-programs";

const env = { QUEUE_TOKEN: "token-of-the-queue", RNV_STATE_KEY: "5a".repeat(32) };

describe("programs in the style of those that teams write", () => {
  const scenario = eachScenario();

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
          deployments: scenario.deployments(id).length,
          variables: Object.fromEntries(
            scenario.emulator.store
              .variables(id)
              .map((one) => [one.key, scenario.emulator.store.variableValue(one.id)]),
          ),
        },
      ]),
    );

  it.each(Object.entries(mistakes))("are refused while planning: %s", async (_name, { define, says }) => {
    expect(() => synthesize(mistaken(define))).toThrow(says);
    synthesize(mistaken(define), unchanged, true);
    expect(await rnv("plan")).toMatchObject(failing(1, says));
    expect(scenario.emulator.store.projects()).toEqual([]);
  });

  it("have the path of the construct in the errors of a plan", async () => {
    synthesize(mistaken((project) => void project.addService("api", { kind: "wbe" })));
    const says = expect.stringContaining(']: mistake/shop/api: kind "wbe" does not exist');
    expect(await rnv("plan")).toMatchObject({ code: 1, stderr: says });
  });

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
});
