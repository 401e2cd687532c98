import * as z from "zod";
import { failure } from "../../diagnostics/diagnostic";
import type { Clock } from "../../model/time";
import { version } from "../../model/tool-version";
import { ApiError } from "../api-error";
import { openClient } from "../client";
import { safeAddress } from "../http-transport";
import { parseAnswer } from "../parse-answer";
import { RateLimiter } from "../rate-limiter";
import { requestOf } from "../request";
import { readRetryAfter, type Transport, type WireResponse } from "../transport";
import type { HostOptions } from "./code-host";

export interface HostCall<Answer> {
  /** In words, for messages: `listing comments`. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** From the address of the API on, escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly answer: z.ZodType<Answer>;
  /** Permissions that a job needs, for the hint of a refusal. */
  readonly needs: string;
}

/** A list of a host: a GET for each of its pages. */
type HostList<Item> = Pick<HostCall<Item>, "operation" | "path" | "query" | "needs"> & {
  readonly item: z.ZodType<Item>;
};

/** Sends calls one after the other, as the hosts ask for. */
export type HostClient = ReturnType<typeof createHostClient>;

/** Waits and retries of one call are over after this long: a job is paid for by the minute. */
const deadlineMs = 180_000;
/** Pages of 100 entries. A search for a comment ends there. */
const mostPages = 300;

/**
 * Opens the client of a host: it retries as the client of the service does, and waits as GitHub and GitLab document their
 * limits. A call throws `ApiError`; `uncertain` only for a POST. Throws `DiagnosticsError` for an address that would show
 * the token.
 */
export function createHostClient(
  { name, headers }: { readonly name: string; readonly headers: Readonly<Record<string, string>> },
  { apiUrl, token: apiKey, transport, clock }: HostOptions,
) {
  if (safeAddress(apiUrl)?.search !== "")
    throw failure("config.insecure", `the address of ${name}'s API is not one that a token may be sent to`, {
      hint: "write it as https://HOST/PATH (GITHUB_API_URL, CI_API_V4_URL)",
    });
  let answered: WireResponse["headers"] = {};
  const client = openClient({
    apiKey,
    clock,
    headers,
    deadlineMs,
    limiter: new RateLimiter(clock, 1),
    userAgent: `rnv/${version}`,
    // For jitter: no secret.
    random: Math.random,
    baseUrl: apiUrl.replace(/\/+$/, ""),
    maxBodyBytes: Number.POSITIVE_INFINITY,
    transport: withLimits(transport, clock),
    onAnswer: (found) => {
      answered = found;
    },
  });
  const send = async <Answer>(call: HostCall<Answer>): Promise<Answer> => {
    const { operation, method, path, query, body, answer, needs } = call;
    const request = requestOf(operation, method, path, { query, body, keyed: false, mayBeList: true });
    try {
      return parseAnswer(answer, request, await client.send(request));
    } catch (cause) {
      throw withHint(cause, name, needs);
    }
  };
  return {
    send,
    sendPages: async <Item>({ item, query, ...call }: HostList<Item>): Promise<readonly Item[]> => {
      const items: Item[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const paged = { ...query, per_page: "100", page: String(page) };
        items.push(...(await send({ ...call, method: "GET", query: paged, answer: z.array(item) })));
        if (!hasNextPage(answered)) return items;
      }
      const message = `there are more than ${mostPages} pages of them`;
      const refusal = { kind: "refused", message, attempts: 1, hint: call.needs } as const;
      throw new ApiError({ ...call, method: "GET" }, refusal);
    },
    close: client.close,
  };
}

/** A short page may have a next one: the headers decide. */
const hasNextPage = (headers: WireResponse["headers"]): boolean =>
  /rel="?next"?/.test(headers.link ?? "") || /^\d+$/.test(headers["x-next-page"] ?? "");

/** Returns a transport whose answers tell a limit as the service does: 429 with `Retry-After`. GitHub may say 403. */
const withLimits = (transport: Transport, clock: Clock): Transport => ({
  ...transport,
  send: async (request) => {
    const response = await transport.send(request);
    const seconds = limitOf(response, clock.now());
    if (seconds === undefined) return response;
    return { ...response, status: 429, headers: { ...response.headers, "retry-after": String(seconds) } };
  },
});

/**
 * Returns the seconds to wait after an answer that refuses because of a limit; undefined after other answers. The time is
 * `retry-after`, else until `x-ratelimit-reset` if no request remains, else a minute, as GitHub asks for.
 */
function limitOf({ status, headers, body }: WireResponse, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const asked = readRetryAfter(headers);
  if (asked !== undefined) return asked;
  if (headers["x-ratelimit-remaining"] === "0") {
    const reset = Number(headers["x-ratelimit-reset"]) - now / 1000;
    return Number.isNaN(reset) ? 60 : Math.max(1, Math.ceil(reset));
  }
  return status === 429 || /secondary rate limit|abuse detection/i.test(body) ? 60 : undefined;
}

function withHint(cause: unknown, host: string, needs: string): unknown {
  if (!(cause instanceof ApiError) || cause.hint !== undefined) return cause;
  const { kind, status, code, message } = cause;
  const hint =
    status === 429 || code === "rate_limited"
      ? `${host} limits how many requests a token may send: run the job again later`
      : status === 403 || status === 404
        ? needs
        : status === 401
          ? `check the token that the job has for ${host}`
          : `${kind === "refused" ? `mend what ${host} names, and ` : ""}run the job again`;
  return new ApiError(cause, { ...cause, message, hint }, cause.cause);
}
