import { emptyState } from "../../../src/state/recorded";
import { holder, intent, origin, outcome, refusalOf, resourceEntry } from "./fixtures";
import { type RemoteSetup, remoteKinds, startHttp } from "./remote-setup";

// Sockets and signatures: on a busy machine that takes longer than a unit test may.
jest.setTimeout(60_000);

const start = emptyState({ lineage: "line", ...origin });
const problem = async (work: Promise<unknown>) => {
  const { exitCode, diagnostics } = await refusalOf(work);
  return { exitCode, ...diagnostics[0] };
};

/** A session that has written the first snapshot. */
const begun = async ({ backend }: RemoteSetup) => {
  const session = await backend().lock(holder("a"), 0);
  await session.commit(start);
  return session;
};

describe.each(remoteKinds)("a remote state ($kind)", ({ kind, start: startServer }) => {
  let setup: RemoteSetup;
  beforeEach(async () => {
    setup = await startServer();
  });
  afterEach(() => setup.server.close());

  const writes = () => setup.server.seen.filter(({ method, path }) => isWrite(method, path));
  const isWrite = (method: string, path: string): boolean =>
    (method === "POST" || method === "PUT") && path.split("?")[0] === setup.path;
  const stored = () => JSON.parse(setup.server.stored.get(setup.path) ?? "null");

  it("carries intents in the stored state: durable before append returns", async () => {
    const session = await begun(setup);
    await session.append([intent(1)], { durable: true });
    expect(stored().open).toHaveLength(1);
    expect((await setup.backend().read())?.open[0]?.key).toBe("key-1");
  });

  it("writes appends that come together in few writes", async () => {
    const session = await begun(setup);
    await Promise.all(Array.from({ length: 50 }, (_, i) => session.append([intent(i)], { durable: true })));
    // The first is the snapshot.
    expect(writes().length).toBeLessThanOrEqual(3);
    expect(stored().open).toHaveLength(50);
  });

  it("does not lose what need not be durable when the session ends without a commit", async () => {
    const session = await begun(setup);
    await session.append([intent(1)], { durable: true });
    await session.append([outcome(1), resourceEntry("service.api", "1")], { durable: false });
    await session.release();
    expect(stored().open).toEqual([]);
    expect(Object.keys(stored().resources)).toEqual(["service.api"]);
  });

  it("has one writer: the second is told who the first is, and gets its turn later", async () => {
    const first = await setup.backend().lock(holder("a", 4242), 0);
    expect(await problem(setup.backend().lock(holder("b"), 1000))).toMatchObject({
      exitCode: 6,
      code: "state.lock_held",
      summary: expect.stringContaining("apply (pid 4242 on here)"),
      hint: expect.stringContaining("rnv force-unlock a"),
    });
    await first.commit(start);
    await first.release();
    const second = await setup.backend().lock(holder("b"), 0);
    expect(second.state?.serial).toBe(1);
    await second.release();
  });

  it("stops a holder whose lock was taken away after the new holder wrote", async () => {
    const first = await setup.backend().lock(holder("a", 4242), 0);
    await first.commit(start);
    expect(await setup.backend().forceUnlock("other")).toBeUndefined();
    expect(await setup.backend().forceUnlock("a")).toMatchObject({ id: "a", pid: 4242, host: "here" });
    const second = await setup.backend().lock(holder("b"), 0);
    await second.append([intent(7)], { durable: true });
    expect(await problem(first.append([intent(1)], { durable: true }))).toMatchObject({
      exitCode: 6,
      code: "state.lock_lost",
    });
    expect((await problem(first.commit(start))).code).toBe("state.lock_lost");
    await first.release();
    expect(stored().open).toMatchObject([{ seq: 7 }]);
    await second.commit({ ...start, outputs: { by: "second" } });
    await second.release();
    expect(stored().outputs).toEqual({ by: "second" });
  });

  it.each([401, 403, 405])("names the answer %s and does not repeat the request", async (status) => {
    setup.server.fault = () => ({ kind: "status", status });
    expect(await problem(setup.backend().read())).toMatchObject({
      code: "state.unreadable",
      summary: expect.stringContaining(`HTTP ${status}`),
    });
    expect(setup.server.seen).toHaveLength(1);
  });

  it("follows no redirect, neither with the state nor with the credentials", async () => {
    const other = await startHttp();
    setup.server.fault = () => ({ kind: "redirect", to: `${other.server.url}/state/shop` });
    expect((await problem(setup.backend().read())).summary).toContain("redirects");
    expect((await problem(setup.backend().lock(holder("a"), 0))).summary).toContain("redirects");
    expect(other.server.seen).toEqual([]);
    await other.server.close();
  });

  it("never takes a page or half a state for a state", async () => {
    const session = await begun(setup);
    await session.release();
    setup.server.fault = ({ method }) => (method === "GET" ? { kind: "truncate" } : undefined);
    expect((await problem(setup.backend().read())).code).toBe("state.unreadable");
    setup.server.fault = () => ({ kind: "status", status: 200 });
    expect((await problem(setup.backend().read())).code).toBe("state.unreadable");
  });

  it("keeps the last ten snapshots in S3, newest first, and can read each; an HTTP server keeps its own", async () => {
    for (let n = 0; n < 13; n += 1) {
      const session = await setup.backend().lock(holder(`run-${n}`), 0);
      await session.commit({ ...(session.state ?? start), outputs: { n } });
      await session.release();
    }
    const backend = setup.backend();
    const names = await backend.backups();
    if (kind !== "s3") return expect(names).toEqual([]);
    expect(names).toHaveLength(10);
    const texts = await Promise.all(names.map((name) => backend.readBackup(name)));
    const held = await Promise.all(texts.map((text) => backend.parse(text ?? "", "backup")));
    expect(held.map(({ state }) => state.outputs.n)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    for (const { writer } of held)
      expect(writer).toMatchObject({ at: expect.stringMatching(/^20.*Z$/), command: "apply" });
  });

  it("can be locked to be replaced when it cannot be read, with a higher serial", async () => {
    const first = await setup.backend().lock(holder("a"), 0);
    await first.commit({ ...start, serial: 40 });
    await first.release();
    const text = setup.server.stored.get(setup.path) ?? "";
    setup.server.stored.set(setup.path, text.slice(0, -30).replace("resources", "resourcs"));
    expect((await problem(setup.backend().lock(holder("b"), 0))).code).toBe("state.unreadable");
    const repair = await setup.backend().lock(holder("c"), 0, { repair: true });
    expect(repair.state).toBeUndefined();
    expect(repair.damage?.[0]?.code).toBe("state.unreadable");
    expect((await repair.commit(start)).serial).toBe(42);
    await repair.release();
    expect((await setup.backend().read())?.serial).toBe(42);
  });
});

it("a lock whose server does not say who holds it is removed by its id, and by no other", async () => {
  const setup = await startHttp();
  await setup.backend().lock(holder("a"), 0);
  setup.server.fault = ({ method }) => (method === "LOCK" ? { kind: "status", status: 409 } : undefined);
  expect(await problem(setup.backend().lock(holder("b"), 0))).toMatchObject({
    code: "state.lock_held",
    hint: expect.stringContaining("rnv force-unlock ID"),
  });
  expect(await setup.backend().forceUnlock("other")).toBeUndefined();
  expect(await setup.backend().forceUnlock("a")).toMatchObject({ id: "a" });
  setup.server.fault = undefined;
  const next = await setup.backend().lock(holder("b"), 0);
  await next.release();
  await setup.server.close();
});

// "After each durable write the lock is proven": nothing else tells a server that takes a write from whoever sends it.
describe("a run that stood still between its read and its write, on a server without rules", () => {
  const lockOf = (id: string): string =>
    JSON.stringify({ ID: id, Operation: "apply", Who: "pid 7@elsewhere" });

  it.each([
    ["another run holds the lock", lockOf("other"), "apply (pid 7 on elsewhere) holds it now"],
    ["another run came and went", undefined, "it is free"],
  ])("stops before it writes anything to the service: %s", async (_, standing, told) => {
    const setup = await startHttp({ strict: false });
    const { server } = setup;
    const session = await begun(setup);
    let isStill = true;
    server.fault = ({ method }) => {
      if (method === "POST" && isStill) {
        isStill = false;
        if (standing === undefined) server.locks.delete("/state/shop");
        else server.locks.set("/state/shop", standing);
      }
      return undefined;
    };
    expect(await problem(session.append([intent(1)], { durable: true }))).toMatchObject({
      exitCode: 6,
      code: "state.lock_lost",
      summary: expect.stringContaining(told),
      detail: expect.stringContaining("may have replaced what another run wrote there"),
      hint: expect.stringContaining("run the same command again"),
    });
    expect(await problem(session.commit(start))).toMatchObject({ code: "state.lock_lost" });
    await session.release();
    expect(server.locks.get("/state/shop")).toBe(standing);
    await server.close();
  });
});
