/** A request of the interface, before authentication, request id and retries. */
export interface ApiRequest {
  /** Name of the endpoint function that makes it: `createService`. Part of every idempotency key. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL, path parameters filled in: `/workspaces/…/projects`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON. Secrets in it stay closed (`Secret`) until the client serializes it. */
  readonly body?: unknown;
  /** Endpoints marked (I) in the interface: an `Idempotency-Key` may be sent. */
  readonly keyed: boolean;
  readonly idempotencyKey?: string;
  /** The key is for the journal alone: a setting says that the service takes none there. */
  readonly omitsKey?: true;
  /** The body holds a secret or the answer does: neither is kept, traced or shown in an error. */
  readonly sensitive?: true;
  /** The field of the answer's body that is a secret. */
  readonly reveals?: string;
  /** Its answer may be a JSON list; of any other request it must be an object. */
  readonly mayBeList?: boolean;
  /** The resource on whose behalf it is made; named in errors. */
  readonly address?: string;
  /** Reads the subject of a successful answer from its body, through the schema of the endpoint. */
  readonly about?: (body: unknown) => About;
}

/** Returns a request without a key yet; a write may have one unless `more` says otherwise. */
export const requestOf = (
  operation: string,
  method: ApiRequest["method"],
  path: string,
  more: Partial<ApiRequest> = {},
): ApiRequest => ({ operation, method, path, keyed: method !== "GET", ...more });

/** The subject of an answer (DESIGN section 5). */
export interface About {
  /** The id of the resource that it shows; undefined where the answer is not as documented, or shows none. */
  readonly id?: string;
  readonly name?: string | undefined;
  /** When the service made that resource, where it tells. ISO 8601. */
  readonly madeAt?: string;
  /** When a resource was created that no list may show: an archived one of the same name is older than the request. */
  readonly createdAt?: string | undefined;
  /** Why it is about another resource: the field, and the value asked for. Never text of the answer. */
  readonly mismatch?: string;
  /** The mismatch is that it existed before: its id was seen, or it is older than the request. */
  readonly isKnown?: "id" | "age";
}

export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string;
  readonly attempts: number;
}

/** Sends one request to the end: limiter, retries and deadline included. Throws `ApiError`. */
export type Send = (request: ApiRequest, options?: { readonly signal?: AbortSignal }) => Promise<ApiResponse>;

/**
 * Encodes one segment of a path. The empty segment at position 0 makes the path absolute; every other one must be a
 * name that no URL parser rewrites.
 */
export function pathSegment(segment: string, position: number): string {
  if (position > 0 && (segment === "" || segment === "." || segment === ".."))
    throw new Error(`${JSON.stringify(segment)} is not an id`);
  return encodeURIComponent(segment);
}
