import type { Credential, Role } from "./credentials";
import type { ReadClass } from "./lag";
import type { Json } from "./views";
import type { World } from "./world";

/** One authenticated request, matched to its route. */
export interface Call {
  readonly world: World;
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON object sent; empty for GET. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly credential: Credential;
  /** Of an endpoint that accepts one. */
  readonly idempotencyKey?: string;
  readonly workspaceId: string;
}

export type Handler = (call: Call) => Readonly<Record<string, unknown>> | Json;

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL: `/workspaces/{workspaceId}/projects`. */
  readonly path: string;
  /**
   * `accepted`: marked (I) in the interface. `rejected`: a key is a 400. `ignored`: keys mean nothing here.
   */
  readonly key?: "accepted" | "ignored" | "rejected";
  /** Least role of a write; developer unless said. */
  readonly role?: Role;
  /** True for a write that takes no body. */
  readonly bodyless?: true;
  /** Of a read: what it shows, and may show late. */
  readonly shows?: ReadClass;
  readonly handle: Handler;
}
