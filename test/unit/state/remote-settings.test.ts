import { join } from "node:path";
import { inspect } from "node:util";
import { createHttpTransport } from "../../../src/api/http-transport";
import type { WireRequest } from "../../../src/api/transport";
import type { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { openBackend } from "../../../src/state/open-backend";
import { emptyState } from "../../../src/state/recorded";
import { parseStateAddress } from "../../../src/state/state-address";
import { s3StateSettings } from "../../../src/state/stores/s3-store";
import { serveState } from "../../support/http-state-server";
import { casesIn, rowsIn } from "../../support/rows";
import { refusal, type S3Options, s3Environment, serveS3 } from "../../support/s3-server";
import { holder, origin, stillClock } from "./fixtures";
import { startS3 } from "./remote-setup";

describe("the address of a state", () => {
  it.each(casesIn<[string, object]>(join(__dirname, "addresses.json")))(
    "%s is read by its form",
    (text, address) => {
      expect(parseStateAddress(text).address).toMatchObject(address);
    },
  );

  it.each(rowsIn(join(__dirname, "refused-addresses.tsv")))("%s is refused", (text, why) => {
    const { diagnostic } = parseStateAddress(text);
    expect(diagnostic?.summary).toContain(why);
    const isInsecure = /without encryption|a password/.test(why);
    expect(diagnostic?.code).toBe(isInsecure ? "config.insecure" : "config.invalid");
  });

  it("never repeats a password", () => {
    expect(inspect(parseStateAddress("https://user:hunter2@example.com/s"))).not.toContain("hunter2");
  });
});

describe("the settings of a state in S3", () => {
  const address = (text: string) => parseStateAddress(text).address as never;

  it("are those of the address, else of the environment, else of the shared config", () => {
    const settingsOf = (text: string, environment: Readonly<Record<string, string>> = {}) =>
      s3StateSettings(address(text), environment);
    const given = {
      ...{ AWS_REGION: " ", AWS_DEFAULT_REGION: "two", AWS_PROFILE: "p", AWS_ENDPOINT_URL: "https://e.test" },
      ...{ AWS_ACCESS_KEY_ID: " id ", AWS_SECRET_ACCESS_KEY: " secret ", AWS_SESSION_TOKEN: "" },
    };
    const own = "s3://bucket/s?region=own&endpoint=https://own.test&path_style=false&profile=mine";
    expect(settingsOf(own, given)).toMatchObject({
      ...{ region: "own", endpoint: "https://own.test", pathStyle: false, profile: "mine" },
      credentials: undefined,
    });
    expect(settingsOf("s3://bucket/s", given)).toMatchObject({
      ...{ region: "two", endpoint: "https://e.test", pathStyle: true, profile: "p" },
      credentials: { accessKeyId: "id", secretAccessKey: "secret", sessionToken: undefined },
    });
    expect(settingsOf("s3://bucket/a/s")).toMatchObject({
      ...{ location: "s3://bucket/a/s", region: undefined, endpoint: undefined, pathStyle: false },
      ...{ profile: undefined, credentials: undefined },
    });
  });

  /** What is said of settings that are refused. */
  const refusalOf = (text: string, environment: Readonly<Record<string, string>>) => {
    try {
      s3StateSettings(address(text), environment);
      return [];
    } catch (cause) {
      return (cause as DiagnosticsError).diagnostics;
    }
  };

  it("refuse a malformed endpoint and timeout", () => {
    const codes = (more: Readonly<Record<string, string>>) =>
      refusalOf("s3://bucket/a/s", { ...s3Environment, ...more }).map(({ code }) => code);
    expect(codes({ AWS_ENDPOINT_URL: "http://evil.test" })).toEqual(["config.insecure"]);
    expect(codes({ RNV_STATE_TIMEOUT: "x" })).toEqual(["config.invalid"]);
  });
});

const open = (url: string, environment: Readonly<Record<string, string>> = {}) =>
  openBackend(parseStateAddress(url).address as never, {
    ...origin,
    environment,
    host: "here",
    pid: 100,
    isAlive: (pid) => pid === 100,
    clock: stillClock(),
    randomBytes: (size) => new Uint8Array(size).fill(5),
    openTransport: createHttpTransport,
  });

const lockText = (more: object): string =>
  JSON.stringify({
    ...{ format: "rnv-lock", id: "dead", host: "here", pid: 7, command: "apply", since: "then" },
    ...{ generation: 3, process: {}, ...more },
  });
const [freeLock, deadLock] = [lockText({ free: true }), lockText({})];

describe("a server that cannot keep one writer", () => {
  it("is refused when it does not lock", async () => {
    const server = await serveState(({ method }) => ({ status: method === "GET" ? 404 : 405 }), new Map());
    await expect(open(`${server.url}/s`).lock(holder("a"), 0)).rejects.toThrow("cannot be locked");
    await server.close();
  });

  it.each<[string, S3Options]>([
    ["If-None-Match", { obeys: [] }],
    ["If-None-Match", { obeys: ["If-Match"] }],
    ["If-Match", { obeys: ["If-None-Match"] }],
    ["If-Match", { etags: "none" }],
  ])("is refused in every run when it does not obey %s: %j", async (condition, options) => {
    const server = await serveS3(options);
    const locked = () => open(`s3://bucket/s?endpoint=${server.url}`, s3Environment).lock(holder("a"), 0);
    for (const before of [[], [["/bucket/s.lock", freeLock]], [["/bucket/s.lock", deadLock]]] as const) {
      server.stored.clear();
      for (const [path, text] of before) server.stored.set(path, text);
      for (let run = 0; run < 2; run += 1) {
        await expect(locked()).rejects.toThrow(`does not obey ${condition}`);
        expect([...server.stored]).toEqual(before);
      }
    }
    await server.close();
  });

  it("is refused when it speaks WebDAV: its lock is given back, the file that LOCK made is named", async () => {
    const seen: string[] = [];
    const server = await serveState(({ method, headers }) => {
      seen.push(`${method} ${headers["lock-token"] ?? ""}`);
      if (method !== "LOCK") return { status: 204 };
      return { status: 201, headers: { "lock-token": "<urn:1>" }, body: "<D:prop xmlns:D='DAV:'/>" };
    }, new Map());
    const { diagnostics, exitCode } = await open(`${server.url}/s`)
      .lock(holder("a"), 0)
      .catch((cause) => cause);
    expect(exitCode).toBe(1);
    expect(diagnostics).toMatchObject([
      {
        summary: expect.stringContaining("is a WebDAV server"),
        detail: expect.stringContaining(`delete ${server.url}/s`),
      },
    ]);
    expect(seen).toEqual(["LOCK ", "UNLOCK <urn:1>"]);
    await server.close();
  });
});

describe("a refusal of a store", () => {
  it.each(casesIn<[number, string, string, string]>(join(__dirname, "answers-of-s3.json")))(
    "is told with its code: %s %s",
    async (status, code, meaning, hint) => {
      const headers = { "x-amz-bucket-region": "eu-west-7" };
      const server = await serveState(() => ({ ...refusal(status, code), headers }), new Map());
      const reading = open(`s3://bucket/s?endpoint=${server.url}`, s3Environment).read();
      const { diagnostics } = await reading.catch((cause) => cause);
      expect(diagnostics[0].summary).toContain(`cannot read s3://bucket/s: `);
      expect(diagnostics[0].summary).toContain(meaning);
      expect(diagnostics[0].summary).toContain(`(${code}, HTTP ${status})`);
      expect(diagnostics[0].hint).toContain(hint);
      await server.close();
    },
  );

  it("is read back after a write whose condition was met, and the server is named", async () => {
    const { server, path, backend } = await startS3();
    const session = await backend().lock(holder("a"), 0);
    await session.commit(emptyState({ lineage: "line", ...origin }));
    server.fault = ({ method, path: url }) =>
      method === "PUT" && url.startsWith(`${path}?`) ? { kind: "status", status: 412 } : undefined;
    const again = session.commit(emptyState({ lineage: "line", ...origin }));
    await expect(again).rejects.toThrow("does not obey If-Match");
    await server.close();
  });
});

it("a state in S3 is read by a clock that is 40 minutes off", async () => {
  const ahead = 40 * 60_000;
  const server = await serveState(({ headers }) => {
    const [now, stamp] = [Date.now() + ahead, String(headers["x-amz-date"])];
    const sent = Date.parse(stamp.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5"));
    const answer = Math.abs(now - sent) > 900_000 ? "RequestTimeTooSkewed" : "NoSuchKey";
    const date = new Date(now).toUTCString();
    return { ...refusal(answer === "NoSuchKey" ? 404 : 403, answer), headers: { date } };
  }, new Map());
  expect(await open(`s3://bucket/s?endpoint=${server.url}`, s3Environment).read()).toBeUndefined();
  expect(server.seen).toHaveLength(2);
  await server.close();
});

describe("the lock of a state in S3", () => {
  it.each(["quoted", "bare"] as const)("stays, free, with its generation (ETags: %s)", async (etags) => {
    const { server, path, backend } = await startS3({ etags });
    const lock = () => JSON.parse(server.stored.get(`${path}.lock`) ?? "null");
    for (const generation of [1, 2]) {
      const session = await backend().lock(holder(`run-${generation}`), 0);
      expect(lock()).toMatchObject({ id: `run-${generation}`, generation });
      await session.commit(emptyState({ lineage: "line", ...origin }));
      await session.release();
      expect(lock()).toMatchObject({ free: true, id: `run-${generation}`, generation });
      expect(await backend().forceUnlock(`run-${generation}`)).toBeUndefined();
    }
    await server.close();
  });

  it("is taken by a single run of two where it is free, and by no late duplicate", async () => {
    const sent: WireRequest[] = [];
    const { server, path, backend } = await startS3({}, sent);
    await (await backend().lock(holder("first"), 0)).release();
    const takers = await Promise.allSettled(["a", "b"].map((id) => backend().lock(holder(id), 0)));
    expect(takers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    for (const taker of takers) if (taker.status === "fulfilled") await taker.value.release();
    const free = server.stored.get(`${path}.lock`);
    const transport = createHttpTransport();
    for (const request of sent) if (request.method === "PUT") await transport.send(request);
    await transport.close();
    expect(server.stored.get(`${path}.lock`)).toBe(free);
    await server.close();
  });

  it("is taken over from a gone process of this host, by a single run of two", async () => {
    const { server, backend } = await startS3();
    await backend({}, 100).lock(holder("dead", 100), 0);
    // Each sees that the other one runs.
    const takers = await Promise.allSettled(
      [2001, 2002].map((pid) => backend({}, pid).lock({ ...holder(`taker-${pid}`, pid), pid }, 0)),
    );
    expect(takers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await server.close();
  });

  it("stays with a holder on another host, and with a holder that cannot be read", async () => {
    const { server, path, backend } = await startS3();
    await backend().lock({ ...holder("far", 1), host: "elsewhere" }, 0);
    await expect(backend().lock(holder("b"), 0)).rejects.toThrow("apply (pid 1 on elsewhere)");
    server.stored.set(`${path}.lock`, "gibberish");
    await expect(backend().lock(holder("b"), 0)).rejects.toThrow("does not say who holds the lock");
    await server.close();
  });
});
