import { createServer, type IncomingMessage } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { selfSigned } from "../../src/terraform/certificate";
import { type Listening, listen } from "./listen";

/** A name that no resolver knows: it is reached through a proxy alone. */
export const secureHost = "rnv-service.test";

/** Returns a new certificate for `secureHost`, which is its own authority. */
export const secureCertificate = () => selfSigned(Date.now(), secureHost);

/**
 * Puts TLS before a server on `port`, with a certificate of a private authority for `secureHost`; of clients it takes
 * only those of `clients`, where that is given.
 */
export async function serveSecurely(
  port: number,
  clients?: string,
  { certificate, key } = secureCertificate(),
): Promise<Listening & { readonly authority: string }> {
  const asking = clients === undefined ? {} : { ca: clients, requestCert: true, rejectUnauthorized: true };
  const server = createTlsServer({ cert: certificate, key, ...asking }, (socket) =>
    join(socket, connect(port, "127.0.0.1")),
  );
  return { ...(await listen(server)), authority: certificate };
}

export interface ConnectProxy extends Listening {
  /** Where tunnels were asked for, `HOST:PORT`, and with which `Proxy-Authorization`. */
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[];
  /** What is answered instead of a tunnel. */
  refusal: number | undefined;
}

/** A proxy that opens tunnels to ports by `HOST:PORT` with CONNECT for whoever knows `user:password`, and does nothing else. */
export async function serveProxy(
  ports: Readonly<Record<string, number>>,
  credentials: string,
): Promise<ConnectProxy> {
  const asked: ConnectProxy["asked"] = [];
  const expected = `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((_, response) => response.writeHead(501).end());
  server.on("connect", ({ url = "", headers }: IncomingMessage, socket: Socket) => {
    socket.on("error", () => undefined);
    const authorization = headers["proxy-authorization"];
    asked.push({ target: url, authorization });
    const refused = proxy.refusal ?? (authorization === expected ? undefined : 407);
    if (refused !== undefined) return void socket.end(`HTTP/1.1 ${refused} No\r\ncontent-length: 0\r\n\r\n`);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    join(socket, connect(ports[url] ?? 0, "127.0.0.1"));
  });
  const proxy: ConnectProxy = { ...(await listen(server)), asked, refusal: undefined };
  return proxy;
}

/** A port of loopback that nothing listens on. */
export async function closedPort(): Promise<number> {
  const { port, close } = await listen(createTcpServer());
  await close();
  return port;
}

function join(one: Socket, other: Socket): void {
  one.on("error", () => other.destroy()).on("close", () => other.destroy());
  other.on("error", () => one.destroy()).on("close", () => one.destroy());
  one.pipe(other).pipe(one);
}
