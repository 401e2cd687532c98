import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { approve, itInScenario, type Scenario } from "../support/cli";

/** DESIGN section 5, "Consistent reads". */
const shop = (replicas: number, deploy = "{ when: never }") => `projects:
  shop:
    services:
      api: { kind: worker, configuration: { repository: "https://git.example.com/api", replicas: ${replicas} }, deploy: ${deploy} }
`;
const hour = 3_600_000;
/** A process of the program with a clock of its own. `fast`: its waits pass twenty times as fast. */
const withClock = (...names: readonly ("fast" | "ahead")[]) => ({
  node: names.flatMap((name) => ["--require", require.resolve(`../support/${name}-clock.cjs`)]),
});
const fast = withClock("fast");
/** An hour after the last run, by our clock. */
const later = withClock("fast", "ahead");

const apply = async (at: Scenario, ...args: readonly string[]) => {
  const run = await at.run("apply", ...approve, ...args);
  expect({ ...run, code: run.code }).toMatchObject({ code: 0 });
  return run;
};
const runFast = (at: Scenario, ...args: readonly string[]) => at.start(fast, ...args).ended;
const runLater = (at: Scenario, ...args: readonly string[]) => at.start(later, ...args).ended;
const apiOf = ({ emulator }: Scenario) => emulator.store.services()[0] as { id: string; updatedAt: string };

describe("a version that is older than the recorded one", () => {
  /** A service that was changed an hour ago, and replicas that have stopped before that. */
  const behind = async (at: Scenario, deploy?: string) => {
    at.write("rnv.yaml", shop(1, deploy));
    await apply(at);
    at.settle();
    at.emulator.store.setLag({ all: { ms: 1000 * hour } });
    at.write("rnv.yaml", shop(2, deploy));
    const run = await at.start(fast, "apply", ...approve).ended;
    at.clock.advance(hour);
    at.forget();
    return run;
  };

  itInScenario("is never believed, whatever its age", async (at) => {
    await behind(at);
    for (const [verb, ...args] of [["plan"], ["drift"], ["apply", ...approve]] as const) {
      const { code, stderr } = await runLater(at, verb, ...args);
      expect({ verb, code }).toEqual({ verb, code: 1 });
      expect(stderr).toContain("error[live.stale]");
      expect(stderr).toContain("rnv apply -refresh-only");
    }
    expect(at.requests()).toEqual([]);
    at.emulator.store.setLag();
    await at.isQuiet();
  });

  itInScenario("does not make a revert say that nothing changes", async (at) => {
    await behind(at);
    at.write("rnv.yaml", shop(1));
    expect((await runLater(at, "plan")).code).toBe(1);
    at.emulator.store.setLag();
    expect((await at.run("plan", "-detailed-exitcode")).code).toBe(2);
  });

  itInScenario("is accepted with -refresh-only, as after a restore from a backup", async (at) => {
    await behind(at);
    expect(await runLater(at, "apply", "-refresh-only", ...approve)).toMatchObject({ code: 0 });
    const { code, stdout } = await at.run("plan", "-detailed-exitcode");
    expect({ code, change: /replicas.*1 -> 2/.test(stdout) }).toEqual({ code: 2, change: true });
  });
});

describe("the age of a write", () => {
  itInScenario("is measured by the clock of the service, not by ours", async (at) => {
    at.emulator.store.setLag({ all: { ms: 3000 } });
    at.write("rnv.yaml", shop(1));
    await apply(at);
    expect(await at.start(withClock("ahead"), "apply", ...approve).ended).toMatchObject({ code: 0 });
    expect(at.emulator.store.services()).toHaveLength(1);
    await at.isQuiet();
  });

  itInScenario("is unknown without a Date, which counts as a moment ago", async (at) => {
    at.write("rnv.yaml", shop(1));
    await apply(at);
    at.settle();
    at.emulator.store.deleteServiceNow(apiOf(at).id);
    at.emulator.store.setCondition("no-date", true);
    const { code, stderr } = await runFast(at, "plan");
    expect(code).toBe(1);
    expect(stderr).toContain("error[live.stale]: the API still shows service.shop.api");
    at.emulator.store.setCondition("no-date", false);
    expect((await at.run("plan", "-detailed-exitcode")).code).toBe(2);
  });
});

