import * as z from "zod";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { backoff } from "../../model/time";
import { ApiError, type FailureKind } from "../api-error";
import { isLoopback } from "../http-transport";
import { authorizationWith } from "../prepare-request";
import { Redactor } from "../redactor";
import { classify, type RetryOutcome, retryLimits } from "../retry";
import { readRetryAfter, readTransportError, type WireResponse } from "../transport";
import type { HostOptions } from "./code-host";

/** One call of a host. */
export interface HostCall<Answer> {
  /** In words, for messages: `listing comments`. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** From the address of the API on, escaped. */
  readonly path: string;
  readonly body?: unknown;
  readonly answer: z.ZodType<Answer>;
  /** Permissions that a job needs, for the hint of a refusal. */
  readonly needs: string;
}

/** Sends calls one after the other, as the hosts ask for. */
export interface HostClient {
  readonly send: <Answer>(call: HostCall<Answer>) => Promise<Answer>;
  /** Sends a GET for each page of a list. */
  readonly sendPages: <Item>(
    call: Omit<HostCall<readonly Item[]>, "method" | "body">,
  ) => Promise<readonly Item[]>;
  readonly close: () => Promise<void>;
}

/** Waits and retries of one call are over after this long: a job is paid for by the minute. */
const deadlineMs = 180_000;
/** Of 100 entries each. More than that is not walked through for one comment. */
const mostPages = 300;

/**
 * Opens the client of a host: retries as `classify` decides, limits as GitHub and GitLab document them (429, and 403 with
 * `retry-after` or without any request left). Throws `DiagnosticsError` for an address that would show the token.
 */
export function createHostClient(
  host: string,
  headers: Readonly<Record<string, string>>,
  options: HostOptions,
): HostClient {
  checkAddress(host, options.apiUrl);
  const context: HostContext = {
    ...options,
    host,
    headers: { ...headers, authorization: authorizationWith(options.token), "user-agent": options.userAgent },
    redactor: new Redactor(options.token),
  };
  return {
    send: async (call) => read(call, await sendCall(context, call), context),
    sendPages: async ({ answer, ...call }) => {
      const items = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const separator = call.path.includes("?") ? "&" : "?";
        const path = `${call.path}${separator}per_page=100&page=${page}`;
        const one = { ...call, answer, method: "GET", path } as const;
        const response = await sendCall(context, one);
        items.push(...read(one, response, context));
        if (!hasNextPage(response)) return items;
      }
      throw failure(call, "refused", `there are more than ${mostPages} pages of them`);
    },
    close: () => options.transport.close(),
  };
}

interface HostContext extends HostOptions {
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
}

function checkAddress(host: string, apiUrl: string): void {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (isSafe && url?.username === "" && url.search === "" && url.hash === "") return;
  throw new DiagnosticsError([
    error("config.insecure", `the address of ${host}'s API is not one that a token may be sent to`, {
      hint: "write it as https://HOST/PATH (GITHUB_API_URL, CI_API_V4_URL)",
    }),
  ]);
}

/** A short page may have a next one: the headers decide. */
const hasNextPage = ({ headers }: WireResponse): boolean =>
  /rel="?next"?/.test(headers.link ?? "") || /^\d+$/.test(headers["x-next-page"] ?? "");

/** Sends a call until it is answered for good. Throws `ApiError`; `uncertain` only for a POST. */
async function sendCall(context: HostContext, call: HostCall<unknown>): Promise<WireResponse> {
  const { clock, random } = context;
  const startedAt = clock.elapsed();
  const retries = new Map<string, number>();
  for (let attempts = 1; ; attempts += 1) {
    const { outcome, response, pauseMs, code } = await exchange(context, call);
    // Sent twice, a text is the same; a POST makes two of them.
    const verdict = classify(call, outcome);
    if (verdict.kind === "done" && response) return response;
    const kind =
      verdict.kind === "fail" ? verdict.failure : verdict.kind === "retry" ? verdict.otherwise : "malformed";
    const failed = (): ApiError => refusal(context, call, { kind, response, code, attempts });
    if (verdict.kind !== "retry") throw failed();
    const tries = (retries.get(verdict.reason) ?? 0) + 1;
    retries.set(verdict.reason, tries);
    const wait = Math.max(random() * backoff(tries - 1, 500, 10_000), pauseMs);
    const isLate = clock.elapsed() + wait - startedAt > deadlineMs;
    if (tries > retryLimits[verdict.reason] || isLate) throw failed();
    await clock.sleep(wait);
  }
}

