import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { CatalogAnswer } from "../api/wire/shapes";
import { sha256 } from "../model/sha256";
import type { Clock } from "../model/time";
import type { Condition, GapSwitches } from "./behaviour";
import type { Replicas } from "./lag";
import type { Readings } from "./readings";
import type { Store } from "./records";
import { forbidden, notFound, Refusal } from "./refusal";

/** The embedded service as a route sees it: its data, time, catalog, credentials and how it is set up. */
export interface World {
  readonly store: Store;
  /** The store that reads are answered from. */
  readonly replicas: Replicas;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly catalog: CatalogAnswer;
  readonly gaps: GapSwitches;
  readonly readings: Readings;
  readonly switches: {
    readonly conditions: Set<Condition>;
    readonly deployMs: number;
    readonly operationMs: number;
  };
  /** Failures to come, by service id; `*` stands for the next deployment of any service. */
  readonly deploymentFailures: Map<string, string[]>;
  readonly operationFailures: Set<string>;
  /** By key. */
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly countRequest: (credentialId: string) => void;
}

/** Keeps variable values unreadable at rest and cursors and payload digests unforgeable. */
export interface Seal {
  close(text: string): string;
  open(sealed: string): string;
  /** Keyed SHA-256, hex. */
  digest(text: string): string;
}

const ivLength = 12;
const tagLength = 16;

/** AES-256-GCM under a 32-byte key. */
export function createSeal(key: Uint8Array = randomBytes(32)): Seal {
  return {
    close(text) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivLength));
      decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
      return Buffer.concat([
        decipher.update(bytes.subarray(ivLength + tagLength)),
        decipher.final(),
      ]).toString("utf8");
    },
    digest: (text) => createHmac("sha256", key).update(text).digest("hex"),
  };
}

export type Role = "viewer" | "developer" | "admin" | "owner";

/** An API key of the embedded service (interface, "Authentication"). */
export interface ApiKey {
  /** Starts with `rnv_`. */
  readonly key: string;
  readonly scope: "read" | "write";
  readonly role: Role;
  /** Default: the workspace of the emulator. */
  readonly workspaceId?: string;
  /** ISO 8601. */
  readonly expiresAt?: string;
  /** Default true. */
  readonly emailVerified?: boolean;
  /** False fails the workspace's MFA policy. Default true. */
  readonly mfa?: boolean;
  /** Holder of the key; default: `user-` and the role. */
  readonly actor?: string;
}

export interface Credential extends ApiKey {
  readonly workspaceId: string;
  readonly actor: string;
  /** Stands for the key wherever something is kept per credential. */
  readonly id: string;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, developer: 1, admin: 2, owner: 3 };

export const toCredential = (key: ApiKey, workspaceId: string): Credential => ({
  workspaceId,
  actor: `user-${key.role}`,
  ...key,
  id: sha256(key.key).slice(0, 16),
});

/** The credential of an `Authorization` header, or 401. */
export function authenticate(
  header: string | undefined,
  credentials: ReadonlyMap<string, Credential>,
  now: number,
): Credential {
  const key = /^Bearer (rnv_\S+)$/i.exec(header ?? "")?.[1];
  const credential = key === undefined ? undefined : credentials.get(key);
  const refusal = (message: string): Refusal =>
    new Refusal(401, "unauthorized", message, { "www-authenticate": "Bearer" });
  if (credential === undefined) throw refusal("Authentication is missing or invalid");
  if (credential.expiresAt !== undefined && Date.parse(credential.expiresAt) <= now)
    throw refusal("The API key has expired");
  return credential;
}

/** A key sees its own workspace only (Authentication rules 3 and 6). */
export function requireWorkspace(credential: Credential, workspaceId: string | undefined): void {
  if (workspaceId !== undefined && workspaceId.toLowerCase() !== credential.workspaceId.toLowerCase())
    throw notFound("The workspace");
}

/** Scope, email, MFA and role of a write (Authentication rules 2 and 5). Reads need none of them. */
export function requireWrite(credential: Credential, role: Role): void {
  if (credential.scope !== "write") throw forbidden("A read-scope key allows GET only", "insufficient_scope");
  if (credential.emailVerified === false) throw forbidden("Verify your email first", "email_unverified");
  if (credential.mfa === false) throw forbidden("The workspace requires MFA", "mfa_required");
  requireRole(credential, role);
}

export function requireRole(credential: Credential, role: Role): void {
  if (ranks[credential.role] < ranks[role])
    throw forbidden(`The role ${role} is required`, "insufficient_role");
}

export interface RateLimit {
  readonly requests: number;
  readonly perSeconds: number;
}

/** Counts requests per credential in fixed windows; throws 429 with `Retry-After` above the limit. */
export function createRateLimiter(
  clock: Clock,
  limit: RateLimit | undefined,
): (credentialId: string) => void {
  const windows = new Map<string, { start: number; count: number }>();
  return (credentialId) => {
    if (limit === undefined) return;
    const now = clock.now();
    const length = limit.perSeconds * 1000;
    const open = windows.get(credentialId);
    const current = open === undefined || now - open.start >= length ? { start: now, count: 0 } : open;
    windows.set(credentialId, current);
    current.count += 1;
    if (current.count <= limit.requests) return;
    const seconds = Math.max(1, Math.ceil((current.start + length - now) / 1000));
    throw new Refusal(429, "rate_limited", "The request rate limit is reached", {
      "retry-after": String(seconds),
    });
  };
}
