import { createHttpTransport } from "../../../src/api/http-transport";
import type { LockRecord } from "../../../src/state/lock-record";
import type { RemoteStore } from "../../../src/state/remote-store";
import { createS3Store } from "../../../src/state/s3-store";
import type { StateServer } from "../../support/http-state-server";
import { s3Environment, serveS3 } from "../../support/s3-server";
import { holder } from "./fixtures";

jest.setTimeout(60_000);

const record = (id: string, generation = 1): LockRecord => ({ ...holder(id), generation, process: {} });

const storeOn = ({ url }: StateServer): RemoteStore =>
  createS3Store(
    {
      location: "s3://bucket/shop.json",
      url: `${url}/bucket/shop.json`,
      region: s3Environment.AWS_REGION,
      timeoutMs: 20_000,
      credentials: {
        accessKeyId: s3Environment.AWS_ACCESS_KEY_ID,
        secretAccessKey: s3Environment.AWS_SECRET_ACCESS_KEY,
      },
    },
    createHttpTransport(),
  );

describe("the lock of a state in S3", () => {
  let server: StateServer;
  let store: RemoteStore;
  beforeEach(async () => {
    server = await serveS3();
    store = storeOn(server);
  });
  afterEach(() => server.close());
  const held = () => store.readLock?.();
  const swap = async (from: LockRecord, to: LockRecord) => store.replaceLock?.(from, to);

  it("is taken by one of two, and the other is told by whom", async () => {
    expect(await store.takeLock(record("a"))).toEqual({ kind: "taken" });
    expect(await store.takeLock(record("b"))).toMatchObject({ kind: "held", record: { id: "a" } });
    expect(await held()).toMatchObject({ id: "a" });
  });

  it("is its own where the answer to its taking was lost", async () => {
    await store.takeLock(record("a"));
    expect(await store.takeLock(record("a"))).toEqual({ kind: "taken" });
  });

  it("is swapped from the record that was seen, and from no other", async () => {
    await store.takeLock(record("dead"));
    expect(await swap(record("other"), record("b", 2))).toBe(false);
    expect(await swap(record("dead", 2), record("b", 3))).toBe(false);
    expect(await held()).toMatchObject({ id: "dead", generation: 1 });
    expect(await swap(record("dead"), record("b", 2))).toBe(true);
    expect(await held()).toMatchObject({ id: "b", generation: 2 });
  });

  it("is swapped by one of two who saw the same dead holder", async () => {
    await store.takeLock(record("dead"));
    // Between the look and the write of the first one the second one swaps.
    let isMeanwhile = true;
    server.fault = ({ method, path }) => {
      if (method !== "PUT" || !path.endsWith(".lock") || !isMeanwhile) return undefined;
      isMeanwhile = false;
      server.stored.set(path, JSON.stringify({ format: "rnv-lock", ...record("second", 2) }));
      return undefined;
    };
    expect(await swap(record("dead"), record("first", 2))).toBe(false);
    expect(await held()).toMatchObject({ id: "second" });
  });

  it("is swapped once, also where the answer to the swap was lost", async () => {
    await store.takeLock(record("dead"));
    await swap(record("dead"), record("b", 2));
    expect(await swap(record("dead"), record("b", 2))).toBe(true);
  });

  it("is nothing to swap where nobody holds it, or something else stands there", async () => {
    expect(await swap(record("dead"), record("b", 2))).toBe(false);
    expect(await held()).toBe("free");
    server.stored.set("/bucket/shop.json.lock", "hello");
    expect(await swap(record("dead"), record("b", 2))).toBe(false);
    expect(await held()).toBe("unreadable");
    expect(server.stored.get("/bucket/shop.json.lock")).toBe("hello");
  });

  it("is freed by its holder only", async () => {
    await store.takeLock(record("a"));
    expect(await store.freeLock(record("b"))).toBe(false);
    expect(await store.freeLock(record("a", 2))).toBe(false);
    expect(await held()).toMatchObject({ id: "a" });
    expect(await store.freeLock(record("a"))).toBe(true);
    expect(await held()).toBe("free");
    expect(await store.freeLock(record("a"))).toBe(false);
  });

  it("is not freed where another one took it after the look", async () => {
    await store.takeLock(record("a"));
    server.fault = ({ method, path }) => {
      if (method === "DELETE")
        server.stored.set(path, JSON.stringify({ format: "rnv-lock", ...record("b", 2) }));
      return undefined;
    };
    expect(await store.freeLock(record("a"))).toBe(false);
    expect(await held()).toMatchObject({ id: "b" });
  });

  it("is none on a server that does not obey conditions", async () => {
    const lax = await serveS3({ conditional: false });
    await expect(storeOn(lax).takeLock(record("a"))).rejects.toMatchObject({
      diagnostics: [{ code: "config.invalid" }],
    });
    await lax.close();
  });
});
