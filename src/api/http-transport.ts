import type { ClientRequest, IncomingMessage } from "node:http";
import type * as https from "node:https";
import type { Socket } from "node:net";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../model/text";
import { limitConnecting, openTunnel, type ProxySettings, proxyFor, readProxySettings } from "./proxies";
import type { Transport, WireRequest, WireResponse } from "./transport";

/** Whether a host of a URL is this machine: plain HTTP is allowed there alone. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

/** Scheme, authority and path as they are written; a query or a fragment is told apart before. */
const written = /^(https?):\/\/([^\s\\/?#@]+)(\/[\x21-\x7e]*)?$/i;

/**
 * Returns the error in a base URL, or undefined. It is https (http for loopback hosts only), ending in `/api/v1`,
 * without credentials, query or fragment, and written as it is read: a URL reader forgives `https:/\\host`, tabs and
 * other digits, and the key would go where nobody sees it go. The text is never repeated when it may hold a password.
 */
export function checkBaseUrl(text: string): Diagnostic | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return error("config.invalid", "the base URL is not a URL", {
      hint: "set RNV_BASE_URL to an address such as https://api.example.com/api/v1",
    });
  }
  if (url.username !== "" || url.password !== "" || text.includes("@")) {
    return error("config.insecure", "the base URL holds a user name or a password", {
      hint: "leave them out; the key goes into RNV_API_KEY or RNV_API_KEY_FILE",
    });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return error("config.invalid", `the base URL starts with ${url.protocol}//`, { hint: "use https://" });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return error("config.insecure", `the base URL sends the API key to ${url.host} without encryption`, {
      hint: "use https://; http:// is for localhost only",
    });
  }
  if (text.includes("?") || text.includes("#")) {
    return error("config.invalid", "the base URL has a query or a fragment", { hint: "end it in /api/v1" });
  }
  const [, , host = "", path = ""] = written.exec(text) ?? [];
  const isRead = path === url.pathname || (path === "" && url.pathname === "/");
  if (!isRead || !isHostOf(host, url))
    return error("config.insecure", `the base URL is read as ${url.href}, which is not how it is written`, {
      hint: `if that is where the API key shall go, write it so`,
    });
  if (!path.endsWith("/api/v1")) {
    return error("config.invalid", "the base URL does not end in /api/v1", {
      hint: `try ${url.origin}/api/v1`,
    });
  }
  return undefined;
}

/** In lower case, and with or without the port that goes without saying. */
function isHostOf(host: string, { host: read, hostname, protocol }: URL): boolean {
  const port = protocol === "https:" ? 443 : 80;
  return [read, `${hostname}:${port}`].includes(host.toLowerCase());
}

export interface HttpTransportOptions {
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from it; without it no proxy is used. */
  readonly environment?: ProcessEnvironment;
  /** Sockets to one origin; must be at least the client's concurrency, or requests wait for a socket. 32 unless said. */
  readonly connections?: number;
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
}

/** Polls are up to 5 s apart; a socket that lives longer than the gap is not opened anew for each. */
const idleMs = 10_000;
/** A socket is given up this long before the server would close it: a request sent just then would be lost. */
const idleMarginMs = 500;

/**
 * Sends requests over Node's own client: HTTP/1.1, one at a time on a socket, no redirects, no retries; through a proxy
 * where the environment names one. Throws `DiagnosticsError` for the address of a proxy that cannot be read. A rejection
 * has a `code`: that of the system, or `ANSWER_LATE`, `ANSWER_TOO_LARGE`, `ANSWER_UNREADABLE`, `PROXY_REFUSED`,
 * `PROXY_UNAVAILABLE`; and `proxy`, its host, where one stood in the way.
 */
export function createHttpTransport(options: HttpTransportOptions = {}): Transport {
  const proxies = readProxySettings(options.environment ?? {});
  const opened = new Map<string, Client>();
  return {
    send: (request) => {
      const url = new URL(request.url);
      const client = opened.get(url.protocol) ?? openClient(url.protocol, options, proxies);
      opened.set(url.protocol, client);
      return exchange(client, url, request, options);
    },
    close: async () => {
      for (const { agent } of opened.values()) agent.destroy();
    },
  };
}

/** Node's client for URLs of one protocol, and the sockets that it keeps. */
interface Client {
  readonly agent: https.Agent;
  readonly request: typeof https.request;
}

type Target = https.AgentOptions & { readonly host: string; readonly port: number; readonly socket?: Socket };

/** What an agent of Node asks for a socket: it is returned, or given to `done` when it takes its time. */
interface Connector {
  createConnection(target: Target, done?: (cause: Error | null, socket?: Socket) => void): Socket | undefined;
}

