import type { Fault, SeenRequest } from "../../src/emulator/faults";
import { approve, itInScenario, type Scenario } from "../support/cli";
import { shareOf } from "../support/soak";

/** DESIGN section 7, "Retries", and interface, "Idempotency rules". */
const shop = `projects:
  shop:
    services:
      api:
        kind: worker
        configuration: { repository: "https://git.example.com/api" }
        variables: { A: one }
        deploy: { commit: ${"a".repeat(40)} }
`;
const fast = { node: ["--require", require.resolve("../support/fast-clock.cjs")] };
const runFast = (at: Scenario, ...args: readonly string[]) => at.start(fast, ...args).ended;
const isPost = ({ method }: SeenRequest) => method === "POST";
const queues = ({ method, path }: SeenRequest) => method === "POST" && path.endsWith("/deploys");

/** Each answer to a write that says nothing of it. */
const lost: readonly (readonly [string, Fault])[] = [
  ["a reset", { kind: "reset-after" }],
  ["half an answer", { kind: "truncate" }],
  ["an empty answer", { kind: "empty" }],
  ...[500, 502, 503, 504].map((status) => [`${status}`, { kind: "status", status, when: "after" }] as const),
  ["a gateway's page", { kind: "html", when: "after" }],
];

/** The first request to each path that matches is carried out, and answered so. */
const failFirst = (
  at: Scenario,
  matches: (request: SeenRequest) => boolean,
  fault: Fault,
  meanwhile = () => {},
) => {
  const failed = new Set<string>();
  at.fail((request) => {
    const route = request.path.split("/").at(-1) ?? "";
    if (!matches(request) || failed.has(route)) return undefined;
    failed.add(route);
    meanwhile();
    return fault;
  });
};

const apply = async (at: Scenario) => {
  at.write("rnv.yaml", shop);
  expect(await at.run("apply", ...approve)).toMatchObject({ code: 0 });
  at.forget();
};
const api = (at: Scenario) => at.emulator.store.services()[0]?.id ?? "";
const deploymentsOf = (at: Scenario) => at.emulator.store.deployments(api(at));

const newest = (at: Scenario, count: number) =>
  [...deploymentsOf(at)]
    .sort((left, right) => Date.parse(right.createdAt) - Date.parse(left.createdAt))
    .slice(0, count);

describe("a write whose answer and receipt are lost is looked for before it is sent again", () => {
  for (const [name, fault] of shareOf(lost, 4))
    itInScenario(`${name}: one project, one service, one variable, one deployment`, async (at) => {
      at.write("rnv.yaml", shop);
      failFirst(at, isPost, { ...fault, receipt: false });
      const { code, stderr } = await runFast(at, "apply", ...approve);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const { store } = at.emulator;
      expect(at.requests().filter((line) => line.startsWith("POST"))).toHaveLength(4);
      expect([store.projects().length, store.services().length, deploymentsOf(at).length]).toEqual([1, 1, 1]);
      expect(store.variables(api(at))).toHaveLength(1);
      at.fail();
      await at.isQuiet();
    });

  for (const [name, fault] of shareOf(lost, 4))
    itInScenario(`${name}: rnv deploy makes one deployment`, async (at) => {
      await apply(at);
      failFirst(at, queues, { ...fault, receipt: false });
      expect(await runFast(at, "deploy", "service.shop.api")).toMatchObject({ code: 0 });
      expect(deploymentsOf(at)).toHaveLength(2);
      expect(at.requests()).toHaveLength(1);
    });

  itInScenario("and sent again where nothing is shown for 30 seconds, with the same key", async (at) => {
    at.write("rnv.yaml", shop);
    failFirst(at, isPost, { kind: "reset-before" });
    expect(await runFast(at, "apply", ...approve)).toMatchObject({ code: 0 });
    const keys = at.sent.filter(isPost).map(({ path, idempotencyKey }) => `${path} ${idempotencyKey}`);
    expect([keys.length, new Set(keys).size]).toEqual([8, 4]);
  });

  itInScenario("and found where reads are 25 seconds behind", async (at) => {
    at.write("rnv.yaml", shop);
    at.emulator.store.setLag({ all: { ms: 500 } });
    failFirst(at, ({ method, path }) => method === "POST" && path.endsWith("/services"), {
      ...{ kind: "reset-after", receipt: false },
    });
    expect(await runFast(at, "apply", ...approve)).toMatchObject({ code: 0 });
    expect(at.emulator.store.services()).toHaveLength(1);
  });
});

