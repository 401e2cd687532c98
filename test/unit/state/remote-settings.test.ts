import { inspect } from "node:util";
import { createHttpTransport } from "../../../src/api/http-transport";
import type { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { openBackend } from "../../../src/state/open-backend";
import { parseStateAddress } from "../../../src/state/state-address";
import { s3StateSettings } from "../../../src/state/stores/s3-store";
import { serveState } from "../../support/http-state-server";
import { s3Environment, serveS3 } from "../../support/s3-server";
import { holder, origin, stillClock } from "./fixtures";
import { startS3 } from "./remote-setup";

describe("the address of a state", () => {
  it.each([
    ["state.json", { kind: "file", path: "state.json" }],
    ["C:\\rnv\\state.json", { kind: "file", path: "C:\\rnv\\state.json" }],
    ["https://git.example.com/s", { kind: "http", url: "https://git.example.com/s" }],
    ["http://127.0.0.1:8080/s", { kind: "http", url: "http://127.0.0.1:8080/s" }],
    ["http://[::1]/s", { kind: "http", url: "http://[::1]/s" }],
    ["s3://b-1/a/b.json", { kind: "s3", bucket: "b-1", key: "a/b.json" }],
    [
      "s3://b-1/s?region=eu-x-1&endpoint=https%3A%2F%2Fminio.example.com",
      { kind: "s3", bucket: "b-1", key: "s", region: "eu-x-1", endpoint: "https://minio.example.com" },
    ],
  ])("%s is read as what it is", (text, address) => {
    expect(parseStateAddress(text).address).toMatchObject(address);
  });

  it.each([
    ["http://state.example.com/s", "without encryption"],
    ["http://127.0.0.1.example.com/s", "without encryption"],
    ["http://localhost@evil.example/s", "user name or a password"],
    ["https://user:pass@example.com/s", "user name or a password"],
    ["https://user@example.com/s", "user name or a password"],
    ["https://:pass@example.com/s", "user name or a password"],
    ["https://@example.com/s", "user name or a password"],
    ["https://example.com/s#x", "fragment"],
    ["gs://bucket/key", "starts with gs://"],
    ["file:///etc/passwd", "starts with file://"],
    ["https://[::g]/s", "not a URL"],
    ["s3://bucket", "a bucket and a key"],
    ["s3://bucket/a/../b", ".. part"],
    ["s3://bucket/key?acl=public", 'unknown setting "acl"'],
    ["s3://bucket/key?endpoint=http://evil.example", "without encryption"],
    ["s3://bucket/key?region=eu/../../x", "not a region"],
    ["s3:/bucket/key", "does not name a bucket"],
    ["https:/\\evil.example/state", "not written as one"],
    ["https:\\\\evil.example\\state", "not written as one"],
    ["https:evil.example/state", "not written as one"],
    ["https:///evil.example/state", "not written as one"],
    ["HTTPS:/evil.example/state", "not written as one"],
  ])("%s is refused", (text, why) => {
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

  it.each([
    ["s3://bucket/a b/s.json", "https://bucket.s3.eu-test-1.amazonaws.com/a%20b/s.json"],
    ["s3://dotted.bucket/s.json", "https://s3.eu-test-1.amazonaws.com/dotted.bucket/s.json"],
    ["s3://bucket/s?endpoint=https://minio.example.com/", "https://minio.example.com/bucket/s"],
  ])("%s is asked for at its place", (text, url) => {
    expect(s3StateSettings(address(text), s3Environment).url).toBe(url);
  });

  it("are the region of the address, of AWS_REGION, or of AWS_DEFAULT_REGION", () => {
    const regionOf = (text: string, more: Readonly<Record<string, string>>) =>
      s3StateSettings(address(text), { ...s3Environment, ...more }).region;
    const both = { AWS_REGION: " one ", AWS_DEFAULT_REGION: "two" };
    expect(regionOf("s3://bucket/s?region=own", both)).toBe("own");
    expect(regionOf("s3://bucket/s", both)).toBe("one");
    expect(regionOf("s3://bucket/s", { ...both, AWS_REGION: "" })).toBe("two");
  });

  it("hold the credentials, with a session's token where there is one", () => {
    const credentialsOf = (more: Readonly<Record<string, string>>) =>
      s3StateSettings(address("s3://bucket/s"), { ...s3Environment, ...more }).credentials;
    const keys = { AWS_ACCESS_KEY_ID: " id ", AWS_SECRET_ACCESS_KEY: " secret " };
    expect(credentialsOf({ ...keys, AWS_SESSION_TOKEN: " t " })).toEqual({
      ...{ accessKeyId: "id", secretAccessKey: "secret", sessionToken: "t" },
    });
    expect(credentialsOf({ AWS_SESSION_TOKEN: "" }).sessionToken).toBeUndefined();
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

  it("refuse an endpoint and a timeout that are none", () => {
    const { AWS_REGION: _region, ...environment } = s3Environment;
    const codes = (more: Readonly<Record<string, string>>) =>
      refusalOf("s3://bucket/a/s", { ...environment, ...more }).map(({ code }) => code);
    expect(codes({ AWS_ENDPOINT_URL: "http://evil.test" })).toEqual(["config.insecure", "config.missing"]);
    expect(codes({ AWS_REGION: "eu-test-1", RNV_STATE_TIMEOUT: "x" })).toEqual(["config.invalid"]);
  });

  it("name the state for messages, and its address as S3 wants it", () => {
    expect(s3StateSettings(address("s3://bucket/a/s"), s3Environment).location).toBe("s3://bucket/a/s");
    const odd = s3StateSettings(address("s3://bucket/a!'()*/ü"), s3Environment).url;
    expect(odd).toMatch(/\/a%21%27%28%29%2A\/%C3%BC$/);
  });

  it("names every missing variable at once", () => {
    expect(refusalOf("s3://bucket/s", {}).map(({ summary }) => summary)).toEqual([
      "AWS_REGION is not set",
      "AWS_ACCESS_KEY_ID is not set",
      "AWS_SECRET_ACCESS_KEY is not set",
    ]);
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

describe("a server that cannot keep one writer", () => {
  it("is refused when it does not lock", async () => {
    const server = await serveState(({ method }) => ({ status: method === "GET" ? 404 : 405 }), new Map());
    await expect(open(`${server.url}/s`).lock(holder("a"), 0)).rejects.toThrow("cannot be locked");
    await server.close();
  });

  it("is refused when it passes over If-None-Match", async () => {
    const server = await serveS3({ conditional: false });
    const backend = open(`s3://bucket/s?endpoint=${server.url}`, s3Environment);
    await expect(backend.lock(holder("a"), 0)).rejects.toThrow("does not obey If-None-Match");
    await server.close();
  });

  it("is refused with a signature that it does not accept", async () => {
    const server = await serveS3();
    const environment = { ...s3Environment, AWS_SECRET_ACCESS_KEY: "another" };
    const backend = open(`s3://bucket/s?endpoint=${server.url}`, environment);
    await expect(backend.read()).rejects.toThrow("HTTP 403");
    await server.close();
  });
});

describe("the lock of a state in S3", () => {
  it("is taken over from a process of this host that is gone, by one of two takers", async () => {
    const { server, backend } = await startS3();
    await backend({}, 100).lock(holder("dead", 100), 0);
    // Each sees that the other one runs.
    const takers = await Promise.allSettled(
      [2001, 2002].map((pid) => backend({}, pid).lock({ ...holder(`taker-${pid}`, pid), pid }, 0)),
    );
    expect(takers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await server.close();
  });

  it("stays with a holder on another host, and with one that cannot be read", async () => {
    const { server, path, backend } = await startS3();
    await backend().lock({ ...holder("far", 1), host: "elsewhere" }, 0);
    await expect(backend().lock(holder("b"), 0)).rejects.toThrow("apply (pid 1 on elsewhere)");
    server.stored.set(`${path}.lock`, "gibberish");
    await expect(backend().lock(holder("b"), 0)).rejects.toThrow("does not say who holds the lock");
    await server.close();
  });
});
