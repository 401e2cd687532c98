import { createHash } from "node:crypto";
import type { Transport, WireRequest } from "../../../src/api/transport";
import { sha256 } from "../../../src/model/text";
import { encodeLock, type LockRecord } from "../../../src/state/lock-record";
import { createHttpStore, httpStateSettings } from "../../../src/state/remote/http-store";
import { UnansweredError } from "../../../src/state/remote/remote-store";
import { holder } from "./fixtures";

const url = "https://state.test/shop";
const record: LockRecord = { ...holder("mine"), generation: 3, process: {} };
const bytes = Buffer.from("written");
const state = Buffer.from("stored");
const md5 = (text: string): string => createHash("md5").update(text).digest("base64");

type Answer = readonly [status: number, body?: string, headers?: Readonly<Record<string, string>>];

const noBackups = { name: String, read: async () => undefined, write: async () => {} };

/** A store whose server answers each method as said. */
function storeOf(answers: Readonly<Record<string, Answer>>, environment: Record<string, string> = {}) {
  const asked: WireRequest[] = [];
  const transport: Transport = {
    close: async () => {},
    send: async (request) => {
      asked.push(request);
      const [status, body = "", headers = {}] = answers[request.method] ?? [500];
      return { status, body, headers };
    },
  };
  const { settings } = httpStateSettings(url, environment);
  return { store: createHttpStore(settings, transport, noBackups), asked };
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no failure",
    (cause) => (cause instanceof UnansweredError ? "no answer" : cause.diagnostics?.[0]?.code),
  );

/** What Terraform's servers say of who holds the lock. */
const info = (id: string, more: object = {}): string => JSON.stringify({ ID: id, ...more });

