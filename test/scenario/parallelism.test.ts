import { setTimeout as sleep } from "node:timers/promises";
import { openScenario, type Scenario } from "../support/cli";
import { serveHttpState } from "../support/http-state-server";

const services = Array.from(
  { length: 240 },
  (_, i) => `      s${i}: { kind: web, deploy: { when: never }, variables: { A: "1" } }\n`,
);
const manifest = `projects:\n  shop:\n    services:\n${services.join("")}`;

/** Returns how many requests of a plan wait for their answers at once, and which have come when the canvas is answered. */
async function watched(scenario: Scenario, ...options: readonly string[]) {
  const come: string[] = [];
  let besideCanvas: readonly string[] = [];
  let [waiting, most] = [0, 0];
  let [held, release]: [Promise<void> | undefined, () => void] = [undefined, () => {}];
  scenario.fail(({ path }) => {
    const run = async () => {
      come.push(path.split("/").at(-1) ?? "");
      waiting += 1;
      most = Math.max(most, waiting);
      if (waiting > 64) release();
      // After as many answers that 64 may be in flight, requests wait until there are more, or for two seconds.
      if (come.length > 130)
        held ??= new Promise<void>((resolve) => {
          release = resolve;
          setTimeout(resolve, 2000);
        });
      await (held ?? sleep(100));
      waiting -= 1;
      if (path.endsWith("/canvas")) besideCanvas = [...come];
    };
    return { kind: "hook", when: "before", run };
  });
  expect(await scenario.run("plan", ...options)).toMatchObject({ code: 0 });
  scenario.fail();
  return { most, besideCanvas };
}

describe("reads", () => {
  it("are up to 64 at once, more where -parallelism says so, and ask for variables beside the canvas", async () => {
    const scenario = await openScenario();
    await scenario.applied(manifest);
    const { most, besideCanvas } = await watched(scenario, "-parallelism=1");
    expect(most).toBe(64);
    expect(besideCanvas).toContain("variables");
    expect((await watched(scenario, "-parallelism=100")).most).toBeGreaterThan(64);
    await scenario.close();
  });

  it("leave before the state is read", async () => {
    const scenario = await openScenario();
    const state = await serveHttpState();
    scenario.write("rnv.yaml", "services: { api: { kind: web, deploy: { when: never } } }\n");
    const first = new Set(["catalog", "projects", "canvas"]);
    scenario.fail(({ path }) => {
      first.delete(path.split("/").at(-1) ?? "");
      return undefined;
    });
    state.fault = async () => {
      while (first.size > 0) await sleep(10);
      return undefined;
    };
    const { code, stdout } = await scenario.runWith({ env: { RNV_STATE: state.url } }, "plan");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Plan: 1 to add") });
    expect(state.seen).not.toEqual([]);
    await Promise.all([scenario.close(), state.close()]);
  });
});
