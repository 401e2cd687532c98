import { setTimeout as sleep } from "node:timers/promises";
import { type CliRun, oneScenario, openScenario, printing, type Scenario } from "../support/cli";
import { closing } from "../support/closing";
import { serveHttpState } from "../support/http-state-server";
import { itInSoak } from "../support/soak";

const manifest = (from: number, to: number, more = (_: string) => "", project = ""): string => {
  const names = Array.from({ length: to - from }, (_, i) => `s${from + i}`);
  const settings = 'kind: web, deploy: { when: never }, variables: { A: "1" }';
  return `projects:\n  shop:\n    ${project}services:\n${names.map((name) => `      ${name}: { ${more(name)}${settings} }\n`).join("")}`;
};

/**
 * Returns how many requests of a command wait for their answers at once, and which have come when the canvas is answered.
 * The first `answered` requests of each part are answered; the others wait until there are more than 64.
 */
async function watched(
  scenario: Scenario,
  run: () => Promise<CliRun>,
  { partOf = (_: string): string => "", answered = 130 } = {},
) {
  const come: string[] = [];
  const ofPart = new Map<string, number>();
  let besideCanvas: readonly string[] = [];
  let [waiting, most] = [0, 0];
  let [held, release]: [Promise<void> | undefined, () => void] = [undefined, () => {}];
  scenario.fail(({ path }) => {
    const part = partOf(path);
    const count = (ofPart.get(part) ?? 0) + 1;
    ofPart.set(part, count);
    const answer = async () => {
      come.push(path.split("/").at(-1) ?? "");
      waiting += 1;
      most = Math.max(most, waiting);
      if (waiting > 64) release();
      if (waiting === 64) setTimeout(() => release(), 1500);
      if (count > answered)
        held ??= new Promise<void>((resolve) => {
          release = resolve;
          setTimeout(resolve, 10_000).unref();
        });
      await (count > answered ? held : sleep(path.endsWith("/canvas") ? 500 : 100));
      waiting -= 1;
      if (path.endsWith("/canvas")) besideCanvas = [...come];
    };
    return { kind: "hook", when: "before", run: answer };
  });
  expect(await run()).toMatchObject({ code: 0 });
  scenario.fail();
  return { most, besideCanvas };
}

describe("reads", () => {
  const scenario = oneScenario();
  let live: ReadonlyMap<string, string>;
  beforeAll(async () => {
    await scenario.applied(manifest(0, 240));
    live = new Map(scenario.emulator.store.services().map(({ id, name }) => [name, id]));
    const project = `import: ${scenario.emulator.store.projects()[0]?.id}\n    `;
    const members = { a: [0, 70], b: [70, 140], c: [140, 240] } as const;
    for (const [name, [from, to]] of Object.entries(members)) {
      const text = manifest(from, to, (service) => `import: ${live.get(service)}, `, project);
      scenario.write(`fleet/${name}/rnv.yaml`, text);
    }
    // The first two share a process, the third has another connection.
    scenario.write("fleet/rnv.fleet.yaml", "members:\n  a:\n  b:\n  c: { env: { NO_PROXY: OTHER_HOST } }\n");
  });

  it("are up to 64 at once, more where -parallelism says so, and ask for variables beside the canvas", async () => {
    const { most, besideCanvas } = await watched(scenario, () => scenario.run("plan", "-parallelism=1"));
    expect(most).toBe(64);
    expect(besideCanvas).toContain("variables");
    const more = await watched(scenario, () => scenario.run("plan", "-parallelism=100"));
    expect(more.most).toBeGreaterThan(64);
  });

  it("are up to 64 at once in all processes of a fleet together", async () => {
    const ofC = new Set(Array.from({ length: 100 }, (_, i) => live.get(`s${140 + i}`)));
    const run = () => scenario.runWith({ env: { OTHER_HOST: "other.example" } }, "fleet", "plan", "fleet");
    const { most } = await watched(scenario, run, {
      partOf: (path) => {
        const [, id] = /services\/([^/]+)\/variables$/.exec(path) ?? [];
        return id === undefined ? "" : ofC.has(id) ? "c" : "a, b";
      },
      answered: 50,
    });
    expect(most).toBe(64);
  });

  itInSoak("wait together after a 429 in members that share a process", async () => {
    let lists = 0;
    scenario.fail(({ path }) => {
      if (path.endsWith("/variables")) lists += 1;
      return lists === 1 ? { kind: "status", status: 429, retryAfter: 30 } : undefined;
    });
    const plan = scenario.start({}, "fleet", "plan", "fleet", "-member", "a", "-member", "b");
    while (lists === 0) await sleep(10);
    await sleep(2000);
    scenario.fail();
    expect(lists).toBeLessThan(10);
    plan.process.kill("SIGINT");
    expect(await plan.ended).toMatchObject({ code: 130 });
  });

  it("leave before the state is read", async () => {
    const other = await openScenario();
    const state = closing(await serveHttpState());
    other.write("rnv.yaml", "services: { api: { kind: web, deploy: { when: never } } }\n");
    const first = new Set(["catalog", "projects", "canvas"]);
    other.fail(({ path }) => {
      first.delete(path.split("/").at(-1) ?? "");
      return undefined;
    });
    state.fault = async () => {
      while (first.size > 0) await sleep(10);
      return undefined;
    };
    const { code, stdout } = await other.runWith({ env: { RNV_STATE: state.url } }, "plan");
    expect({ code, stdout }).toEqual(printing(0, "Plan: 1 to add"));
    expect(state.seen).not.toEqual([]);
  });
});
