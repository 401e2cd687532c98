/** The part of the platform's `fetch` that remote states need; passed in, so that HTTP stays out of this folder. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** A redirect is an answer like any other: credentials and state go to the configured address only. */
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** A whole answer. */
export interface Exchanged {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** No whole answer came, or one that says that it may be different the next time: nobody knows what happened. */
export class NoAnswer extends Error {
  constructor(
    /** For messages: `the connection was refused`. */
    readonly reason: string,
    /** What the server asked for with Retry-After; 0 when it did not. */
    readonly waitMs = 0,
    /** It took longer than was waited for. */
    readonly isLate = false,
  ) {
    super(reason);
    this.name = "NoAnswer";
  }
}

export interface ExchangeLimits {
  /** For one whole exchange. */
  readonly timeoutMs: number;
  /** A larger body is an error. */
  readonly maxBytes: number;
}

/**
 * One exchange, read to its end. Throws `NoAnswer` for whatever ends before that, for 429 and 5xx, and for a page where
 * an answer should be: it tells nothing about what became of the request.
 */
export async function exchange(
  fetch: Fetch,
  url: string,
  request: Pick<FetchInit, "method" | "headers" | "body">,
  limits: ExchangeLimits,
): Promise<Exchanged> {
  const limit = new AbortController();
  // The connection keeps the process alive, not this.
  const timer = setTimeout(() => limit.abort(), limits.timeoutMs).unref();
  let answer: Exchanged;
  try {
    const response = await fetch(url, { ...request, redirect: "manual", signal: limit.signal });
    const body = await readBody(response, limits.maxBytes);
    answer = { status: response.status, headers: response.headers, body };
  } catch (cause) {
    if (cause instanceof NoAnswer) throw cause;
    throw limit.signal.aborted
      ? new NoAnswer(`no whole answer within ${limits.timeoutMs / 1000} s`, 0, true)
      : new NoAnswer(reasonOf(cause));
  } finally {
    clearTimeout(timer);
    // Also ends a body that was given up; the reason is for nobody, and making one takes a while.
    limit.abort(null);
  }
  const { status } = answer;
  if (status === 429 || (status >= 500 && status !== 501))
    throw new NoAnswer(`the server answered ${status}`, retryAfter(answer));
  if (status < 300 && isPage(answer.body))
    throw new NoAnswer("a web page came instead of the server's answer");
  return answer;
}

async function readBody({ body }: FetchAnswer, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new NoAnswer(`the answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A portal or a proxy answers for the server. No answer of a state's server starts like that, whatever it says it is. */
const isPage = (body: Uint8Array): boolean =>
  Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 1000))
    .toString("utf8")
    .trimStart()
    .startsWith("<");

const longestWaitMs = 60_000;

function retryAfter({ headers }: Exchanged): number {
  const seconds = Number(headers.get("retry-after") ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1000), longestWaitMs) : 0;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ENOTFOUND: "the host is not known",
  EAI_AGAIN: "the host could not be looked up",
};

function reasonOf(cause: unknown): string {
  const inner = (cause as { cause?: { code?: unknown } } | null)?.cause;
  const code = typeof inner?.code === "string" ? inner.code : undefined;
  if (code === undefined) return "the connection failed";
  return `${reasons[code] ?? "the connection failed"} (${code})`;
}