describe("two copies of one service in a list", () => {
  itInScenario("are the newer one, in either order", async (at) => {
    const gateway = await openGateway(at.url);
    const through = (...args: readonly string[]) =>
      at.start({ ...later, env: { RNV_BASE_URL: gateway.url } }, ...args).ended;
    at.write("rnv.yaml", shop(1));
    const made = await at.runWith({ env: { RNV_BASE_URL: gateway.url } }, "apply", ...approve);
    expect(made).toMatchObject({ code: 0 });
    at.settle();
    for (const order of ["older first", "older last"] as const) {
      gateway.order = order;
      expect({ order, ...(await through("drift")) }).toMatchObject({ order, code: 0 });
    }
    gateway.close();
  });
});

/** A gateway before the service whose canvas shows each node a second time, as it was long ago, if it has an `order`. */
async function openGateway(url: string) {
  const older = ({ configuration, ...node }: { configuration: object }) => ({
    ...node,
    configuration: { ...configuration, replicas: 9 },
    updatedAt: "2020-01-01T00:00:00.000Z",
  });
  const server = createServer(async (request, response) => {
    const { authorization = "", "idempotency-key": key } = request.headers;
    const answer = await fetch(new URL(request.url ?? "", url), {
      method: request.method,
      headers: {
        authorization,
        "content-type": "application/json",
        ...(key && { "idempotency-key": `${key}` }),
      },
      ...(request.method !== "GET" && { body: await text(request) }),
    });
    const body = (await answer.json()) as { nodes?: { configuration: object }[] };
    if (gateway.order && body.nodes) {
      const copies = body.nodes.map(older);
      body.nodes = gateway.order === "older first" ? [...copies, ...body.nodes] : [...body.nodes, ...copies];
    }
    response.writeHead(answer.status, {
      "content-type": "application/json",
      date: answer.headers.get("date") ?? "",
    });
    response.end(JSON.stringify(body));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const gateway = {
    url: `http://127.0.0.1:${port}/api/v1`,
    order: undefined as "older first" | "older last" | undefined,
    close: () => void server.close(),
  };
  return gateway;
}

describe("an equal time in whole seconds", () => {
  itInScenario("is not believed at once where the content is not that of our last write", async (at) => {
    at.write("rnv.yaml", shop(1));
    const updatedAt = "2026-01-01T00:00:00Z";
    at.fail(() => ({ kind: "with-fields", fields: { updatedAt } }));
    await apply(at);
    at.clock.advance(Date.parse(updatedAt) - at.clock.now());
    at.emulator.store.setLag({ all: { ms: 2000 } });
    at.write("rnv.yaml", shop(2));
    await apply(at);
    expect(await at.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

describe("a deletion that was answered as done", () => {
  itInScenario("is proven by a list: what stays shown is not deleted", async (at) => {
    at.write("rnv.yaml", shop(1));
    await apply(at);
    at.settle();
    at.write("rnv.yaml", "projects: { shop: {} }\n");
    at.emulator.store.setLag({ canvas: { ms: hour } });
    const { code, stderr } = await runFast(at, "apply", ...approve, "-confirm-delete", "service.shop.api");
    expect(code).toBe(1);
    expect(stderr).toContain("error[apply.delete_failed]: service.shop.api was not deleted");
    expect(at.read(".rnv/state.json")).toContain("service.shop.api");
  });
});

describe("a create by name", () => {
  itInScenario("sees a service of its name that was made a second and more ago", async (at) => {
    at.write(
      "rnv.yaml",
      shop(1).replace("      api:", "      aaa: { kind: worker, deploy: { when: never } }\n      api:"),
    );
    const add = () => {
      const [project] = at.emulator.store.projects();
      at.emulator.store.addService({ name: "api", kind: "worker", projectId: project?.id });
    };
    at.fail(({ method, path, body }) => {
      const isSlow = method === "POST" && path.endsWith("/services") && body?.includes('"aaa"');
      return isSlow
        ? { kind: "hook", when: "after", run: () => new Promise((go) => setTimeout(go, 1200)).then(add) }
        : undefined;
    });
    const { code, stderr } = await at.run("apply", ...approve, "-parallelism", "1");
    expect(code).toBe(3);
    expect(stderr).toContain("service.shop.api was created after the plan was made");
    expect(at.emulator.store.services().filter(({ name }) => name === "api")).toHaveLength(1);
  });
});
