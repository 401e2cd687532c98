import type { Agent } from "undici";
import type { Transport, WireRequest, WireResponse } from "./transport";

export interface UndiciTransportOptions {
  /** Sockets to one origin; must be at least the client's concurrency, or requests queue inside undici. 32 unless said. */
  readonly connections?: number;
  /** Certificate authorities in PEM form, instead of the well-known ones. */
  readonly ca?: string | readonly string[];
  /** A larger body is an error; 64 MiB unless said. */
  readonly maxResponseBytes?: number;
  /** One whole exchange; 120,000 unless said. */
  readonly exchangeTimeoutMs?: number;
}

/** Requests over undici: HTTP/1.1, one at a time on a socket, no redirects, no retries. undici is loaded with the first request. */
export function createUndiciTransport(options: UndiciTransportOptions = {}): Transport {
  let opening: Promise<Agent> | undefined;
  return {
    send: async (request) => {
      opening ??= open(options);
      return exchange(await opening, request, options.exchangeTimeoutMs ?? 120_000);
    },
    close: async () => {
      await (await opening)?.close();
    },
  };
}

async function open(options: UndiciTransportOptions): Promise<Agent> {
  const undici = await import("undici");
  return new undici.Agent({
    connections: options.connections ?? 32,
    pipelining: 1,
    maxResponseSize: options.maxResponseBytes ?? 64 * 1024 * 1024,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
    // Polls are up to 5 s apart; a socket that lives longer than the gap is not opened anew for each.
    keepAliveTimeout: 10_000,
    keepAliveTimeoutThreshold: 500,
    connect: {
      timeout: 10_000,
      ...(options.ca === undefined
        ? {}
        : { ca: typeof options.ca === "string" ? options.ca : [...options.ca] }),
    },
  });
}

async function exchange(
  agent: Agent,
  { method, url, headers, body, signal }: WireRequest,
  timeoutMs: number,
): Promise<WireResponse> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => limit.abort(timedOut(timeoutMs)), timeoutMs);
  try {
    const { origin, pathname, search } = new URL(url);
    const response = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method: method as "GET",
      headers,
      body,
      signal: limit.signal,
    });
    return {
      status: response.statusCode,
      headers: flatten(response.headers),
      body: await response.body.text(),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

const timedOut = (milliseconds: number): Error =>
  Object.assign(new Error(`no whole answer within ${milliseconds} ms`), { code: "ETIMEDOUT" });

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  return flat;
}
