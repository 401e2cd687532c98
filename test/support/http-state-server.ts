import { createHash } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { listen } from "./listen";

export interface SeenStateRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What goes wrong with one request; `after` lets the request take effect first. */
type StateFault =
  | { readonly kind: "status"; readonly status: number; readonly after?: boolean }
  | { readonly kind: "reset"; readonly after?: boolean }
  /** The answer breaks off in the middle of its body. */
  | { readonly kind: "truncate" }
  /** No answer ever comes. */
  | { readonly kind: "hang"; readonly after?: boolean }
  /** An answer begins, and the rest of it never comes. */
  | { readonly kind: "stall" }
  /** An answer comes a byte at a time and does not end. */
  | { readonly kind: "drip" }
  /** `101 Switching Protocols` in place of an answer. */
  | { readonly kind: "switch" }
  | { readonly kind: "redirect"; readonly to: string };

export interface StateServer {
  readonly url: string;
  readonly seen: SeenStateRequest[];
  /** What is stored now, by path. */
  readonly stored: Map<string, string>;
  /** Asked for every request, in order; a request stands still until it has answered. */
  fault?: (
    request: SeenStateRequest,
    index: number,
  ) => StateFault | undefined | Promise<StateFault | undefined>;
  close(): Promise<void>;
}

export interface StateAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a server makes of one request, with no network in between. */
export type StateService = (
  request: SeenStateRequest & { readonly headers: IncomingHttpHeaders },
) => StateAnswer;

/** A server of state over HTTP whose requests may go wrong before and after they took effect. */
export async function serveState(answer: StateService, stored: Map<string, string>): Promise<StateServer> {
  const seen: SeenStateRequest[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, body: Buffer.concat(parts).toString("utf8") };
    const index = seen.push(one) - 1;
    const answered = running.fault?.(one, index);
    const fault = answered instanceof Promise ? await answered : answered;
    const end = ({ status, body = "", headers: more = {} }: StateAnswer): void => {
      response.writeHead(status, { "content-length": Buffer.byteLength(body), ...more });
      if (fault?.kind === "truncate") {
        response.write(body.slice(0, body.length / 2), () => response.destroy());
        return;
      }
      if (fault?.kind === "stall") return void response.write(body.slice(0, 1));
      response.end(body);
    };
    if (fault?.kind === "redirect") return end({ status: 307, headers: { location: fault.to } });
    if (fault !== undefined && "after" in fault && fault.after) answer({ ...one, headers });
    if (fault?.kind === "reset") return void response.destroy();
    if (fault?.kind === "hang") return;
    if (fault?.kind === "switch")
      return void response.socket?.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    if (fault?.kind === "drip") {
      response.writeHead(200, { "content-length": 1_000_000, etag: '"drip"' });
      const timer = setInterval(() => response.write(" "), 10);
      response.once("close", () => clearInterval(timer));
      return;
    }
    if (fault?.kind === "status") return end({ status: fault.status, body: "<html>" });
    end(answer({ ...one, headers }));
  };
  const server: Server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const { url, close } = await listen(server);
  const running: StateServer = { url, seen, stored, close };
  return running;
}

export interface HttpStateOptions {
  readonly username?: string;
  readonly password?: string;
  /** GitLab: a serial is stored once. Servers without rules store anything, whatever the lock says, and send no digest. */
  readonly strict?: boolean;
}

/**
 * A server of Terraform's HTTP state protocol: the state at `/state/NAME`, its lock at `/state/NAME/lock` (POST and
 * DELETE) and at its own address (LOCK and UNLOCK).
 */
export async function serveHttpState(
  options: HttpStateOptions = {},
): Promise<StateServer & { readonly locks: Map<string, string> }> {
  const stored = new Map<string, string>();
  const locks = new Map<string, string>();
  return Object.assign(await serveState(httpStateService(options, stored, locks), stored), { locks });
}

/** The same without a network. */
export function httpStateService(
  options: HttpStateOptions,
  stored: Map<string, string>,
  locks: Map<string, string>,
): StateService {
  const { strict = true } = options;
  const credentials = Buffer.from(`${options.username}:${options.password}`).toString("base64");
  const idOf = (lock: string): string => JSON.parse(lock).ID;
  return ({ method, path, body, headers }) => {
    if (options.username !== undefined && headers.authorization !== `Basic ${credentials}`)
      return { status: 401 };
    const url = new URL(path, "http://state.test");
    const name = url.pathname.replace(/\/lock$/, "");
    const isLock = method === "LOCK" || (method === "POST" && url.pathname.endsWith("/lock"));
    const isUnlock = method === "UNLOCK" || (method === "DELETE" && url.pathname.endsWith("/lock"));
    const held = locks.get(name);
    if (isLock) {
      if (held !== undefined && idOf(held) !== idOf(body)) return { status: 423, body: held };
      locks.set(name, body);
      return { status: 200 };
    }
    if (isUnlock) {
      if (held === undefined || idOf(held) !== idOf(body)) return { status: 409, body: held };
      locks.delete(name);
      return { status: 200 };
    }
    if (method === "GET") {
      const text = stored.get(name);
      if (text === undefined) return { status: 404 };
      return { status: 200, body: text, ...(strict && { headers: { "content-md5": md5(text) } }) };
    }
    if (method === "DELETE") return { status: stored.delete(name) ? 200 : 404 };
    if (method !== "POST") return { status: 405 };
    if (headers["content-md5"] !== md5(body)) return { status: 400 };
    if (strict) {
      if (held === undefined || idOf(held) !== url.searchParams.get("ID")) return { status: 409, body: held };
      const before = stored.get(name);
      if (before !== undefined && serialOf(before) >= serialOf(body)) return { status: 422 };
    }
    stored.set(name, body);
    return { status: 200 };
  };
}

const serialOf = (text: string): number => Number(/"serial"\s*:\s*(\d+)/.exec(text)?.[1] ?? -1);

const md5 = (text: string): string => createHash("md5").update(text).digest("base64");
