import { DiagnosticsError } from "../diagnostics/diagnostic";
import { Secret } from "../model/secret";
import { type Mask, noMask } from "../model/value";
import { defaultGaps } from "./gaps";
import { checkBaseUrl } from "./http-transport";
import { authorizationWith, prepareRequest } from "./prepare-request";
import { RateLimiter } from "./rate-limiter";
import type { KnownSecrets } from "./recorded-values";
import { Redactor } from "./redactor";
import type { Send } from "./request";
import { RequestAttempts, type RetryContext } from "./retry";
import { type Deprecation, readDate, readDeprecation } from "./transport";
import { maxBodyBytes as serviceBodyBytes } from "./wire/shapes";

export interface ClientOptions
  extends Pick<RetryContext, "transport" | "clock" | "random">,
    Partial<Pick<RetryContext, "deadlineMs" | "gaps" | "onWait" | "onAnswer">> {
  /** Ends in `/api/v1`; see `checkBaseUrl`. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** 32 hex digits that all request ids hold; from `random` unless given. */
  readonly runId?: string;
  /** Bounds the requests of all clients that share it; `mostRequests` of this client unless given. */
  readonly limiter?: RateLimiter;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBodyBytes?: number;
  /** Called once, where an answer says that its route ends. */
  readonly onDeprecation?: (found: Deprecation) => void;
}

export interface Client {
  readonly runId: string;
  /**
   * An aborted signal ends every wait and cuts a GET in flight. A write in flight is never cut: its answer is
   * worth more than the time.
   */
  readonly send: Send;
  /**
   * Masks secrets in all text of the service from now on; those that requests carry or answers reveal are known by
   * themselves. Returns true when an answer that was handed out before the first call repeats a secret: read it again.
   */
  readonly redact: (known: KnownSecrets) => boolean;
  /** Returns an attribute value as people and files see it; the value itself where nothing in it is masked. */
  readonly mask: Mask;
  /** Returns the `Date` of the latest answer, milliseconds; undefined where that had none. */
  readonly serviceTime: () => number | undefined;
  readonly close: () => Promise<void>;
}

/** Returns a mask of attribute values, for output that needs no request. */
export function createMask({ outside, recorded }: KnownSecrets): Mask {
  if (outside.length === 0 && !recorded) return noMask;
  const redactor = new Redactor();
  redactor.add(outside, recorded);
  return (value) => redactor.value(value);
}

/**
 * Opens the client of a workspace key: authentication, request ids, limiter, retries, deadline, body limit (interface,
 * "Authentication", "Errors", "Limits"). Throws `DiagnosticsError` for a base URL or a key that cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  const wrong = checkBaseUrl(options.baseUrl);
  if (wrong !== undefined) throw new DiagnosticsError([wrong]);
  return openClient(options);
}

/** Opens a client for any base URL that the caller has checked. Throws `DiagnosticsError` for a key that cannot be used. */
export function openClient(options: ClientOptions): Client {
  const { transport, clock, random, baseUrl, maxBodyBytes = serviceBodyBytes } = options;
  const headers = {
    accept: "application/json",
    authorization: authorizationWith(options.apiKey),
    "user-agent": options.userAgent ?? "rnv",
    ...options.headers,
  };
  let serviceTime: number | undefined;
  let isDeprecationReported = false;
  const redactor = new Redactor(options.apiKey);
  let mask = noMask;
  const context: RetryContext = {
    transport,
    clock,
    random,
    limiter: options.limiter ?? new RateLimiter(clock),
    deadlineMs: options.deadlineMs ?? 300_000,
    gaps: options.gaps ?? defaultGaps,
    host: new URL(baseUrl).host,
    onWait: options.onWait ?? (() => {}),
    onAnswer: (headers) => {
      options.onAnswer?.(headers);
      serviceTime = readDate(headers);
      const found = isDeprecationReported ? undefined : readDeprecation(headers);
      if (found === undefined) return;
      isDeprecationReported = true;
      options.onDeprecation?.({ ...found, link: found.link && redactor.text(found.link) });
    },
    redactor,
  };
  const runId =
    options.runId ?? Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  let prepares = 0;
  const send: Send = async (request, { signal } = {}) => {
    prepares += 1;
    const prepared = prepareRequest(request, { baseUrl, headers, maxBodyBytes }, `rnv-${runId}-${prepares}`);
    if (prepared.secrets.length > 0) redactor.add(prepared.secrets);
    const response = await new RequestAttempts(context, prepared, signal).send();
    const revealed = request.reveals && (response.body as Readonly<Record<string, unknown>>)[request.reveals];
    if (typeof revealed === "string") redactor.add([new Secret(revealed)]);
    return response;
  };
  return {
    runId,
    send,
    redact: (known) => {
      mask = createMask(known);
      return redactor.add(known.secrets, known.recorded);
    },
    mask: (value) => mask(value),
    serviceTime: () => serviceTime,
    close: () => transport.close(),
  };
}
