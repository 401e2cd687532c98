import { classify, RetryCounts, type RetryReason } from "../../api/retry";
import {
  readRetryAfter,
  readTransportError,
  type Transport,
  type TransportError,
  transportErrorText,
  type WireRequest,
  type WireResponse,
} from "../../api/transport";
import { type DiagnosticsError, failure } from "../../diagnostics/diagnostic";
import type { Clock } from "../../model/time";
import type { FoundLock, LockRecord, LockStore } from "../lock-record";

export interface StoredState {
  readonly bytes: Uint8Array;
  /** Differs whenever the content does: an ETag, or a digest of the bytes. */
  readonly version: string;
}

export type WriteAnswer =
  | { readonly kind: "written"; readonly version: string }
  /** Another version than the expected one is stored; nothing was written. */
  | { readonly kind: "changed" }
  /** The lock is not ours; nothing was written. */
  | { readonly kind: "not-ours"; readonly holder?: LockRecord };

/**
 * A store outside this machine that keeps a state and its lock. Requests without an answer are repeated. Every method throws
 * `DiagnosticsError`.
 */
export interface RemoteStore {
  /** For messages: no credentials, no query. */
  readonly location: string;
  /** Undefined when nothing is stored yet. */
  read(): Promise<StoredState | undefined>;
  /** Replaces exactly the version expected; undefined expects nothing to be there. */
  write(bytes: Uint8Array, expected: string | undefined, lock: LockRecord): Promise<WriteAnswer>;
  readonly server: StateServer;
  /** The error for a write that was refused as `changed` although the version expected is there. */
  readonly crossed: Error;
  /** Removes the backups, then exactly the version expected; false where another is stored. Absent where the store cannot. */
  readonly remove?: (expected: string) => Promise<boolean>;
  readonly locks: LockStore;
  /**
   * Finds the holder of the lock by asking for it as `asking`, and gives it back where it was free. Asked after each
   * write: without conditional writes, a suspended run may replace the state of another run once the lock is free.
   * Absent where writes are conditional.
   */
  readonly probeLock?: (asking: LockRecord) => Promise<FoundLock>;
  /** Absent where the server keeps versions of its own: over HTTP. */
  readonly backups?: BackupSlots;
}

/** Ten previous snapshots; slots 0 to 9. */
interface BackupSlots {
  /** For messages: a path or an address. */
  name(slot: number): string;
  read(slot: number): Promise<Uint8Array | undefined>;
  write(slot: number, bytes: Uint8Array): Promise<unknown>;
}

/** No whole answer came, or a passing failure such as 503: the outcome is not known. */
export class UnansweredError extends Error {
  /** Why the request may be sent again; undefined where that changes nothing. */
  readonly reason: RetryReason | undefined;

  constructor(
    /** For messages: `the connection was refused`. */
    message: string,
    /** Status of an answer, or why there is none; default: an answer that is not whole. */
    outcome: number | TransportError = 200,
    /** Milliseconds that `Retry-After` asks for; 0 without it. */
    readonly waitMs = 0,
  ) {
    super(message);
    this.name = "UnansweredError";
    // Every request to a state's server has the same effect twice.
    const verdict = classify(
      "GET",
      typeof outcome === "number"
        ? { kind: "answer", status: outcome, wellFormed: false }
        : { kind: "no-answer", ...outcome },
    );
    this.reason = verdict.kind === "retry" ? verdict.reason : undefined;
  }
}

/** Roots of the answers of S3 and STS. */
const knownXml = /^(<\?xml[^>]*>\s*)?<(ListBucketResult[\s>][\s\S]*<\/ListBucketResult>\s*$|AssumeRole)/;

function unanswered(thrown: unknown, url: string): UnansweredError {
  const found = readTransportError(thrown);
  const isLate = found.reason === "late";
  const message = isLate ? (thrown as Error).message : transportErrorText(new URL(url).host, found);
  return new UnansweredError(message, found);
}

