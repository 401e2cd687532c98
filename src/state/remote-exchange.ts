import { readRetryAfter, readTransportError, type Transport, type WireResponse } from "../api/transport";

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

export interface StateRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/**
 * Sends one request to the state's server and reads its answer to the end. Throws `NoAnswer` for whatever ends before
 * that, for 429 and 5xx, and for a page where an answer should be: it tells nothing about what became of the request.
 */
export async function exchange(transport: Transport, request: StateRequest): Promise<WireResponse> {
  const body = request.body && Buffer.from(request.body).toString("utf8");
  const answer = await transport.send({ ...request, body }).catch((cause: unknown) => {
    throw cause instanceof NoAnswer ? cause : unanswered(cause);
  });
  const { status } = answer;
  if (status === 429 || (status >= 500 && status !== 501))
    throw new NoAnswer(`the server answered ${status}`, retryAfter(answer));
  // A portal or a proxy answers for the server. No answer of a state's server starts like that.
  if (status < 300 && answer.body.slice(0, 1000).trimStart().startsWith("<"))
    throw new NoAnswer("a web page came instead of the server's answer");
  return answer;
}

const longestWaitMs = 60_000;

const retryAfter = ({ headers }: WireResponse): number =>
  Math.min(longestWaitMs, (readRetryAfter(headers) ?? 0) * 1000);

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  ENOTFOUND: "the host is not known",
  EAI_AGAIN: "the host could not be looked up",
};

function unanswered(cause: unknown): NoAnswer {
  const { reason, code, proxy, status } = readTransportError(cause);
  if (reason === "late") return new NoAnswer((cause as Error).message, 0, true);
  if (reason === "too_large") return new NoAnswer((cause as Error).message);
  if (status !== undefined) return new NoAnswer(`the proxy ${proxy} refuses the way there (HTTP ${status})`);
  if (proxy !== undefined) return new NoAnswer(`the proxy ${proxy} opens no way there (${code})`);
  if (code === undefined) return new NoAnswer("the connection failed");
  return new NoAnswer(`${reasons[code] ?? "the connection failed"} (${code})`);
}
