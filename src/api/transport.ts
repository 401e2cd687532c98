/** One HTTP exchange, without meaning: headers lower-case, bodies as text. */
export interface WireRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What carries requests: a socket, or the emulator in-process. Rejects when no whole answer came; never follows a
 * redirect, never retries.
 */
export interface Transport {
  send(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void>;
}
