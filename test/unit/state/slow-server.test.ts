import { createHttpTransport } from "../../../src/api/http-transport";
import type { Transport } from "../../../src/api/transport";
import type { StateBackend } from "../../../src/state/backend";
import { emptyState } from "../../../src/state/recorded";
import { stateTimeout } from "../../../src/state/state-address";
import { createHttpStore, httpStateSettings } from "../../../src/state/stores/http-store";
import { createRemoteBackend } from "../../../src/state/stores/remote-backend";
import { StateServer } from "../../../src/state/stores/remote-store";
import { createS3Store, s3StateSettings } from "../../../src/state/stores/s3-store";
import { serveHttpState, type StateServer as TestServer } from "../../support/http-state-server";
import { s3Environment, serveS3 } from "../../support/s3-server";
import { holder, intent, origin, problemOf, stillClock } from "./fixtures";

/** Long enough for what is meant to succeed; short once something is meant not to. */
let timeoutMs = 10_000;
const shortMs = 80;
const waiting = <T extends object>(settings: T): T & { readonly timeoutMs: number } =>
  Object.defineProperty({ ...settings }, "timeoutMs", { get: () => timeoutMs }) as never;
const carry: Transport = {
  send: (request) => createHttpTransport({ exchangeTimeoutMs: timeoutMs }).send(request),
  close: async () => {},
};

const impatient = (): StateServer =>
  new StateServer(carry, { clock: stillClock(), retries: 2, totalMs: 10_000 });

const kinds = [
  {
    kind: "http",
    start: serveHttpState,
    store: (url: string) => createHttpStore(waiting(httpStateSettings(`${url}/state/shop`, {})), impatient()),
  },
  {
    kind: "s3",
    start: () => serveS3(),
    store: (endpoint: string) => {
      const address = { kind: "s3", bucket: "bucket", key: "shop.json", endpoint } as const;
      return createS3Store(waiting(s3StateSettings(address, s3Environment)), impatient());
    },
  },
] as const;

const late = {
  summary: expect.stringContaining(`no whole answer within ${shortMs / 1000} s`),
  hint: expect.stringContaining("RNV_STATE_TIMEOUT"),
};

describe.each(kinds)("a server of states that does not answer ($kind)", ({ start, store }) => {
  let server: TestServer;
  let backend: StateBackend;
  beforeEach(async () => {
    timeoutMs = 10_000;
    server = await start();
    backend = createRemoteBackend(store(server.url), {
      ...origin,
      clock: stillClock(),
      isAlive: () => true,
      host: "here",
      pid: 100,
    });
  });
  afterEach(() => server.close());

  const faulty = (fault: TestServer["fault"]): void => {
    server.fault = fault;
    timeoutMs = fault === undefined ? 10_000 : shortMs;
  };
  const first = emptyState({ lineage: "line", ...origin });

  it.each([
    ["hang", late],
    ["stall", late],
    ["drip", late],
    ["switch", { summary: expect.stringContaining("ended before a whole answer came") }],
  ] as const)("ends the wait for a state that is read: %s", async (kind, told) => {
    const session = await backend.lock(holder("a"), 0);
    await session.commit(first);
    await session.release();
    faulty(({ method }) => (method === "GET" ? { kind } : undefined));
    expect(await problemOf(backend.read())).toMatchObject({ code: "state.unreadable", ...told });
    faulty(undefined);
    expect((await backend.read())?.serial).toBe(1);
  });

  it("leaves open whether a state was written, and not where the lock was asked for", async () => {
    const session = await backend.lock(holder("a"), 0);
    const unknown = { detail: expect.stringContaining("unknown whether the last write arrived") };
    const isOfState = ({ method, path }: { method: string; path: string }): boolean =>
      ["POST", "PUT"].includes(method) && !path.includes(".lock");
    faulty((request) => (isOfState(request) ? { kind: "hang" } : undefined));
    expect(await problemOf(session.commit(first))).toMatchObject(unknown);
    faulty(() => ({ kind: "hang" }));
    expect(await problemOf(backend.lock(holder("b"), 0))).not.toMatchObject(unknown);
  });

  it("is asked once for each thing that is left to do, when it was silent to the end", async () => {
    const session = await backend.lock(holder("a"), 0);
    await session.commit(first);
    faulty(() => ({ kind: "hang" }));
    await problemOf(session.append([intent(1)], { durable: true }));
    // What was given up on a busy machine may arrive after that.
    await new Promise((resolve) => setTimeout(resolve, 2 * shortMs));
    server.seen.length = 0;
    await session.release();
    const asked = server.seen.map(({ method, path: at }) => `${method} ${at}`);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(3);
  });
});

it("RNV_STATE_TIMEOUT is a number of seconds", () => {
  expect(stateTimeout({ RNV_STATE_TIMEOUT: "5" })).toBe(5000);
  for (const text of ["0", "-1", "1.5", "3601", "soon"])
    expect(() => stateTimeout({ RNV_STATE_TIMEOUT: text })).toThrow("RNV_STATE_TIMEOUT");
});
