import type * as undici from "undici";
import { type Diagnostic, error, failure } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";
import type { ProcessEnvironment } from "../model/target-location";
import type { Transport, WireRequest, WireResponse } from "./transport";

/** Returns true if the host of a URL is this machine: plain HTTP is allowed there alone. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

/** Reads an address that a secret may be sent to: https, or http for this machine, without a user name or a fragment. */
export function safeAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && url.username === "" && url.password === "" && url.hash === "" ? url : undefined;
}

/**
 * Returns the error in a base URL, or undefined. It is https (http for loopback hosts only) and ends in `/api/v1`, without
 * credentials, query or fragment. It must be written as it is read: a URL reader forgives `https:/\\host`, tabs and
 * other digits, and the key would go to another host. The text is never repeated when it may hold a password.
 */
export function checkBaseUrl(text: string): Diagnostic | undefined {
  if (!URL.canParse(text))
    return error("config.invalid", "the base URL is not a URL", remedy("address.form"));
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || text.includes("@"))
    return error("config.insecure", "the base URL holds a user name or a password", remedy("key.place"));
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return error("config.invalid", `the base URL starts with ${url.protocol}//`, { hint: "use https://" });
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return error("config.insecure", `the base URL sends the API key to ${url.host} without encryption`, {
      hint: "use https://; http:// is for localhost only",
    });
  }
  if (text !== url.href && `${text}/` !== url.href)
    return error("config.insecure", `the base URL is read as ${url.href}, which is not how it is written`, {
      hint: "if the API key should be sent there, set it explicitly",
    });
  if (!text.endsWith("/api/v1") || /[?#]/.test(text)) {
    return error("config.invalid", "the base URL does not end in /api/v1", {
      hint: `try ${url.origin}/api/v1`,
    });
  }
  return undefined;
}

export interface HttpTransportOptions {
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from it; without it no proxy is used. */
  readonly environment?: ProcessEnvironment;
  /** Certificate authorities in PEM form, instead of the well-known ones and those of `NODE_EXTRA_CA_CERTS`. */
  readonly ca?: string;
  /** Certificate and private key, PEM, for a server that asks who the client is. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** A larger body is an error; 64 MiB unless said. */
  readonly maxResponseBytes?: number;
  /** Until a connection stands, TLS included; 10,000 unless said. */
  readonly connectTimeoutMs?: number;
  /** One whole exchange; 60,000 unless said. */
  readonly exchangeTimeoutMs?: number;
  /** Called once undici is loaded, before the first connection. */
  readonly onLoad?: () => void;
}

/** Polls are up to 5 s apart; a socket that lives longer than the gap is not opened again for each. */
const idleMs = 10_000;
/** A socket is given up this long before the server would close it: a request sent just then would be lost. */
const idleMarginMs = 500;

/**
 * Sends requests over undici: HTTP/1.1, one at a time on a socket, no redirects, no retries; through a proxy where the
 * environment names one. Throws `DiagnosticsError` for the address of a proxy that cannot be read. A rejection has a
 * `code`: that of the system, or `ANSWER_LATE`, `ANSWER_TOO_LARGE`, `ANSWER_UNREADABLE`, `PROXY_REFUSED`, `PROXY_UNAVAILABLE`; and `proxy`,
 * its host, where one stood in the way.
 */
export function createHttpTransport(options: HttpTransportOptions = {}): Transport {
  const { environment = {}, exchangeTimeoutMs = 60_000 } = options;
  const proxies = readProxySettings(environment);
  let opened: undici.Dispatcher | undefined;
  return {
    send: (request) => {
      opened ??= openDispatcher(options, proxies);
      return exchange(opened, request, exchangeTimeoutMs);
    },
    close: async () => opened?.destroy(),
  };
}

function openDispatcher(
  options: HttpTransportOptions,
  proxies: ReturnType<typeof readProxySettings>,
): undici.Dispatcher {
  const { EnvHttpProxyAgent } = loadUndici();
  options.onLoad?.();
  const {
    ca,
    certificate,
    maxResponseBytes = 64 * 1024 * 1024,
    connectTimeoutMs: timeout = 10_000,
  } = options;
  const connect = { timeout, ca, ...certificate };
  const agent: undici.Agent.Options = {
    // As many sockets as requests in flight: the client's limiter bounds them, and nothing queues here.
    pipelining: 1,
    maxResponseSize: maxResponseBytes,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: idleMarginMs,
    // One deadline for the whole exchange, in `exchange`.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
  };
  const proxy = { requestTls: connect, proxyTls: { timeout }, clientFactory: openProxy };
  return new EnvHttpProxyAgent({ ...agent, ...proxies, ...proxy });
}

