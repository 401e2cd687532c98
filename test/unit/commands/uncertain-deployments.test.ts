import type { Fault, SeenRequest } from "../../../src/emulator/faults";
import { addressOf } from "../../../src/model/address";
import { createWorkbench, type Workbench } from "../../support/workbench";

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
const changed = shop.replace("A: one", "A: two");
type Route = Pick<SeenRequest, "method" | "path">;
const isPost = ({ method }: Route) => method === "POST";
const queues = ({ method, path }: Route) => method === "POST" && path.endsWith("/deploys");
const creates = ({ method, path }: Route) => method === "POST" && path.endsWith("/services");

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
  bench.write("rnv.yaml", shop);
});

const store = () => bench.emulator.store;
const api = () => store().services()[0]?.id ?? "";
const deploymentsOf = () => store().deployments(api());
const sent = (matches: (request: Route) => boolean) => bench.emulator.log.filter(matches);
const keysOf = (matches: (request: Route) => boolean) =>
  sent(matches).map(({ headers, path }) => `${path} ${headers["idempotency-key"]}`);
const applied = async () => {
  expect(await bench.apply()).toMatchObject({ exitCode: 0 });
  bench.emulator.resetLog();
};

/** The first request to each path that matches is carried out, and answered so. */
const failFirst = (matches: (request: Route) => boolean, fault: Fault, meanwhile = () => {}) => {
  const failed = new Set<string>();
  bench.emulator.setFaults((_, request) => {
    const route = request.path.split("/").at(-1) ?? "";
    if (!matches(request) || failed.has(route)) return undefined;
    failed.add(route);
    meanwhile();
    return fault;
  });
};

describe("a write whose answer and receipt are lost", () => {
  it("is sent again where nothing is shown for 30 seconds, with the same key", async () => {
    failFirst(isPost, { kind: "reset-before" });
    expect(await bench.apply()).toMatchObject({ exitCode: 0 });
    const keys = keysOf(isPost);
    expect([keys.length, new Set(keys).size]).toEqual([8, 4]);
  });

  it("is found where reads are nearly half a minute behind, which is told", async () => {
    store().setLag({ all: { ms: 25_000 } });
    failFirst(creates, { kind: "status", status: 500, when: "after", receipt: false });
    expect(await bench.apply()).toMatchObject({ exitCode: 0 });
    expect(store().services()).toHaveLength(1);
    expect(bench.events).toContainEqual({
      ...{ type: "progress", address: "service.shop.api", action: "create" },
      note: "the platform failed and may have done it: looking for it for at most 30 s",
    });
  });
});

describe("a deployment that is listed", () => {
  const theirs = (commit: string) => void store().deploy(api(), { commitSha: commit.repeat(40) });
  const newest = (count: number) =>
    [...deploymentsOf()]
      .sort((left, right) => Date.parse(right.createdAt) - Date.parse(left.createdAt))
      .slice(0, count);

  it.each([
    ["apply", () => bench.apply()],
    ["deploy", () => bench.act({ action: "deploy" })],
  ] as const)("is ours after %s as the newest of two, and nothing is sent again", async (_, run) => {
    await applied();
    bench.write("rnv.yaml", changed);
    const before = deploymentsOf().length;
    failFirst(queues, { kind: "reset-after", receipt: false }, () => theirs("a"));
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(deploymentsOf()).toHaveLength(before + 2);
    expect(sent(queues)).toHaveLength(1);
    const [last] = newest(1);
    const { resources } = (await bench.state()) ?? {};
    expect(resources?.[addressOf("deployment", "shop", "api")]).toMatchObject({ id: last?.id });
  });

  it("is not ours if it is of another commit", async () => {
    await applied();
    failFirst(queues, { kind: "reset-before" }, () => theirs("b"));
    expect(await bench.act({ action: "deploy" })).toMatchObject({ exitCode: 0 });
    expect(deploymentsOf().map(({ commitSha }) => commitSha?.[0])).toEqual(["a", "b", "a"]);
  });

  it.each([
    ["changed", changed],
    ["deleted", shop.replace(/ *variables: .*\n/, "")],
  ])(
    "is not ours if it is older than a variable that was %s, by the service's clock",
    async (_, manifest) => {
      await applied();
      bench.write("rnv.yaml", manifest);
      const deployEarlier = async () => {
        theirs("a");
        bench.clock.advance(10_000);
      };
      bench.emulator.setFaults((_, request) => {
        if (/PATCH|DELETE/.test(request.method)) return { kind: "hook", when: "before", run: deployEarlier };
        return queues(request) && sent(queues).length === 0 ? { kind: "reset-before" } : undefined;
      });
      expect(await bench.apply()).toMatchObject({ exitCode: 0 });
      expect(sent(queues)).toHaveLength(2);
      expect(deploymentsOf()).toHaveLength(3);
    },
  );

  it.each(["right", "ahead", "absent"] as const)(
    "is ours where the Date of answers is %s",
    async (dateHeader) => {
      bench = createWorkbench({ emulator: { readings: { dateHeader } } });
      for (const [count, manifest] of [shop, changed, shop.replace(/ *variables: .*\n/, "")].entries()) {
        bench.write("rnv.yaml", manifest);
        failFirst(queues, { kind: "reset-after", receipt: false });
        expect(await bench.apply()).toMatchObject({ exitCode: 0 });
        expect(deploymentsOf()).toHaveLength(count + 1);
      }
    },
  );
});

describe("a first key that answers idempotency_conflict", () => {
  const conflict = { kind: "status", status: 409, code: "idempotency_conflict" } as const;

  it("is followed by a look, which finds what it made", async () => {
    failFirst(creates, { ...conflict, when: "after" });
    expect(await bench.apply()).toMatchObject({ exitCode: 0 });
    expect(store().services()).toHaveLength(1);
  });
});