describe("a state read over HTTP", () => {
  it("is what stands there, known by its content", async () => {
    const { store, asked } = storeOf({ GET: [200, "stored"] });
    expect(await store.read()).toEqual({ bytes: state, version: sha256(state) });
    expect(asked).toMatchObject([{ method: "GET", url, headers: { accept: "application/json" } }]);
    expect(asked[0]?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    { status: 204, body: "" },
    { status: 404, body: "not found" },
    { status: 200, body: "" },
  ])("is nothing yet where the answer is $status with the body '$body'", async ({ status, body }) => {
    expect(await storeOf({ GET: [status, body] }).store.read()).toBeUndefined();
  });

  it.each([400, 401, 403])("is an error, and never nothing, where the answer is %i", async (status) => {
    expect(await codeOf(storeOf({ GET: [status, "{}"] }).store.read())).toBe("state.unreadable");
  });

  it("is asked for again where it was damaged on its way", async () => {
    const whole = storeOf({ GET: [200, "stored", { "content-md5": md5("stored") }] });
    expect(await whole.store.read()).toEqual({ bytes: state, version: sha256(state) });
    const damaged = storeOf({ GET: [200, "stored", { "content-md5": md5("store") }] });
    expect(await codeOf(damaged.store.read())).toBe("no answer");
  });
});

describe("a state written over HTTP", () => {
  const write = (answer: Answer, expected: string | undefined = sha256(state)) => {
    const { store, asked } = storeOf({ GET: [200, "stored"], POST: answer });
    return { writing: store.write(bytes, expected, record), asked };
  };

  it.each([200, 201, 204])("stands there when the answer is %i", async (status) => {
    const { writing, asked } = write([status]);
    expect(await writing).toEqual({ kind: "written", version: sha256(bytes) });
    expect(asked[1]).toMatchObject({
      method: "POST",
      url: `${url}?ID=mine`,
      headers: { "content-type": "application/json", "content-md5": md5("written") },
    });
    expect(asked[1]?.body).toBe("written");
  });

  it("is not sent in place of another one than was read", async () => {
    for (const expected of [sha256(bytes), undefined]) {
      const { store, asked } = storeOf({ GET: [200, "stored"], POST: [200] });
      expect(await store.write(bytes, expected, record)).toEqual({ kind: "changed" });
      expect(asked.map(({ method }) => method)).toEqual(["GET"]);
    }
  });

  it("is sent where nothing stands, as expected", async () => {
    const { store } = storeOf({ GET: [404], POST: [200] });
    expect(await store.write(bytes, undefined, record)).toEqual({ kind: "written", version: sha256(bytes) });
  });

  it.each([409, 423])("is refused with %i where the lock is another's, whose it is told", async (status) => {
    expect(await write([status, info("other")]).writing).toMatchObject({
      kind: "not-ours",
      holder: { id: "other" },
    });
    expect(await write([status, "held"]).writing).toEqual({ kind: "not-ours", holder: undefined });
  });

  it.each([412, 422])("is told from one that came first by reading, after %i", async (status) => {
    expect(await write([status]).writing).toEqual({ kind: "changed" });
  });

  it.each([400, 403, 404, 413, 501])("failed for good where the answer is %i", async (status) => {
    expect(await codeOf(write([status]).writing)).toBe("state.write_failed");
  });
});

describe("a lock over HTTP", () => {
  const take = (...answer: Answer) => storeOf({ LOCK: answer }).store.takeLock(record);

  it("is asked for as Terraform asks, with the whole record in it", async () => {
    const { store, asked } = storeOf({ LOCK: [200] });
    expect(await store.takeLock(record)).toBe(record);
    expect(asked).toMatchObject([{ method: "LOCK", url }]);
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      ID: "mine",
      Operation: "apply",
      Info: Buffer.from(encodeLock(record)).toString(),
      Who: "pid 100@here",
      Version: "rnv",
      Created: record.since,
      Path: url,
    });
  });

  it.each([200, 201, 204])("is taken when the answer is %i", async (status) => {
    expect(await take(status)).toBe(record);
  });

  it.each([409, 423])(
    "is held by another when the answer is %i, and its own where it names itself",
    async (status) => {
      expect(await take(status, info("other"))).toMatchObject({ id: "other" });
      expect(await take(status, info("mine"))).toBe(record);
      expect(await take(status, "held")).toBe("unreadable");
      expect(await take(status, "null")).toBe("unreadable");
    },
  );

  it.each([404, 405, 501])(
    "that the server does not know (%i) is an error in the settings",
    async (status) => {
      expect(await codeOf(take(status))).toBe("config.invalid");
    },
  );

  it.each([400, 401, 403])("that is refused with %i is an error", async (status) => {
    expect(await codeOf(take(status))).toBe("state.write_failed");
  });

  it("tells of a holder what its own record says, else what Terraform's says", async () => {
    const own = { ...record, id: "other", pid: 7, process: { boot: "b" } };
    const whole = info("other", { Info: Buffer.from(encodeLock(own)).toString(), Who: "pid 1@there" });
    expect(await take(423, whole)).toEqual(own);
    // A record of somebody else in it tells nothing.
    const mixed = info("third", { Info: Buffer.from(encodeLock(own)).toString(), Who: "pid 8@there" });
    expect(await take(423, mixed)).toMatchObject({ id: "third", pid: 8, host: "there" });
    const terraform = info("tf", { Who: "me@laptop", Operation: "OperationTypeApply", Created: "today" });
    expect(await take(423, terraform)).toEqual({
      id: "tf",
      host: "me@laptop",
      pid: 0,
      command: "OperationTypeApply",
      since: "today",
      generation: 1,
      process: {},
    });
    expect(await take(423, info("x", { Who: 7 }))).toMatchObject({
      ...{ host: "an unknown host", pid: 0, command: "another run", since: "" },
    });
  });

  it("is proven by asking for it under another id", async () => {
    const prove = (lock: Answer, unlock: Answer = [200]) => {
      const { store, asked } = storeOf({ LOCK: lock, UNLOCK: unlock });
      return { proof: Promise.resolve(store.proveLock?.(record)), asked };
    };
    const idsOf = (asked: readonly WireRequest[]) =>
      asked.map(({ method, body }) => `${method} ${JSON.parse(body ?? "").ID}`);
    for (const status of [409, 423]) {
      const ours = prove([status, info("mine")]);
      expect(await ours.proof).toMatchObject({ id: "mine" });
      expect(idsOf(ours.asked)).toEqual(["LOCK mine-proof"]);
      expect(await prove([status, info("other")]).proof).toMatchObject({ id: "other" });
      expect(await prove([status, "held"]).proof).toBe("unreadable");
    }
    for (const status of [200, 201, 204]) {
      const free = prove([status]);
      expect(await free.proof).toBe("free");
      // What was free is given back.
      expect(idsOf(free.asked)).toEqual(["LOCK mine-proof", "UNLOCK mine-proof"]);
    }
    // An earlier proof was not given back.
    const left = prove([423, info("mine-proof")]);
    expect(await left.proof).toBe("free");
    expect(idsOf(left.asked)).toEqual(["LOCK mine-proof", "UNLOCK mine-proof"]);
    expect(await codeOf(prove([403]).proof)).toBe("state.write_failed");
  });

  it.each([
    [200, true],
    [204, true],
    [404, false],
    [409, false],
    [423, false],
  ])("is given back when the answer is %i: %s", async (status, isFree) => {
    const { store, asked } = storeOf({ UNLOCK: [status] });
    expect(await store.freeLock(record)).toBe(isFree);
    expect(asked).toMatchObject([{ method: "UNLOCK", url }]);
  });

  it("that cannot be given back is an error", async () => {
    expect(await codeOf(storeOf({ UNLOCK: [403] }).store.freeLock(record))).toBe("state.write_failed");
  });

  it("is asked for with the credentials, where the settings say", async () => {
    const environment = {
      RNV_STATE_HTTP_LOCK_ADDRESS: `${url}/lock`,
      RNV_STATE_HTTP_LOCK_METHOD: "POST",
      TF_HTTP_PASSWORD: "p4ss",
      TF_HTTP_USERNAME: "me",
    };
    const { store, asked } = storeOf({ POST: [200] }, environment);
    await store.takeLock(record);
    const authorization = `Basic ${Buffer.from("me:p4ss").toString("base64")}`;
    expect(asked).toMatchObject([{ method: "POST", url: `${url}/lock`, headers: { authorization } }]);
  });
});