/** Loads undici with the first request: it takes longer than most commands. The bundles hold a part: `tools/build/undici.cjs`. */
const loadUndici = () => require("undici") as typeof undici;

/** The way to a proxy: a tunnel that it does not open is told as that, with its name. */
function openProxy(origin: URL, options: object): undici.Pool {
  const { Pool } = loadUndici();
  const pool = new Pool(origin, options);
  const connect = pool.connect.bind(pool) as (
    request: undici.Dispatcher.ConnectOptions,
  ) => Promise<undici.Dispatcher.ConnectData>;
  pool.connect = (async (request: undici.Dispatcher.ConnectOptions) => {
    const proxy = new URL(origin).host;
    const answer = await connect(request).catch((cause: unknown) => {
      const { code, syscall } = rejectionOf(cause) as NodeJS.ErrnoException;
      const isSystems = code !== undefined && !code.startsWith("UND_ERR_");
      throw rejection("no tunnel", { code: isSystems ? code : "PROXY_UNAVAILABLE", syscall, proxy, cause });
    });
    const { statusCode, socket } = answer;
    if (statusCode === 200) return answer;
    socket.on("error", () => undefined).destroy();
    const code = statusCode >= 500 ? "PROXY_UNAVAILABLE" : "PROXY_REFUSED";
    throw rejection(`the proxy answered ${statusCode}`, { code, status: statusCode, proxy });
  }) as typeof pool.connect;
  return pool;
}

async function exchange(
  dispatcher: undici.Dispatcher,
  { url, method, headers, body, signal }: WireRequest,
  timeoutMs: number,
): Promise<WireResponse> {
  if (signal?.aborted) throw signal.reason;
  const ending = new AbortController();
  const interrupt = (): void => ending.abort(signal?.reason);
  const late = () => rejection(`no whole answer within ${timeoutMs / 1000} s`, { code: "ANSWER_LATE" });
  const timer = setTimeout(() => ending.abort(late()), timeoutMs);
  signal?.addEventListener("abort", interrupt, { once: true });
  try {
    const { origin, pathname, search } = new URL(url);
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: method as undici.Dispatcher.HttpMethod,
      headers,
      signal: ending.signal,
      body,
    });
    return { status: answer.statusCode, headers: flatten(answer.headers), body: await answer.body.text() };
  } catch (cause) {
    throw ending.signal.aborted ? ending.signal.reason : rejectionOf(cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", interrupt);
  }
}

/** undici's own codes in the words of the system and of this port. */
const codes: Readonly<Record<string, object>> = {
  UND_ERR_CONNECT_TIMEOUT: { code: "ETIMEDOUT", syscall: "connect" },
  UND_ERR_SOCKET: { code: "ECONNRESET" },
  UND_ERR_RES_EXCEEDED_MAX_SIZE: { code: "ANSWER_TOO_LARGE" },
  // Such as `101 Switching Protocols`, which was not asked for.
  ERR_ASSERTION: { code: "ANSWER_UNREADABLE" },
};

function rejectionOf(cause: unknown): unknown {
  const { code = "", message } = (cause ?? {}) as { code?: string; message?: string };
  const known = codes[code];
  return known === undefined ? cause : rejection(message, { ...known, cause });
}

const rejection = (message: string | undefined, about: object): Error =>
  Object.assign(new Error(message), about);

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );

/** Hosts that need no proxy: this machine, as in Terraform. */
const ownHosts = "localhost,127.0.0.1,[::1]";

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in lower case, which counts first, as options of undici's
 * `EnvHttpProxyAgent`; an empty text means no proxy. An address without a scheme gets `http`. Throws
 * `DiagnosticsError` for an address that cannot be read; its text, which may hold a password, is not repeated.
 */
function readProxySettings(environment: ProcessEnvironment) {
  const httpProxy = proxyAddress(environment, "HTTP_PROXY");
  const noProxy = readName(environment, "NO_PROXY").trim();
  return {
    httpProxy,
    httpsProxy: proxyAddress(environment, "HTTPS_PROXY") || httpProxy,
    noProxy: noProxy === "*" ? noProxy : [noProxy, ownHosts].filter((text) => text !== "").join(","),
  };
}

const readName = (environment: ProcessEnvironment, name: string): string =>
  environment[name.toLowerCase()] ?? environment[name] ?? "";

function proxyAddress(environment: ProcessEnvironment, name: string): string {
  const text = readName(environment, name).trim();
  if (text === "") return "";
  const address = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw failure("config.invalid", `${name} is not the address of a proxy`, {
    hint: `write it as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with %40 for an @ in the password`,
  });
}
