import type { IncomingHttpHeaders } from "node:http";
import {
  httpStateService,
  type SeenStateRequest,
  type StateAnswer,
  type StateService,
} from "../support/http-state-server";
import { refusal, s3Environment, s3Service } from "../support/s3-server";

/** Kinds of servers that keep a state: Terraform's protocol with and without rules, S3, and S3 with encryption. */
const remoteKinds = ["http", "http-lax", "s3", "s3-sealed"] as const;
export type RemoteKind = (typeof remoteKinds)[number];

export const stateUser = { username: "rnv", password: "CANARY-p4ss-of-the-state" } as const;
/** What no output may hold. */
export const stateSecrets: readonly string[] = [
  stateUser.password,
  Buffer.from(`${stateUser.username}:${stateUser.password}`).toString("base64"),
  s3Environment.AWS_SECRET_ACCESS_KEY,
];

/** What a case finds at the server. */
export interface RemoteImage {
  readonly kind: RemoteKind;
  readonly stored: ReadonlyMap<string, string>;
  readonly locks: ReadonlyMap<string, string>;
}

export const emptyRemote = (kind: RemoteKind): RemoteImage => ({ kind, stored: new Map(), locks: new Map() });

export const isS3 = (kind: RemoteKind): boolean => kind.startsWith("s3");

/** Path of the state on its server. */
const statePathOf = (kind: RemoteKind): string => (isS3(kind) ? "/bucket/team/shop.json" : "/state/shop");

/** Found by a server that is sent an older state than it has, or the first state of another run. */
const wentBack = "the state went back to an older serial";
const beganAgain = "the state began again";
export const overwritten: readonly string[] = [wentBack, beganAgain];

/** A server of one state in memory. It remembers what was stored, and notices what must never happen to it. */
export class RemoteServer {
  readonly kind: RemoteKind;
  readonly stored: Map<string, string>;
  readonly locks: Map<string, string>;
  /** A state that was lost, or went back. */
  readonly violations: string[] = [];
  /** Content of a path before the present one. */
  readonly #before = new Map<string, string | undefined>();
  readonly #service: StateService;

  constructor({ kind, stored, locks }: RemoteImage) {
    this.kind = kind;
    this.stored = new Map(stored);
    this.locks = new Map(locks);
    this.#service = isS3(kind)
      ? s3Service({}, this.stored)
      : httpStateService({ ...stateUser, strict: kind === "http" }, this.stored, this.locks);
  }

  /** What the server makes of a request. */
  readonly handle = (request: SeenStateRequest & { readonly headers: IncomingHttpHeaders }): StateAnswer => {
    const path = request.path.split("?")[0] ?? "";
    const before = this.stored.get(path);
    const answer = this.#service(request);
    const after = this.stored.get(path);
    if (before !== after) {
      this.#before.set(path, before);
      if (path === statePathOf(this.kind)) this.#watch(before, after);
      // It may be another run's by now, and no condition of a deletion keeps it.
      if (path.endsWith(".lock") && after === undefined) this.violations.push("the lock object was removed");
    }
    return answer;
  };

  /** The answer of a server that has not heard of the last write yet. */
  stale(path: string, answer: StateAnswer): StateAnswer {
    if (!this.#before.has(path)) return answer;
    const body = this.#before.get(path);
    return body === undefined
      ? refusal(404, "NoSuchKey")
      : { status: 200, body, headers: { etag: '"stale"' } };
  }

  /** Id of whoever holds the lock. */
  lockId(): string | undefined {
    const text = isS3(this.kind)
      ? this.stored.get(`${statePathOf(this.kind)}.lock`)
      : this.locks.get(statePathOf(this.kind));
    if (text === undefined) return undefined;
    const lock = JSON.parse(text) as { ID?: string; id?: string; free?: true };
    return lock.free ? undefined : (lock.ID ?? lock.id);
  }

  image(): RemoteImage {
    return { kind: this.kind, stored: new Map(this.stored), locks: new Map(this.locks) };
  }

  #watch(before: string | undefined, after: string | undefined): void {
    const [old, now] = [before, after].map((text) => (text === undefined ? undefined : headOf(text)));
    if (old === undefined) return;
    if (now === undefined) this.violations.push("the state was removed");
    else if (now.lineage !== old.lineage)
      this.violations.push(now.serial === 1 ? beganAgain : "the state got another lineage");
    else if (now.serial <= old.serial) this.violations.push(wentBack);
  }
}

/** Stands in the clear, encrypted or not. */
const headOf = (text: string): { readonly lineage?: string; readonly serial: number } => ({
  lineage: /"lineage"\s*:\s*"([^"]*)"/.exec(text)?.[1],
  serial: Number(/"serial"\s*:\s*(\d+)/.exec(text)?.[1] ?? -1),
});
