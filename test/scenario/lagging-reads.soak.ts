import type { Lags } from "../../src/emulator/lag";
import { approve, itInScenario, type Scenario } from "../support/cli";

const service = (name: string, settings = "replicas: 1", deploy = "{ when: never }") =>
  `      ${name}: { kind: worker, configuration: { ${settings} }, deploy: ${deploy} }\n`;
const shop = (...services: readonly string[]) => `projects:\n  shop:\n    services:\n${services.join("")}`;
const seven = ["a", "b", "c", "d", "e", "f", "g"].map((name) => service(name));
const waits = "The service's reads are behind our last write; looking again …";

function readsIn(at: Scenario) {
  const names = () => at.emulator.store.services().map(({ name }) => name);
  const lag = (lags?: Lags) => at.emulator.store.setLag(lags);
  const apply = async () => {
    const run = await at.run("apply", ...approve);
    expect({ ...run, code: run.code }).toMatchObject({ code: 0 });
    return run;
  };
  /** Reads lag until the run says that it waits for them. */
  const applyUntilSeen = async () => {
    const started = at.start({}, "apply", ...approve);
    await started.shows(waits);
    lag();
    const run = await started.ended;
    expect(run).toMatchObject({ code: 0 });
    return run;
  };
  return { names, lag, apply, applyUntilSeen };
}

