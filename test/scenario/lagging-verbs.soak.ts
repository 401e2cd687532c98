import type { Lags } from "../../src/emulator/lag";
import { approve, itInScenario, type Scenario } from "../support/cli";

const shop = (replicas = 1) => `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/a", replicas: ${replicas} } }
`;
const address = "service.shop.api";
const waits = "The service's reads are behind our last write; looking again …";

/** By time, and by count: all reads together, and the replicas of some apart. */
const lags: readonly (readonly [string, Lags])[] = [
  ["1.5 s", { all: { ms: 1500 } }],
  ["3 reads", { all: { reads: 3 } }],
  ["1.5 s in deployments and operations", { deployments: { ms: 1500 }, operations: { ms: 1500 } }],
];

/** What the tests ask of the service, and the verb that runs right after an apply. */
function verbsIn(at: Scenario, lag: Lags) {
  const live = () => at.emulator.store.services()[0];
  /** Newest first. */
  const deployed = () => [...at.emulator.store.deployments(live()?.id ?? "")].reverse();
  const applied = async (text = shop()) => {
    at.write("rnv.yaml", text);
    expect(await at.run("apply", ...approve)).toMatchObject({ code: 0 });
    at.forget();
  };
  const run = async (...args: readonly string[]) => {
    at.emulator.store.setLag(lag);
    await applied();
    return at.run(...args);
  };
  const actions = () =>
    at.sent.filter(({ path }) => path.endsWith("/actions")).map(({ body }) => JSON.stringify(body));
  return { deployed, applied, run, actions };
}

describe.each(lags)("with reads that are %s behind", (_, lag) => {
  itInScenario("status, deployments and export show what was made and deployed seconds ago", async (at) => {
    const { run, deployed } = verbsIn(at, lag);
    const { code, stdout } = await run("status", address);
    const [last] = deployed();
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`deployment ${last?.id}`) });
    const listed = await at.run("deployments", address);
    expect({ code: listed.code, stdout: listed.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(last?.id ?? "none"),
    });
    expect((await at.run("export")).stdout).toContain("https://git.example.com/a");
  });

  itInScenario("deploy queues one deployment, and ends with that one", async (at) => {
    const { run, deployed } = verbsIn(at, lag);
    const { code, stdout } = await run("deploy", address);
    expect(deployed()).toHaveLength(2);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`deploy done. [deployment=${deployed()[0]?.id}]`),
    });
    expect(stdout).not.toContain("superseded");
    await at.isQuiet();
  });

  itInScenario(
    "restart, suspend and resume are carried out once each, and seen to their ends",
    async (at) => {
      const { run, actions } = verbsIn(at, lag);
      const { code, stderr } = await run("restart", address);
      expect({ code, stderr: stderr.replace(`${waits}\n`, "") }).toEqual({ code: 0, stderr: "" });
      for (const verb of ["suspend", "resume"])
        expect(await at.run(verb, address)).toMatchObject({ code: 0 });
      expect(actions()).toEqual(
        ["restart", "suspend", "resume"].map((action) => expect.stringContaining(action)),
      );
    },
  );

  itInScenario("rollback goes back to the release before the one deployed seconds ago", async (at) => {
    const { applied, deployed } = verbsIn(at, lag);
    await applied();
    const [first] = deployed();
    at.emulator.store.setLag(lag);
    await applied(shop(2));
    const { code } = await at.run("rollback", address, "--confirm", "api");
    expect(code).toBe(0);
    expect(deployed().map(({ sourceDeploymentId }) => sourceDeploymentId)).toEqual([first?.id, null, null]);
  });

  itInScenario("cancel finds the deployment that was queued seconds ago", async (at) => {
    const { applied, deployed } = verbsIn(at, lag);
    await applied();
    at.emulator.store.setLag(lag);
    at.emulator.store.setCondition("worker-offline", true);
    expect(await at.run("deploy", address, "--no-wait")).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await at.run("cancel", address, "--no-wait");
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    expect(deployed()[0]?.cancelRequested).toBe(true);
  });
});

describe("import of what was made elsewhere a moment ago", () => {
  itInScenario("is recorded once it is shown, in a project that was made a moment ago", async (at) => {
    at.emulator.store.setLag({ all: { ms: 900 } });
    at.write("rnv.yaml", "projects: { shop: {} }\n");
    expect(await at.run("apply", ...approve)).toMatchObject({ code: 0 });
    const [project] = at.emulator.store.projects();
    const { id } = at.emulator.store.addService({ name: "api", kind: "worker", projectId: project?.id });
    at.write(
      "rnv.yaml",
      "projects: { shop: { services: { api: { kind: worker, deploy: { when: never } } } } }\n",
    );
    const { code, stderr } = await at.run("import", address, id);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(at.emulator.store.services()).toHaveLength(1);
    await at.isQuiet();
  });

  itInScenario(
    "of an id that stays unknown ends after a few looks, and says what may be the matter",
    async (at) => {
      at.write("rnv.yaml", shop());
      expect(await at.run("apply", ...approve)).toMatchObject({ code: 0 });
      expect(await at.run("state", "rm", address)).toMatchObject({ code: 0 });
      const { code, stderr } = await at.run("import", address, "00000000-0000-4000-8000-000000000000");
      expect(code).toBe(1);
      expect(stderr).toContain("error[live.import_missing]");
      expect(stderr).toContain("what was made a moment ago may not be shown yet: then run the command again");
    },
  );
});
