import { type Client, type ClientOptions, createClient } from "../../../src/api/client";
import { RateLimiter } from "../../../src/api/rate-limiter";
import type { ApiRequest } from "../../../src/api/request";
import type { WaitEvent } from "../../../src/api/retry";
import type { Transport, WireRequest, WireResponse } from "../../../src/api/transport";
import { Secret } from "../../../src/model/secret";
import { type SteppingClock, steppingClock } from "./stepping-clock";

export const baseUrl = "https://api.example.com/api/v1";
export const apiKey = "rnv_0123456789abcdef";

export type Reply = WireResponse | Error | ((request: WireRequest) => Promise<WireResponse>);

export const answer = (
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({ status, headers, body: typeof body === "string" ? body : JSON.stringify(body) });

export const failure = (code: string, syscall?: string): Error =>
  Object.assign(new Error(`failed with ${code}`), { code, syscall });

export interface ScriptedClient {
  readonly client: Client;
  readonly sent: readonly WireRequest[];
  /** Clock time of each request. */
  readonly times: readonly number[];
  readonly waits: readonly WaitEvent[];
  readonly clock: SteppingClock;
}

/** A client whose service answers with the replies in order, the last one again and again. */
export function scriptedClient(
  replies: readonly Reply[] | ((request: WireRequest, index: number) => Reply),
  { maxConcurrency, ...options }: Partial<ClientOptions> & { readonly maxConcurrency?: number } = {},
): ScriptedClient {
  const clock = steppingClock();
  const sent: WireRequest[] = [];
  const times: number[] = [];
  const waits: WaitEvent[] = [];
  const transport: Transport = {
    send: async (request) => {
      const index = sent.push(request) - 1;
      times.push(clock.now());
      const reply =
        typeof replies === "function"
          ? replies(request, index)
          : replies[Math.min(index, replies.length - 1)];
      if (reply === undefined) throw new Error("no reply was scripted");
      if (reply instanceof Error) throw reply;
      return typeof reply === "function" ? reply(request) : reply;
    },
    close: async () => {},
  };
  const client = createClient({
    ...{ baseUrl, transport, clock, limiter: new RateLimiter(clock, maxConcurrency) },
    apiKey: new Secret(apiKey),
    random: () => 0.5,
    onWait: (event) => waits.push(event),
    ...options,
  });
  return { client, sent, times, waits, clock };
}

export const read: ApiRequest = { operation: "listProjects", method: "GET", path: "/projects", keyed: false };
export const keyedWrite: ApiRequest = {
  operation: "updateProject",
  method: "PATCH",
  path: "/projects/p1",
  body: { name: "Shop" },
  keyed: true,
  idempotencyKey: "rnv-1-abc",
  address: "project.shop",
};
/** What makes something: it is looked for before it is sent again. */
export const creation: ApiRequest = {
  ...keyedWrite,
  operation: "createProject",
  method: "POST",
  path: "/projects",
};