describe("a deployment that is listed is ours", () => {
  for (const verb of [
    ["apply", ...approve],
    ["deploy", "service.shop.api"],
  ] as const)
    itInScenario(
      `${verb[0]}: only if it is the only new one; two are listed, and nothing is sent`,
      async (at) => {
        await apply(at);
        at.write("rnv.yaml", shop.replace("A: one", "A: two"));
        const theirs = () => void at.emulator.store.deploy(api(at), { commitSha: "a".repeat(40) });
        const fault: Fault = { kind: "reset-after", receipt: false };
        const before = deploymentsOf(at).length;
        failFirst(at, queues, fault, theirs);
        const { code, stdout, stderr } = await runFast(at, ...verb);
        expect(code).toBe(verb[0] === "apply" ? 3 : 1);
        expect(stdout + stderr).toContain("apply.uncertain");
        expect(deploymentsOf(at)).toHaveLength(before + 2);
        for (const { id } of newest(at, 2)) expect(stdout + stderr).toContain(id);
        expect(at.sent.filter(queues)).toHaveLength(1);
      },
    );

  itInScenario("not if it is of another commit", async (at) => {
    await apply(at);
    const theirs = () => void at.emulator.store.deploy(api(at), { commitSha: "b".repeat(40) });
    failFirst(at, queues, { kind: "reset-before" }, theirs);
    expect(await runFast(at, "deploy", "service.shop.api")).toMatchObject({ code: 0 });
    expect(deploymentsOf(at).map(({ commitSha }) => commitSha?.[0])).toEqual(["a", "b", "a"]);
  });

  itInScenario("not if it was created before our request, by the service's clock", async (at) => {
    await apply(at);
    at.write("rnv.yaml", shop.replace("A: one", "A: two"));
    const theirs = () => {
      at.emulator.store.deploy(api(at), { commitSha: "a".repeat(40) });
      at.clock.advance(10_000);
    };
    at.fail((request) => {
      if (request.method === "PATCH") return { kind: "hook", when: "before", run: theirs };
      return queues(request) && at.sent.filter(queues).length === 1 ? { kind: "reset-before" } : undefined;
    });
    expect(await runFast(at, "apply", ...approve)).toMatchObject({ code: 0 });
    expect(at.sent.filter(queues)).toHaveLength(2);
    expect(deploymentsOf(at)).toHaveLength(3);
  });
});

describe("a write that nothing lists", () => {
  for (const [name, fault] of [
    ...lost,
    ["a reset before it arrived", { kind: "reset-before" } as Fault] as const,
  ])
    itInScenario(`is uncertain after ${name}, and rnv restart says so`, async (at) => {
      await apply(at);
      failFirst(at, isPost, fault);
      const { code, stderr } = await at.run("restart", "service.shop.api");
      expect(code).toBe(1);
      expect(stderr).toContain(
        "error[apply.uncertain]: unknown whether `rnv restart service.shop.api` had an effect",
      );
      expect(stderr).toContain(
        "Nothing was sent again. If you still want it: `rnv restart service.shop.api`",
      );
      expect(at.requests()).toHaveLength(1);
      expect(await at.run("restart", "service.shop.api")).toMatchObject({ code: 0 });
      expect(at.requests()).toHaveLength(2);
    });
});

describe("a first key that answers idempotency_conflict", () => {
  const conflict = { kind: "status", status: 409, code: "idempotency_conflict" } as const;
  const services = ({ method, path }: SeenRequest) => method === "POST" && path.endsWith("/services");

  itInScenario("is followed by a look, which finds what it made", async (at) => {
    at.write("rnv.yaml", shop);
    failFirst(at, services, { ...conflict, when: "after" });
    expect(await runFast(at, "apply", ...approve)).toMatchObject({ code: 0 });
    expect(at.emulator.store.services()).toHaveLength(1);
  });

  itInScenario("and where nothing is there, the message names the command that goes on", async (at) => {
    at.write("rnv.yaml", shop);
    failFirst(at, services, conflict);
    const { code, stdout, stderr } = await runFast(at, "apply", ...approve);
    expect(code).toBe(3);
    expect(stdout + stderr).toContain(
      "Nothing was made. Run `rnv apply`: it sends the request under a new key.",
    );
    expect(await at.run("apply", ...approve)).toMatchObject({ code: 0 });
    expect(new Set(at.sent.filter(services).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    expect(at.emulator.store.services()).toHaveLength(1);
  });
});

describe("a deletion that an interrupted destroy requested", () => {
  const slow = { operationSeconds: 3600 };
  const deletions = (at: Scenario) =>
    at.sent.filter(({ method, path }) => method === "DELETE" && path.includes("/services/"));
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  /** The service has queued it, and nobody carries it out. */
  const interrupted = async (at: Scenario) => {
    await apply(at);
    const running = at.start({}, "destroy", "-auto-approve");
    await until(() => at.emulator.store.operations().some(({ kind }) => kind === "delete"));
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
  };
  const finish = async (at: Scenario, ended: Promise<unknown>) => {
    at.emulator.store.settle();
    expect(await ended).toMatchObject({ code: 0 });
    expect(at.emulator.store.projects()).toEqual([]);
  };

  itInScenario(
    "is requested again at once where the service was restored since",
    async (at) => {
      await interrupted(at);
      at.clock.advance(5000);
      at.emulator.store.editService(api(at), () => ({ archived: false, deletionRequestedAt: null }));
      const { ended } = at.start({}, "destroy", "-auto-approve");
      await until(() => deletions(at).length === 2);
      await finish(at, ended);
    },
    slow,
  );

  itInScenario(
    "is waited for while it is pending, and not requested again",
    async (at) => {
      await interrupted(at);
      at.forget();
      const running = at.start({}, "destroy", "-auto-approve");
      await until(() => at.requests("all").some((line) => line.includes("/operations/")));
      await finish(at, running.ended);
      expect(deletions(at)).toEqual([]);
    },
    slow,
  );
});
