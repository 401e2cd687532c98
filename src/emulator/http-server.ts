import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { WireRequest, WireResponse } from "../api/transport";
import type { Emulator } from "./emulator";
import type { Exchange } from "./faults";
import { bodyLimit } from "./refusal";
import { basePath } from "./router";

export interface EmulatorServer {
  /** Base URL, ending in `/api/v1`. */
  readonly url: string;
  readonly port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/**
 * Serves an emulator over HTTP on the loopback interface; port 0 (default) takes a free one.
 * @example
 * const { url, close } = await serveEmulator(createEmulator());
 * await close();
 */
export function serveEmulator(
  emulator: Pick<Emulator, "exchange">,
  options: { readonly port?: number } = {},
): Promise<EmulatorServer> {
  const host = "127.0.0.1";
  const server = createServer({ keepAlive: true }, (incoming, outgoing) => {
    answer(emulator, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = 30_000;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://${host}:${port}${basePath}`, port, close: () => close(server) });
    });
  });
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

async function answer(
  emulator: Pick<Emulator, "exchange">,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // The emulator gives its own time.
  outgoing.sendDate = false;
  const { body, isTooLarge } = await readBody(incoming);
  const headers = Object.entries(incoming.headers).map(([name, value = ""]) => [
    name,
    [value].flat().join(", "),
  ]);
  const request: WireRequest = {
    method: incoming.method ?? "GET",
    url: `http://${incoming.headers.host ?? "127.0.0.1"}${incoming.url ?? "/"}`,
    headers: Object.fromEntries(headers),
    body: body || undefined,
  };
  if (isTooLarge) outgoing.setHeader("connection", "close");
  await deliver(await emulator.exchange(request), outgoing);
  if (isTooLarge) incoming.destroy();
}

/** Reads up to one byte above the limit: enough for the service to refuse it, and no more. */
async function readBody(incoming: IncomingMessage): Promise<{ body: string; isTooLarge: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection stays, for the answer.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > bodyLimit) return { body: "x".repeat(bodyLimit + 1), isTooLarge: true };
  }
  return { body: Buffer.concat(chunks).toString("utf8"), isTooLarge: false };
}

async function deliver(exchange: Exchange, outgoing: ServerResponse): Promise<void> {
  if (exchange.kind === "answer") return send(exchange.response, outgoing);
  const { partial, code } = exchange;
  if (partial !== undefined) {
    const bytes = Buffer.from(partial.body);
    outgoing.writeHead(partial.status, { ...partial.headers, "content-length": String(bytes.length) });
    const half = bytes.subarray(0, Math.max(1, bytes.length / 2));
    await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  }
  // Until the caller gives up.
  if (code === "ETIMEDOUT") await once(outgoing, "close");
  outgoing.destroy();
}

const send = (response: WireResponse, outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const bytes = Buffer.from(response.body);
    outgoing.writeHead(response.status, { ...response.headers, "content-length": String(bytes.length) });
    outgoing.end(bytes, () => resolve());
    outgoing.once("close", () => resolve());
  });