describe("reads that are behind the last write", () => {
  itInScenario(
    "one service added among seven settled ones is made once, however often apply runs",
    async (at) => {
      const { names, lag, apply, applyUntilSeen } = readsIn(at);
      at.write("rnv.yaml", shop(...seven));
      await apply();
      at.settle();
      at.write("rnv.yaml", shop(...seven, service("new")));
      lag({ all: { ms: 3_600_000 } });
      await apply();
      const second = await applyUntilSeen();
      await apply();
      expect(names().filter((name) => name === "new")).toHaveLength(1);
      expect(second.stderr.split(waits)).toHaveLength(2);
      await at.isQuiet();
    },
  );

  itInScenario(
    "a project and all that is in it are made once while the list of projects lags",
    async (at) => {
      const { names, lag, apply } = readsIn(at);
      at.write("rnv.yaml", shop(service("a")));
      lag({ projects: { ms: 900 }, project: { ms: 900 } });
      for (let run = 0; run < 3; run += 1) await apply();
      expect(at.emulator.store.projects()).toHaveLength(1);
      expect(names()).toEqual(["a"]);
      await at.isQuiet();
    },
  );

  for (const verb of ["plan", "drift", "apply"])
    itInScenario(`${verb} takes a service that the canvas shows as before by its id`, async (at) => {
      const { lag, apply } = readsIn(at);
      at.write("rnv.yaml", shop(service("a")));
      await apply();
      lag({ canvas: { ms: 3_600_000 } });
      at.write("rnv.yaml", shop(service("a", "replicas: 2")));
      await apply();
      at.forget();
      const { code, stdout, stderr } = await at.run(verb, ...(verb === "apply" ? approve : []));
      expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining(waits) });
      expect(stdout).toMatch(/No changes|No drift|0 added, 0 changed/);
      expect(at.requests()).toEqual([]);
    });

  itInScenario(
    "a change taken back within the lag is sent: what reads show is not what there is",
    async (at) => {
      const { lag, apply } = readsIn(at);
      at.write("rnv.yaml", shop(service("a")));
      await apply();
      lag({ all: { ms: 1500 } });
      at.write("rnv.yaml", shop(service("a", "replicas: 2")));
      await apply();
      at.write("rnv.yaml", shop(service("a")));
      await apply();
      expect(at.emulator.store.services()[0]?.configuration.replicas).toBe(1);
      await at.isQuiet();
    },
  );

  itInScenario("what was changed a moment ago is no drift, and is not deployed once more", async (at) => {
    const { lag, apply } = readsIn(at);
    at.write("rnv.yaml", shop(service("a", "repository: 'https://git.example.com/a', replicas: 1", "{}")));
    await apply();
    lag({ all: { ms: 700 } });
    at.write("rnv.yaml", shop(service("a", "repository: 'https://git.example.com/a', replicas: 2", "{}")));
    await apply();
    expect((await at.run("drift")).code).toBe(0);
    await apply();
    const [live] = at.emulator.store.services();
    expect(at.emulator.store.deployments(live?.id ?? "")).toHaveLength(2);
  });

  itInScenario("what was made a moment ago is destroyed, not forgotten as gone", async (at) => {
    const { names, lag, apply } = readsIn(at);
    lag({ all: { ms: 900 } });
    at.write("rnv.yaml", shop(service("a")));
    await apply();
    expect((await at.run("destroy", ...approve)).code).toBe(0);
    expect(names()).toEqual([]);
    expect(at.emulator.store.projects()).toEqual([]);
  });

  itInScenario("a variable that was set a moment ago is neither drift nor set anew", async (at) => {
    const { lag, apply } = readsIn(at);
    const withVariable = (value: string) =>
      `${shop(service("a")).replace(" }, deploy", ` }, variables: { LEVEL: ${value} }, deploy`)}`;
    at.write("rnv.yaml", withVariable("info"));
    await apply();
    lag({ all: { ms: 900 } });
    at.write("rnv.yaml", withVariable("debug"));
    await apply();
    at.forget();
    await apply();
    expect(at.requests()).toEqual([]);
    const [live] = at.emulator.store.services();
    expect(at.emulator.store.variables(live?.id ?? "")).toHaveLength(1);
  });

  for (const ms of [20, 1200])
    itInScenario(
      `a create answered with 500 that did happen and left no receipt is found, ${ms} ms behind`,
      async (at) => {
        const { names, lag, apply } = readsIn(at);
        lag({ all: { ms } });
        at.write("rnv.yaml", shop(service("a")));
        at.fail(({ method, path }, index) =>
          method === "POST" && path.endsWith("/services") && index < 10
            ? { kind: "status", status: 500, when: "after", receipt: false }
            : undefined,
        );
        await at.run("apply", ...approve);
        at.fail();
        await apply();
        expect(names()).toEqual(["a"]);
        lag();
        await at.isQuiet();
      },
    );

  itInScenario(
    "a service that was deleted and is declared again is created again, whatever lists still show",
    async (at) => {
      const { names, lag, apply } = readsIn(at);
      at.write("rnv.yaml", shop(service("a"), service("b")));
      await apply();
      const before = at.emulator.store.services().map(({ id }) => id);
      lag({ all: { ms: 3000 } });
      at.write("rnv.yaml", shop(service("b")));
      expect(await at.run("apply", ...approve, "-confirm-delete", "service.shop.a")).toMatchObject({
        code: 0,
      });
      at.write("rnv.yaml", shop(service("a"), service("b")));
      await apply();
      expect(names().sort()).toEqual(["a", "b"]);
      expect(before).not.toContain(at.emulator.store.services().find(({ name }) => name === "a")?.id);
      await at.isQuiet();
    },
  );

  itInScenario("what was destroyed is made anew at once, with another id each", async (at) => {
    const { names, lag, apply } = readsIn(at);
    at.write("rnv.yaml", shop(service("a")));
    await apply();
    lag({ all: { ms: 900 } });
    expect((await at.run("destroy", ...approve)).code).toBe(0);
    await apply();
    expect(at.emulator.store.projects()).toHaveLength(1);
    expect(names()).toEqual(["a"]);
    await at.isQuiet();
  });

  itInScenario("a settled workspace is read with three requests, and nothing is waited for", async (at) => {
    const { lag, apply } = readsIn(at);
    at.write("rnv.yaml", shop(...seven));
    await apply();
    at.settle();
    lag({ all: { ms: 3_600_000 } });
    at.forget();
    const { stderr } = await at.run("plan");
    expect(at.requests("all")).toHaveLength(3);
    expect(stderr).not.toContain(waits);
  });
});
