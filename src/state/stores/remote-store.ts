import {
  readRetryAfter,
  readTransportError,
  type Transport,
  transportErrorText,
  type WireResponse,
} from "../../api/transport";
import { type DiagnosticsError, failure } from "../../diagnostics/diagnostic";
import { backoff, type Clock } from "../../model/time";
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
 * A store outside this machine that keeps a state and its lock. Requests without an answer are repeated, the write of the
 * state apart. Every method throws `DiagnosticsError`.
 */
export interface RemoteStore {
  /** For messages: no credentials, no query. */
  readonly location: string;
  readonly server: StateServer;
  /** Undefined when nothing is stored yet. */
  read(): Promise<StoredState | undefined>;
  /**
   * Replaces exactly the version expected; undefined expects nothing to be there. Throws `UnansweredError` when it is not
   * known whether it did.
   */
  write(bytes: Uint8Array, expected: string | undefined, lock: LockRecord): Promise<WriteAnswer>;
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
export interface BackupSlots {
  /** For messages: a path or an address. */
  name(slot: number): string;
  read(slot: number): Promise<Uint8Array | undefined>;
  write(slot: number, bytes: Uint8Array): Promise<unknown>;
}

/** No whole answer came, or a passing failure such as 503: the outcome is not known. */
export class UnansweredError extends Error {
  constructor(
    /** For messages: `the connection was refused`. */
    message: string,
    /** Milliseconds that `Retry-After` asks for; 0 without it. */
    readonly waitMs = 0,
    /** No answer came in time. */
    readonly isLate = false,
  ) {
    super(message);
    this.name = "UnansweredError";
  }
}

const bucketList = /^(<\?xml[^>]*>\s*)?<ListBucketResult[\s>]/;

interface StateRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

const longestWaitMs = 60_000;

const retryAfter = ({ headers }: WireResponse): number =>
  Math.min(longestWaitMs, (readRetryAfter(headers) ?? 0) * 1000);

function unanswered(cause: unknown, url: string): UnansweredError {
  const found = readTransportError(cause);
  if (found.reason === "late") return new UnansweredError((cause as Error).message, 0, true);
  return new UnansweredError(transportErrorText(new URL(url).host, found));
}

export interface RetryPolicy {
  readonly clock: Clock;
  /** Times that a request is repeated. */
  readonly retries: number;
  /** Milliseconds of all attempts after which a request is not repeated. */
  readonly totalMs: number;
}

/** The purpose of a request, for messages: `cannot read s3://…`. */
export interface Purpose {
  readonly code: "state.unreadable" | "state.write_failed";
  readonly summary: string;
}

export const reading = (name: string): Purpose => ({
  code: "state.unreadable",
  summary: `cannot read ${name}`,
});

export const writing = (name: string): Purpose => ({
  code: "state.write_failed",
  summary: `cannot write ${name}`,
});

/** The server of a remote state. */
export class StateServer {
  /** It was silent to the end of a request, and has not answered since: nothing is repeated. */
  #isSilent = false;

  constructor(
    private readonly transport: Transport,
    private readonly retryPolicy: RetryPolicy,
  ) {}

  /**
   * Sends one request and reads its answer to the end. Throws `UnansweredError` for a connection that ends before that,
   * for 429 and 5xx, and for a web page, which tells nothing about the request.
   */
  async send(request: StateRequest): Promise<WireResponse> {
    const body = request.body && Buffer.from(request.body).toString("utf8");
    const answer = await this.transport.send({ ...request, body }).catch((cause: unknown) => {
      throw unanswered(cause, request.url);
    });
    const { status } = answer;
    if (status === 429 || (status >= 500 && status !== 501))
      throw new UnansweredError(`the server answered ${status}`, retryAfter(answer));
    // A portal or a proxy answers for the server. Of a state's server only the list of a bucket starts like that.
    const start = answer.body.slice(0, 1000).trimStart();
    if (status < 300 && start.startsWith("<") && !bucketList.test(start))
      throw new UnansweredError("a web page came instead of the server's answer");
    return answer;
  }

  /** Repeats a request while no answer comes, with longer and longer pauses. Throws `DiagnosticsError` in the end. */
  async ask<T>(purpose: Purpose, request: () => Promise<T>): Promise<T> {
    const { clock, retries, totalMs } = this.retryPolicy;
    const most = this.#isSilent ? 0 : retries;
    const startedAt = clock.elapsed();
    for (let count = 0; ; count += 1) {
      try {
        const answer = await request();
        this.#isSilent = false;
        return answer;
      } catch (cause) {
        if (!(cause instanceof UnansweredError)) throw cause;
        this.#isSilent = count >= most || clock.elapsed() - startedAt >= totalMs;
        if (this.#isSilent) throw silent(purpose, cause);
        await clock.sleep(Math.max(backoff(count, 500, 30_000), cause.waitMs));
      }
    }
  }
}

/** Returns the error for a request that got no answer in the end. */
function silent({ code, summary }: Purpose, cause: UnansweredError): DiagnosticsError {
  const hint = cause.isLate
    ? "check the server, or give it longer for each answer (RNV_STATE_TIMEOUT, in seconds); then run the same command again"
    : "check the address and the network, then run the same command again";
  const detail = "It is unknown whether the last write arrived. The next run reads the state again.";
  const failed = failure(code, `${summary}: ${cause.message}`, {
    ...(code === "state.write_failed" && { detail }),
    hint,
  });
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

/** Returns the error for a final refusal of the server. */
export function remoteRefused({ code, summary }: Purpose, status: number): DiagnosticsError {
  const redirect = status >= 300 && status < 400;
  const meaning = redirect
    ? "it redirects, and a state goes to the configured address only"
    : (meanings[status] ?? "it was refused");
  return failure(code, `${summary}: ${meaning} (HTTP ${status})`, {
    hint: "check the address (RNV_STATE) and the credentials of the state",
  });
}