/** The purpose of a request, for messages: `cannot read s3://…`. */
export interface Purpose {
  readonly code: "state.unreadable" | "state.write_failed";
  readonly summary: string;
  /** It is said where no answer comes. */
  readonly detail?: string;
}

export const reading = (name: string): Purpose => ({
  code: "state.unreadable",
  summary: `cannot read ${name}`,
});

/** The purpose of a request that changes a lock, or something else beside the state. */
export const changing = (verb: "write" | "delete" | "lock" | "unlock", name: string): Purpose => ({
  code: "state.write_failed",
  summary: `cannot ${verb} ${name}`,
});

export const writing = (name: string): Purpose => ({
  ...changing("write", name),
  detail: "It is unknown whether the last write arrived. The next run reads the state again.",
});

export class StateServer {
  /** It was silent to the end of a request, and has not answered since: nothing is repeated. */
  #isSilent = false;

  constructor(
    private readonly transport: Transport,
    private readonly retryPolicy: {
      readonly clock: Clock;
      readonly retries: number;
      /** Milliseconds of all attempts after which a request is not repeated. */
      readonly totalMs: number;
    },
  ) {}

  /**
   * Sends one request and reads its answer to the end. Throws `UnansweredError` for a connection that ends before that,
   * for 429 and 5xx, and for a web page, which tells nothing about the request.
   */
  async send(request: WireRequest): Promise<WireResponse> {
    const answer = await this.transport.send(request).catch((cause: unknown) => {
      throw unanswered(cause, request.url);
    });
    const { status, headers, body } = answer;
    if (status === 429 || (status >= 500 && status !== 501)) {
      const waitMs = (readRetryAfter(headers) ?? 0) * 1000;
      throw new UnansweredError(`the server answered ${status}`, status, waitMs);
    }
    // A portal or a proxy answers for the server; WebDAV answers for itself.
    const isWebDav = headers["lock-token"] !== undefined;
    if (status < 300 && !isWebDav && body.trimStart().startsWith("<") && !knownXml.test(body.trimStart()))
      throw new UnansweredError("a web page came instead of the server's answer");
    this.#isSilent = false;
    return answer;
  }

  /** Repeats a request while no answer comes, with longer and longer pauses. Throws `DiagnosticsError` in the end. */
  async ask<T>(purpose: Purpose, request: () => Promise<T>): Promise<T> {
    const { clock, retries, totalMs } = this.retryPolicy;
    const counts = new RetryCounts(() => 1, retries);
    const end = clock.elapsed() + totalMs;
    for (;;) {
      try {
        return await request();
      } catch (cause) {
        if (!(cause instanceof UnansweredError)) throw cause;
        const { reason, waitMs } = cause;
        const wait = reason && !this.#isSilent ? counts.next(reason, waitMs) : undefined;
        this.#isSilent = wait === undefined || clock.elapsed() + wait > end;
        if (wait === undefined || this.#isSilent) throw silent(purpose, cause);
        await clock.sleep(wait);
      }
    }
  }
}

export function silent({ code, summary, detail }: Purpose, cause: UnansweredError): DiagnosticsError {
  const hint =
    cause.reason === "no answer in time"
      ? "check the server, or give it longer for each answer (RNV_STATE_TIMEOUT, in seconds); then run the same command again"
      : "check the address and the network, then run the same command again";
  const failed = failure(code, `${summary}: ${cause.message}`, { detail, hint });
  failed.cause = cause;
  return failed;
}

const meanings: Readonly<Record<number, string>> = {
  401: "the credentials were not accepted",
  403: "the credentials are not allowed to do this",
  404: "there is nothing at this address",
  405: "the method is not allowed",
  413: "the state is too large for the server",
  501: "the server does not know the method",
};

export function remoteRefused({ code, summary }: Purpose, status: number): DiagnosticsError {
  return failure(code, `${summary}: ${meaningOf(status)} (HTTP ${status})`, {
    hint: "check the address (RNV_STATE) and the credentials of the state",
  });
}

export const meaningOf = (status: number): string =>
  status >= 300 && status < 400
    ? "it redirects, and a state goes to the configured address only"
    : (meanings[status] ?? "it was refused");
