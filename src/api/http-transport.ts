import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { utf8Text } from "../model/utf8";
import type { Transport, WireRequest, WireResponse } from "./transport";

export interface HttpTransportOptions {
  /** Sockets to one origin; must be at least the client's concurrency, or requests wait for a socket. 32 unless said. */
  readonly connections?: number;
  /** Certificate authorities in PEM form, instead of the well-known ones. */
  readonly ca?: string | readonly string[];
  /** A larger body is an error; 64 MiB unless said. */
  readonly maxResponseBytes?: number;
  /** Until a connection stands, TLS included; 10,000 unless said. */
  readonly connectTimeoutMs?: number;
  /** One whole exchange; 60,000 unless said. */
  readonly exchangeTimeoutMs?: number;
}

/** What the requests to one origin share. */
interface Origin {
  readonly agent: Agent;
  readonly open: (options: RequestOptions) => ClientRequest;
  readonly options: Pick<RequestOptions, "agent" | "host" | "port">;
  /** Until when an idle socket is used again, milliseconds; 0 for never. */
  idleMs: number;
  /** What `idleMs` was learnt from. */
  keepAlive: string;
}

interface Limits {
  readonly maxResponseBytes: number;
  readonly connectTimeoutMs: number;
  readonly exchangeTimeoutMs: number;
}

/** Polls are up to 5 s apart; a socket that lives longer than the gap is not opened anew for each. */
const IDLE_MS = 10_000;
/** A socket is given up this long before the server would close it: what is sent just then would be lost. */
const IDLE_MARGIN_MS = 500;

/** Requests over Node's own client: HTTP/1.1, one at a time on a socket, no redirects, no retries. */
export function createHttpTransport(options: HttpTransportOptions = {}): Transport {
  const limits: Limits = {
    maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    exchangeTimeoutMs: options.exchangeTimeoutMs ?? 60_000,
  };
  const origins = new Map<string, Origin>();
  return {
    send: async (request) => {
      const [name, path] = splitUrl(request.url);
      const origin = origins.get(name) ?? openOrigin(name, options);
      origins.set(name, origin);
      return exchange(origin, path, request, limits);
    },
    underWay: async () => {
      await setImmediate();
      const sockets = [...origins.values()].flatMap(({ agent }) => Object.values(agent.sockets));
      await Promise.all(sockets.flatMap((some = []) => some.map(connected)));
    },
    close: async () => {
      for (const { agent } of origins.values()) agent.destroy();
    },
  };
}

/** `https://host:port` and the path with its query. */
function splitUrl(url: string): readonly [string, string] {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? [url, "/"] : [url.slice(0, end), url.slice(end)];
}

/** Node's client is loaded here, with the first request. */
function openOrigin(name: string, { connections = 32, ca }: HttpTransportOptions): Origin {
  const { protocol, hostname, port } = new URL(name);
  const client = protocol === "https:" ? require("node:https") : require("node:http");
  const { Agent, request } = client as typeof import("node:https");
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connections,
    ...(ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] }),
  });
  const host = hostname.replace(/^\[|\]$/g, "");
  const origin: Origin = {
    agent,
    open: request,
    options: { agent, host, ...(port === "" ? {} : { port }) },
    idleMs: IDLE_MS,
    keepAlive: "",
  };
  agent.keepSocketAlive = (duplex): boolean => {
    const socket = duplex as Socket;
    socket.setKeepAlive(true, 1000);
    socket.unref();
    if (socket.timeout !== origin.idleMs) socket.setTimeout(origin.idleMs);
    return origin.idleMs > 0;
  };
  return origin;
}

