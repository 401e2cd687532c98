import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { approve, eachScenario, oneScenario, printing } from "../support/cli";
import { shareOf } from "../support/soak";

const names = ["a", "b", "c", "d"];
const shop = `projects:\n  shop:\n    services:\n${names
  .map(
    (name) =>
      `      ${name}: { kind: web, configuration: { repository: "https://git.example.com/x" }, variables: { A: "1" } }\n`,
  )
  .join("")}`;

describe("an apply that is cut short", () => {
  const scenario = eachScenario();
  const liveNames = () => scenario.emulator.store.services().map(({ name }) => name);
  const expectEachOnce = () => {
    const { store } = scenario.emulator;
    expect(store.projects()).toHaveLength(1);
    expect(liveNames().sort()).toEqual(names);
    for (const { id } of store.services()) {
      expect(store.variables(id).map(({ key }) => key)).toEqual(["A"]);
      expect(scenario.deployments(id).map(({ status }) => status)).toEqual(["live"]);
    }
  };
  beforeEach(async () => {
    scenario.write("rnv.yaml", shop);
  });

  /** Calls back with the nth write that reaches the service, before or after its commit. */
  const atWrite = (nth: number, when: "before" | "after", then: () => void | Promise<void>) => {
    let seen = 0;
    scenario.fail(({ method }) => {
      if (method === "GET") return undefined;
      seen += 1;
      return seen === nth ? { kind: "hook", when, run: then } : undefined;
    });
  };

  it.each(shareOf(["SIGTERM", "SIGINT", "SIGHUP"] as const, 2))(
    "ends in order after one %s, says how to go on, and continues without a duplicate",
    async (signal) => {
      const started = scenario.start({}, "apply", ...approve, "-parallelism=1");
      atWrite(3, "before", async () => {
        started.process.kill(signal);
        await started.shows("Finishing requests in progress. ");
      });
      const { code, stdout } = await started.ended;
      expect(code).toBe(130);
      expect(stdout).toContain("Apply interrupted.");
      expect(stdout).toContain("To continue: rnv apply -auto-approve -input=false -parallelism=1");
      expect(liveNames().length).toBeLessThan(names.length);
      expect(existsSync(join(scenario.folder, ".rnv/state.json.lock"))).toBe(false);
      scenario.fail();
      await scenario.applies();
      expectEachOnce();
      await scenario.isQuiet();
    },
  );

  it("names what still runs at the service, and the command that follows it; what waits for that has not failed", async () => {
    scenario.emulator.store.setCondition("worker-offline", true);
    scenario.write("rnv.yaml", shop.replace("b: { kind: web", "b: { kind: web, dependsOn: [service.shop.a]"));
    const started = scenario.start({}, "apply", ...approve, "-target=service.shop.b");
    await started.shows("] queued");
    started.process.kill("SIGINT");
    const { code, stdout } = await started.ended;
    expect(code).toBe(130);
    expect(stdout).toContain(
      "deployment.shop.a is still deploying.\nTo continue: rnv apply -auto-approve -input=false -target=service.shop.b\n",
    );
    expect(stdout).toContain("service.shop.b: Skipped, because the run was interrupted\n");
    expect(stdout).not.toContain("failed");
    const again = scenario.start({}, "apply", ...approve, "-target=service.shop.a");
    await again.shows("] queued");
    scenario.emulator.store.setCondition("worker-offline", false);
    const continued = await again.ended;
    expect(continued.code).toBe(0);
    expect(continued.stdout).not.toContain("Not running what was applied last");
  });

  it("says only that it is cancelled before it has written anything", async () => {
    const started = scenario.start({}, "apply", ...approve);
    scenario.fail(({ path }) =>
      path.endsWith("/catalog")
        ? {
            kind: "hook",
            when: "before",
            run: async () => {
              started.process.kill("SIGINT");
              await started.shows("Cancelled.");
            },
          }
        : undefined,
    );
    const { code, stdout, stderr } = await started.ended;
    expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: "", stderr: "\nCancelled.\n" });
    expect(scenario.requests()).toEqual([]);
  });

  it("leaves at once at the second Ctrl-C, and the next apply continues without a duplicate", async () => {
    const started = scenario.start({}, "apply", ...approve);
    atWrite(4, "after", async () => {
      started.process.kill("SIGINT");
      await started.shows("Finishing requests in progress. ");
      started.process.kill("SIGINT");
      await started.ended;
    });
    expect((await started.ended).code).toBe(130);
    scenario.fail();
    await scenario.applies();
    expectEachOnce();
    await scenario.isQuiet();
  });
});

describe("the lock of the state", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.yaml", "projects: { shop: {} }\n");
  });

  it("refuses every writer with 6 while an apply holds it, and no reader", async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let reached = () => {};
    const writing = new Promise<void>((resolve) => {
      reached = resolve;
    });
    scenario.fail(({ method }) =>
      method === "GET"
        ? undefined
        : {
            kind: "hook",
            when: "before",
            run: () => {
              reached();
              return held;
            },
          },
    );
    const started = scenario.start({}, "apply", ...approve);
    await writing;
    for (const args of [
      ["apply", ...approve],
      ["destroy", ...approve],
      ["state", "rm", "project.shop"],
    ]) {
      const { code, stderr } = await scenario.run(...args);
      expect({ args, code, stderr }).toMatchObject({ code: 6 });
      expect(stderr).toContain("error[state.lock_held]");
      expect(stderr).toContain(hostname());
      expect(stderr).toContain(String(started.process.pid));
    }
    expect((await scenario.run("plan")).code).toBe(0);
    const waiting = scenario.start({}, "apply", ...approve, "-lock-timeout=60s");
    letGo();
    expect((await started.ended).code).toBe(0);
    expect((await waiting.ended).code).toBe(0);
    expect(scenario.emulator.store.projects()).toHaveLength(1);
    scenario.fail();
  });

  it("stays until force-unlock is given its id where another host holds it", async () => {
    const lock = join(scenario.folder, ".rnv/state.json.lock");
    const started = scenario.start({}, "apply", ...approve);
    let text = "";
    scenario.fail(({ path }) => ({
      kind: "hook",
      when: "before",
      run: () => {
        if (existsSync(lock) && path.endsWith("/catalog")) text = readFileSync(lock, "utf8");
      },
    }));
    await started.ended;
    scenario.fail();
    expect(text).toContain(hostname());
    writeFileSync(lock, text.replaceAll(hostname(), "another-host"));
    const refused = await scenario.run("apply", ...approve);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain("another-host");
    const id = /force-unlock (\S+)/.exec(refused.stderr)?.[1]?.replace(/[`.]+$/, "") ?? "";
    const wrong = await scenario.run("force-unlock", "0000");
    expect(wrong.code).not.toBe(0);
    const freed = await scenario.run("force-unlock", id);
    expect({ id, ...freed }).toMatchObject(printing(0, "Removed the lock"));
    await scenario.applies();
  });
});