/** Loads Node's client with the first request. */
function openClient(protocol: string, options: HttpTransportOptions, proxies: ProxySettings): Client {
  const client = protocol === "https:" ? require("node:https") : require("node:http");
  const { Agent, request } = client as typeof https;
  const { connections = 32, ca, certificate, connectTimeoutMs = 10_000 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const connector = agent as unknown as Connector;
  const connect = connector.createConnection.bind(agent);
  // The private key is no option of the agent: it would be part of the name by which the agent keeps sockets.
  const tls = { ...(ca === undefined ? {} : { ca }), ...certificate };
  const open = (target: Target): Socket =>
    limitConnecting(connect({ ...target, ...tls }) as Socket, connectTimeoutMs);
  connector.createConnection = (target, done = () => undefined) => {
    const proxy = proxyFor(proxies, protocol, target);
    if (proxy === undefined) return open(target);
    openTunnel(proxy, target, connectTimeoutMs)
      .then((socket) => (protocol === "https:" ? open({ ...target, socket }) : socket))
      .then((socket) => done(null, socket), done);
    return undefined;
  };
  agent.keepSocketAlive = (duplex): boolean => {
    const socket = duplex as Socket;
    const milliseconds = idleTimes.get(socket) ?? idleMs;
    socket.unref();
    socket.setTimeout(milliseconds);
    return milliseconds > 0;
  };
  return { agent, request };
}

/** How long a socket is kept, as the server said in its last answer on it. */
const idleTimes = new WeakMap<Socket, number>();

/** `Keep-Alive: timeout=5`: when the server closes a socket that nobody uses. */
function learnIdleTime(socket: Socket, hint = ""): void {
  const [, seconds] = /(?:^|[,;\s])timeout=(\d{1,6})/.exec(hint) ?? [];
  if (seconds === undefined) return;
  idleTimes.set(socket, Math.min(idleMs, Math.max(0, Number(seconds) * 1000 - idleMarginMs)));
}

function exchange(
  { agent, request: open }: Client,
  { hostname, port, pathname, search }: URL,
  { method, headers, body, signal }: WireRequest,
  { maxResponseBytes = 64 * 1024 * 1024, exchangeTimeoutMs = 60_000 }: HttpTransportOptions,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const host = hostname.replace(/^\[|\]$/g, "");
    const request = open({ agent, host, ...(port !== "" && { port }), path: pathname + search, method });
    setHeaders(request, headers, body);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", interrupt);
    };
    const fail = (cause: unknown): void => {
      settle();
      reject(cause);
      request.destroy();
    };
    const interrupt = (): void => fail(signal?.reason);
    const timer = setTimeout(() => fail(late(exchangeTimeoutMs)), exchangeTimeoutMs);
    signal?.addEventListener("abort", interrupt, { once: true });
    request.on("error", fail);
    // `100 Continue` and `101 Switching Protocols`, which nobody asked for.
    request.once("continue", () => fail(unreadable()));
    request.once("upgrade", (_, socket) => {
      socket.destroy();
      fail(unreadable());
    });
    request.once("response", (response) => {
      if (response.statusCode === 101) return fail(unreadable());
      const flat = flatten(response.headersDistinct);
      learnIdleTime(response.socket, flat["keep-alive"]);
      readText(response, maxResponseBytes).then((text) => {
        settle();
        resolve({ status: response.statusCode ?? 0, headers: flat, body: text });
      }, fail);
    });
    request.end(body);
  });
}

/** Sets them one by one: what is among the options of a request, `NODE_DEBUG=http` prints. */
function setHeaders(request: ClientRequest, headers: WireRequest["headers"], body: string | undefined): void {
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
  // Node leaves it out for DELETE, and the server would take the body for another request.
  if (body !== undefined) request.setHeader("content-length", Buffer.byteLength(body));
}

function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes)
        reject(failure(`the answer has more than ${maxBytes} bytes`, { code: "ANSWER_TOO_LARGE" }));
    });
    response.once("error", reject);
    response.once("end", () => resolve(new TextDecoder().decode(Buffer.concat(chunks))));
  });
}

const failure = (message: string, about: object): Error => Object.assign(new Error(message), about);

const late = (milliseconds: number): Error =>
  failure(`no whole answer within ${milliseconds / 1000} s`, { code: "ANSWER_LATE" });

const unreadable = (): Error =>
  failure("the server did something else than answering", { code: "ANSWER_UNREADABLE" });

/** Several headers of one name are one list. */
const flatten = (headers: NodeJS.Dict<string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, values = []]) => [name, values.join(", ")]));
