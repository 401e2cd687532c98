import { createHttpTransport } from "../../../src/api/http-transport";
import type { Transport, WireRequest } from "../../../src/api/transport";
import { encodeLock, type LockRecord } from "../../../src/state/lock-record";
import type { RemoteStore } from "../../../src/state/remote/remote-store";
import { UnansweredError } from "../../../src/state/remote/remote-store";
import { createS3Store } from "../../../src/state/remote/s3-store";
import type { StateServer } from "../../support/http-state-server";
import { s3Environment, serveS3 } from "../../support/s3-server";
import { holder } from "./fixtures";

jest.setTimeout(60_000);

const record = (id: string, generation = 1): LockRecord => ({ ...holder(id), generation, process: {} });

const storeOn = (
  { url }: Pick<StateServer, "url">,
  transport: Transport = createHttpTransport(),
): RemoteStore =>
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
    transport,
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
    const mine = record("a");
    expect(await store.takeLock(mine)).toBe(mine);
    expect(await store.takeLock(record("b"))).toMatchObject({ id: "a" });
    expect(await held()).toMatchObject({ id: "a" });
  });

  it("is its own where the answer to its taking was lost", async () => {
    await store.takeLock(record("a"));
    const mine = record("a");
    expect(await store.takeLock(mine)).toBe(mine);
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
    expect(await store.freeLock(record("dead"))).toBe(false);
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

describe("a state in S3", () => {
  const bytes = Buffer.from("{}");
  const lock = record("a");
  type Answer = readonly [status: number, body?: string, headers?: Readonly<Record<string, string>>];

  /** A store whose server answers every request alike, or each as said. */
  const answering = (...answers: readonly Answer[]) => {
    const asked: WireRequest[] = [];
    const transport: Transport = {
      close: async () => {},
      send: async (request) => {
        const [status, body = "", headers = {}] = answers[Math.min(asked.length, answers.length - 1)] ?? [
          500,
        ];
        asked.push(request);
        return { status, body, headers };
      },
    };
    return { store: storeOn({ url: "http://127.0.0.1:1" }, transport), asked };
  };
  const etag = { etag: '"1"' };
  const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => "no failure",
      (cause) => (cause instanceof UnansweredError ? "no answer" : cause.diagnostics?.[0]?.code),
    );

  it("is written where nothing stands, and then in place of what was read only", async () => {
    const server = await serveS3();
    const store = storeOn(server);
    expect(await store.read()).toBeUndefined();
    expect(await store.write(bytes, '"of another"', lock)).toEqual({ kind: "changed" });
    const first = await store.write(bytes, undefined, lock);
    expect(first).toEqual({ kind: "written", version: expect.any(String) });
    expect(await store.write(bytes, undefined, lock)).toEqual({ kind: "changed" });
    const read = await store.read();
    expect(read).toEqual({ bytes, version: first.kind === "written" && first.version });
    const next = await store.write(Buffer.from("[]"), read?.version, lock);
    expect(next.kind).toBe("written");
    expect(await store.write(bytes, read?.version, lock)).toEqual({ kind: "changed" });
    expect(server.stored.get("/bucket/shop.json")).toBe("[]");
    await server.close();
  });

  it("keeps its backups beside it, each under its own name", async () => {
    const server = await serveS3();
    const { backups } = storeOn(server);
    await backups.write(1, Buffer.from("one"));
    await backups.write(2, Buffer.from("two"));
    expect(backups.name(1)).toBe("s3://bucket/shop.json.backup.1");
    expect(Buffer.from((await backups.read(1)) ?? []).toString()).toBe("one");
    expect(Buffer.from((await backups.read(2)) ?? []).toString()).toBe("two");
    expect(await backups.read(3)).toBeUndefined();
    expect(server.stored.has("/bucket/shop.json")).toBe(false);
    await server.close();
  });

  it("is nothing yet where no object is, and an error where no bucket is", async () => {
    const missing = answering([404, "?xml <Code>NoSuchKey</Code>"]);
    expect(await missing.store.read()).toBeUndefined();
    expect(missing.asked).toMatchObject([{ method: "GET", url: "http://127.0.0.1:1/bucket/shop.json" }]);
    expect(missing.asked[0]?.headers).not.toHaveProperty("content-type");
    expect(await codeOf(answering([404, "?xml <Code>NoSuchBucket</Code>"]).store.read())).toBe(
      "state.unreadable",
    );
    expect(await codeOf(answering([403, "x", etag]).store.read())).toBe("state.unreadable");
  });

  it("without an ETag is no answer: nothing could be written in its place", async () => {
    expect(await codeOf(answering([200, "{}"]).store.read())).toBe("no answer");
    expect(await codeOf(answering([200]).store.write(bytes, undefined, lock))).toBe("no answer");
  });

  it("is written as JSON", async () => {
    const { store, asked } = answering([200, "", etag]);
    await store.write(bytes, undefined, lock);
    expect(asked).toMatchObject([
      { method: "PUT", body: "{}", headers: { "content-type": "application/json", "if-none-match": "*" } },
    ]);
  });

  it("that two write at once is asked for again", async () => {
    expect(await codeOf(answering([409]).store.write(bytes, '"1"', lock))).toBe("no answer");
  });

  it("that may not be written is an error", async () => {
    expect(await codeOf(answering([403]).store.write(bytes, '"1"', lock))).toBe("state.write_failed");
    // Without If-Match a 404 is not about a condition: the bucket is missing.
    expect(await codeOf(answering([404]).store.write(bytes, undefined, lock))).toBe("state.write_failed");
    expect(await codeOf(answering([404]).store.backups.write(0, bytes))).toBe("state.write_failed");
  });

  it("whose lock was released between the two looks at it is asked for again", async () => {
    expect(await codeOf(answering([412], [404]).store.takeLock(lock))).toBe("no answer");
  });

  it("whose lock may not be deleted is an error", async () => {
    const held = Buffer.from(encodeLock(lock)).toString();
    expect(await codeOf(answering([200, held, etag], [403]).store.freeLock(lock))).toBe("state.write_failed");
    for (const status of [200, 204])
      expect(await answering([200, held, etag], [status]).store.freeLock(lock)).toBe(true);
    for (const status of [404, 412])
      expect(await answering([200, held, etag], [status]).store.freeLock(lock)).toBe(false);
  });
});
