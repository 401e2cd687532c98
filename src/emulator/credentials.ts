import { sha256 } from "../model/digest";
import { forbidden, notFound, Refusal } from "./refusal";

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
  /** Who holds it; default: `user-` and the role. */
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
  if (credential === undefined) {
    throw new Refusal(401, "unauthorized", "Authentication is missing or invalid", {
      "www-authenticate": "Bearer",
    });
  }
  if (credential.expiresAt !== undefined && Date.parse(credential.expiresAt) <= now) {
    throw new Refusal(401, "unauthorized", "The API key has expired", { "www-authenticate": "Bearer" });
  }
  return credential;
}

/** A key sees its own workspace only (Authentication rules 3 and 6). */
export function requireWorkspace(credential: Credential, workspaceId: string | undefined): void {
  if (workspaceId !== undefined && workspaceId.toLowerCase() !== credential.workspaceId.toLowerCase()) {
    throw notFound("The workspace");
  }
}

/** Scope, email, MFA and role of a write (Authentication rules 2 and 5). Reads need none of them. */
export function requireWrite(credential: Credential, role: Role): void {
  if (credential.scope !== "write") throw forbidden("A read-scope key allows GET only", "insufficient_scope");
  if (credential.emailVerified === false) throw forbidden("Verify your email first", "email_unverified");
  if (credential.mfa === false) throw forbidden("The workspace requires MFA", "mfa_required");
  requireRole(credential, role);
}

export function requireRole(credential: Credential, role: Role): void {
  if (ranks[credential.role] < ranks[role]) {
    throw forbidden(`The role ${role} is required`, "insufficient_role");
  }
}
