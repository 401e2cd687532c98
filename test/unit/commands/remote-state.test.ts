import { randomBytes } from "node:crypto";
import { createHttpTransport } from "../../../src/api/http-transport";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { openBackend } from "../../../src/state/open-backend";
import { parseStateAddress } from "../../../src/state/state-address";
import { type StateServer, serveHttpState } from "../../support/http-state-server";
import { s3Environment, serveS3 } from "../../support/s3-server";
import { createWorkbench, type Workbench } from "../../support/workbench";

// Sockets and signatures: on a busy machine that takes longer than a unit test may.
jest.setTimeout(60_000);

const shop = `
projects:
  shop:
    name: Shop
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", runtime: node }
        variables: { LOG_LEVEL: info, WORKER_HOST: "\${service.shop.worker.internalHost}" }
      worker:
        kind: worker
        configuration: { repository: "https://git.example.com/shop/worker", runtime: python }
`;
const stateKey = "0123456789abcdef".repeat(4);
const kinds = [
  {
    kind: "http",
    environment: {},
    start: serveHttpState,
    address: (url: string) => `${url}/state/shop`,
    path: "/state/shop",
  },
  {
    kind: "s3, encrypted",
    environment: { ...s3Environment, RNV_STATE_ENCRYPTION: "1", RNV_STATE_KEY: stateKey },
    start: serveS3,
    address: (url: string) => `s3://bucket/shop.json?endpoint=${url}`,
    path: "/bucket/shop.json",
  },
] as const;

describe.each(kinds)("plan, apply and resume on a remote state ($kind)", (kind) => {
  let server: StateServer;
  let bench: Workbench;
  beforeEach(async () => {
    server = await kind.start();
    bench = createWorkbench({
      backend: (around) =>
        openBackend(parseStateAddress(kind.address(server.url)).address as never, {
          ...around,
          environment: kind.environment,
          host: "bench",
          pid: process.pid,
          isAlive: () => true,
          randomBytes,
          openTransport: createHttpTransport,
        }),
    });
    bench.write("rnv.yaml", shop);
  });
  afterEach(async () => {
    await server.close();
    bench.remove();
  });

  const isStateWrite = ({ method, path }: { method: string; path: string }) =>
    method !== "GET" && path.split("?")[0] === kind.path;
  const created = () =>
    bench.writes().filter((write) => /^POST .*(projects|services|variables)$/.test(write));

  it("what was applied plans to nothing, and a plan neither locks nor writes", async () => {
    const applied = await bench.apply();
    expect(applied.diagnostics).toEqual([]);
    expect(applied.exitCode).toBe(0);
    server.seen.length = 0;
    const { plan } = await bench.plan();
    expect(plan?.changes.filter(({ action }) => action !== "no-op")).toEqual([]);
    expect(server.seen.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("holds no value of a variable, encrypted or not", async () => {
    bench.write("rnv.yaml", shop.replace("LOG_LEVEL: info", "LOG_LEVEL: canary-7f3a"));
    await bench.apply();
    for (const { body } of server.seen) expect(body).not.toContain("canary-7f3a");
    const stored = server.stored.get(kind.path) ?? "";
    expect(stored.includes("service.shop.api")).toBe(kind.kind === "http");
  });

  it("killed at a write of the state: the next run ends in the same place, with nothing doubled", async () => {
    // A share of them: every moment of a run is cut in the fault matrix.
    for (let cut = 0; cut < 40; cut += 3) {
      server.stored.clear();
      bench.remove();
      const wasCut = await cutAt(cut);
      expect({ cut, created: created().length }).toEqual({ cut, created: 5 });
      const { plan, diagnostics } = await bench.plan();
      expect({ cut, diagnostics }).toEqual({ cut, diagnostics: [] });
      expect(plan?.changes.filter(({ action }) => action !== "no-op")).toEqual([]);
      if (!wasCut) {
        expect(cut).toBeGreaterThan(3);
        return;
      }
    }
    throw new Error("a run writes the state fewer than 40 times");
  });

  /** A run whose state server dies with its n-th write, then one that finds it well; false when the first one ended. */
  async function cutAt(n: number): Promise<boolean> {
    const before = bench;
    bench = createWorkbench({ backend: () => before.context.backend });
    bench.write("rnv.yaml", shop);
    let count = 0;
    let dead = false;
    server.fault = (request) => {
      if (isStateWrite(request)) count += 1;
      dead ||= count > n;
      return dead
        ? { kind: "reset", after: count === n + 1 && n % 2 === 0 && isStateWrite(request) }
        : undefined;
    };
    const first = await bench.apply().catch((cause: unknown) => cause);
    if (dead && first instanceof Error) expect(first).toBeInstanceOf(DiagnosticsError);
    server.fault = undefined;
    const lock = /"(?:ID|id)": ?"([0-9a-f]{16})"/.exec(
      [...server.seen].reverse().find((one) => isLock(one) && !one.body.includes("-proof"))?.body ?? "",
    )?.[1];
    if (dead) await bench.context.backend.forceUnlock(lock ?? "");
    const second = await bench.apply();
    expect({ n, exitCode: second.exitCode, diagnostics: second.diagnostics }).toEqual({
      n,
      exitCode: 0,
      diagnostics: [],
    });
    return dead;
  }

  const isLock = ({ method, path }: { method: string; path: string }) =>
    method === "LOCK" || (method === "PUT" && path.endsWith(".lock"));
});