function exchange(
  origin: Origin,
  path: string,
  { method, headers, body, signal }: WireRequest,
  { maxResponseBytes, connectTimeoutMs, exchangeTimeoutMs }: Limits,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const request = origin.open({ ...origin.options, method, path });
    setHeaders(request, headers, body);
    const settled = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const fail = (reason: unknown): void => {
      settled();
      reject(reason);
      request.destroy();
    };
    const abort = (): void => fail(signal?.reason);
    const timer = setTimeout(() => fail(late(exchangeTimeoutMs)), exchangeTimeoutMs);
    signal?.addEventListener("abort", abort, { once: true });
    request.on("error", fail);
    request.once("socket", (socket) => {
      if (socket.connecting) limitConnecting(socket, connectTimeoutMs);
    });
    // Without a listener it would be waited for until the deadline, though the connection is closed.
    request.once("upgrade", (_response, socket) => {
      socket.destroy();
      fail(switched());
    });
    request.once("response", (response) => {
      // No answer: nobody knows what became of the request.
      if (response.statusCode === 101) return fail(switched());
      const headers = flatten(response.rawHeaders);
      learnIdleTime(origin, headers["keep-alive"] ?? "");
      readText(response, maxResponseBytes).then((text) => {
        settled();
        resolve({ status: response.statusCode ?? 0, headers, body: text });
      }, fail);
    });
    request.end(body);
  });
}

/** One by one: whatever is among the options of a request, `NODE_DEBUG=http` prints. */
function setHeaders(
  request: ClientRequest,
  headers: WireRequest["headers"],
  body: WireRequest["body"],
): void {
  for (const name of Object.keys(headers)) request.setHeader(name, headers[name] as string);
  // Node itself leaves it out for DELETE, and the server would take the body for another request.
  if (body !== undefined) request.setHeader("content-length", Buffer.byteLength(body));
}

function limitConnecting(socket: Socket, milliseconds: number): void {
  const timer = setTimeout(() => socket.destroy(notConnected(milliseconds)), milliseconds);
  onConnected(socket, () => clearTimeout(timer));
}

/** What waits for a connection is written to the socket by then; or there will be none. */
const connected = (socket: Socket): Promise<void> | undefined =>
  socket.connecting ? new Promise((resolve) => onConnected(socket, resolve)) : undefined;

function onConnected(socket: Socket, then: () => void): void {
  socket.once("encrypted" in socket ? "secureConnect" : "connect", then).once("close", then);
}

/** `Keep-Alive: timeout=5`: when the server closes a socket that nobody uses. */
function learnIdleTime(origin: Origin, hint: string): void {
  if (hint === origin.keepAlive) return;
  origin.keepAlive = hint;
  const [, seconds] = /(?:^|[,;\s])timeout=(\d{1,6})/.exec(hint) ?? [];
  if (seconds === undefined) return;
  origin.idleMs = Math.min(IDLE_MS, Math.max(0, Number(seconds) * 1000 - IDLE_MARGIN_MS));
}

function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) reject(tooLarge(maxBytes));
    });
    response.once("error", reject);
    response.once("end", () => {
      const [first, second] = chunks;
      resolve(utf8Text(first && !second ? first : Buffer.concat(chunks)));
    });
  });
}

const failure = (message: string, about: object): Error => Object.assign(new Error(message), about);
const timedOut = (what: string, milliseconds: number): Error =>
  failure(`${what} within ${milliseconds} ms`, { code: "ETIMEDOUT" });
const late = (milliseconds: number): Error =>
  failure(`no whole answer within ${milliseconds} ms`, { code: "ANSWER_LATE" });
const notConnected = (milliseconds: number): Error =>
  Object.assign(timedOut("no connection", milliseconds), { syscall: "connect" });
const switched = (): Error =>
  failure("the server switched protocols instead of answering", { code: "ANSWER_SWITCHED" });
const tooLarge = (bytes: number): Error =>
  failure(`the answer has more than ${bytes} bytes`, { code: "ANSWER_TOO_LARGE" });

/** Names in lower case; several headers of one name are one list. */
function flatten(raw: readonly string[]): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = raw[i + 1] as string;
    flat[name] = flat[name] === undefined ? value : `${flat[name]}, ${value}`;
  }
  return flat;
}
