import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createHttpTransport } from "../../src/api/http-transport";
import type { WireRequest, WireResponse } from "../../src/api/transport";
import type { Told } from "./remote-faults";

export interface SeenOnWire {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}

/** What a server says to one request; whatever is thrown closes the connection. */
type Answering = (seen: SeenOnWire) => Promise<Told>;

const idHeader = "x-case";

/** A real HTTP server on loopback, for cases that are played over sockets. */
export class Wire {
  readonly #transport = createHttpTransport();
  readonly #answering = new Map<string, Answering>();
  #ids = 0;

  private constructor(
    readonly origin: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Wire> {
    const server = createServer((request, response) => {
      wire.#serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const wire: Wire = new Wire(`http://127.0.0.1:${port}`, () => {
      void wire.#transport.close();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    });
    return wire;
  }

  /** Sends a request, to be answered so. */
  async send(request: WireRequest, answering: Answering): Promise<WireResponse> {
    this.#ids += 1;
    const id = String(this.#ids);
    this.#answering.set(id, answering);
    return this.#transport.send({ ...request, headers: { ...request.headers, [idHeader]: id } });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = "", url: path = "", headers } = request;
    const answering = this.#answering.get(String(headers[idHeader]));
    if (answering === undefined) throw new Error("no request was sent");
    const told = await answering({ method, path, body: Buffer.concat(parts).toString("utf8"), headers });
    const body = Buffer.from(told.body ?? "");
    response.writeHead(told.status, { "content-length": body.length, ...told.headers });
    if (told.breaks !== undefined) {
      response.write(body.subarray(0, body.length / 2), () => response.destroy());
      return;
    }
    if (told.trickles === undefined) return void response.end(body);
    for (let at = 0; at < body.length; at += 499) {
      response.write(body.subarray(at, at + 499));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  }
}