interface Exchanged {
  readonly outcome: RetryOutcome;
  readonly response?: WireResponse;
  /** Milliseconds that the host asks to wait; 0 where it asks for none. */
  readonly pauseMs: number;
  /** Of an exchange without an answer. */
  readonly code?: string;
}

async function exchange(context: HostContext, call: HostCall<unknown>): Promise<Exchanged> {
  const { apiUrl, headers, transport, clock } = context;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  try {
    const response = await transport.send({
      method: call.method,
      url: `${apiUrl.replace(/\/+$/, "")}${call.path}`,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body }),
    });
    const pauseSeconds = limitOf(response, clock.now());
    // A limit of GitHub may come as a 403.
    const status = pauseSeconds === undefined ? response.status : 429;
    const wellFormed = parse(response.body) !== undefined;
    return { outcome: { kind: "answer", status, wellFormed }, response, pauseMs: (pauseSeconds ?? 0) * 1000 };
  } catch (thrown) {
    const { reason, code } = readTransportError(thrown);
    return { outcome: { kind: "no-answer", reason }, pauseMs: 0, ...(code !== undefined && { code }) };
  }
}

/**
 * Returns the seconds to wait of an answer that refuses because of a limit: `retry-after`, else until `x-ratelimit-reset`
 * where no request is left, else a minute, as GitHub asks for. Undefined where it is no limit.
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read<Answer>(call: HostCall<Answer>, { body }: WireResponse, { host }: HostContext): Answer {
  const parsed = call.answer.safeParse(parse(body));
  if (parsed.success) return parsed.data;
  throw failure(call, "malformed", `the answer of ${host} has another form than its documents say`);
}

interface Refused {
  readonly kind: FailureKind;
  readonly response?: WireResponse | undefined;
  readonly code?: string | undefined;
  readonly attempts: number;
}

function refusal(context: HostContext, call: HostCall<unknown>, refused: Refused): ApiError {
  const { kind, response, code, attempts } = refused;
  const { host, redactor } = context;
  const told = response && said.safeParse(parse(response.body)).data;
  const text = told?.message ?? told?.error;
  const words = typeof text === "string" ? text : JSON.stringify(text);
  const message = redactor.text((words ?? `${host} answered nothing (${code ?? "no code"})`).slice(0, 300));
  const limited = response && limitOf(response, context.clock.now()) !== undefined;
  return failure(call, kind, message, {
    status: response?.status,
    attempts,
    hint: limited ? `${host} limits how many requests a token may send: run the job again later` : undefined,
  });
}

/** GitHub says `message`; GitLab that, or `error`. */
const said = z.looseObject({ message: z.unknown(), error: z.unknown() }).partial();

function failure(
  {
    operation,
    method,
    path,
    needs,
  }: Pick<HostCall<unknown>, "operation" | "path" | "needs"> & {
    readonly method?: string;
  },
  kind: FailureKind,
  message: string,
  more: {
    readonly status?: number | undefined;
    readonly attempts?: number;
    readonly hint?: string | undefined;
  } = {},
): ApiError {
  const { status, attempts = 1 } = more;
  const usual = kind === "refused" || kind === "unauthorized" ? needs : "run the job again";
  return new ApiError({
    ...{ kind, operation, method: method ?? "GET", path, message, attempts, requestId: "" },
    ...(status !== undefined && { status }),
    hint: more.hint ?? usual,
  });
}
