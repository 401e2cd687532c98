import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { createHttpTransport } from "../../../src/api/http-transport";
import type { Transport } from "../../../src/api/transport";
import { readTransportError } from "../../../src/api/transport";
import { type Listening, listen } from "../../support/listen";

const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/answered": (_, response) => response.end("{}"),
  "/reset": (request) => request.socket.resetAndDestroy(),
  "/truncated": (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"half":', () => response.destroy());
  },
  "/redirect": (_, response) => response.writeHead(302, { location: "/answered" }).end(),
  "/huge": (_, response) => response.end("x".repeat(20_000)),
  "/silent": () => {},
  "/interim": (_, response) => everyMoment(response, () => response.writeProcessing()),
  "/dripping": (_, response) => {
    response.writeHead(200, { "content-length": "100000" });
    everyMoment(response, () => response.write(" "));
  },
  "/dripping-headers": (_, response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\n");
    everyMoment(response, () => response.socket?.write("x-more: 1\r\n"));
  },
};

/** Well within the deadline, again and again: something always comes, and never the whole answer. */
function everyMoment(response: ServerResponse, say: () => void): void {
  const timer = setInterval(say, 20);
  response.once("close", () => clearInterval(timer));
}

describe("the HTTP transport", () => {
  let server: Listening;
  let transport: Transport;
  const asked: string[] = [];

  beforeAll(async () => {
    const answering = createServer((request, response) => {
      asked.push(request.url ?? "");
      routes[request.url ?? ""]?.(request, response);
    });
    server = await listen(answering);
    // The first request of all loads undici, which takes longer than the deadline of this transport on a busy machine.
    await createHttpTransport().send({ method: "GET", url: `${server.url}/answered`, headers: {} });
    transport = createHttpTransport({ maxResponseBytes: 10_000, exchangeTimeoutMs: 1500 });
  });
  afterAll(async () => {
    await transport.close();
    await server.close();
  });

  const send = (path: string, signal?: AbortSignal) =>
    transport.send({ method: "POST", url: server.url + path, headers: {}, body: "{}", signal });
  const reasonOf = async (path: string) => {
    const thrown = await send(path).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(thrown).toMatchObject({ message: expect.any(String) });
    return readTransportError(thrown).reason;
  };

  it("reuses sockets", async () => {
    const before = server.connections();
    const fresh = createHttpTransport();
    for (let i = 0; i < 8; i += 1)
      await fresh.send({ method: "GET", url: `${server.url}/answered`, headers: {} });
    // The next request may come before a socket is given back.
    expect(server.connections() - before).toBeLessThanOrEqual(2);
    await fresh.close();
  });

  it("sends as many requests at once as it is given", async () => {
    const waiting: ServerResponse[] = [];
    routes["/together"] = (_, response) => {
      waiting.push(response);
      if (waiting.length === 40) for (const each of waiting) each.end("{}");
    };
    const answers = await Promise.all(Array.from({ length: 40 }, () => send("/together")));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  });

  it("rejects a reset and a truncated body as broken, silence as late, each sent once", async () => {
    asked.length = 0;
    expect(await reasonOf("/reset")).toBe("broken");
    expect(await reasonOf("/truncated")).toBe("broken");
    expect(await reasonOf("/silent")).toBe("late");
    expect(asked).toEqual(["/reset", "/truncated", "/silent"]);
  });

  it.each(["/dripping", "/dripping-headers", "/interim"])(
    "rejects as late what keeps coming and does not end: %s",
    async (path) => {
      expect(await reasonOf(path)).toBe("late");
    },
  );

  it("rejects an answer over its cap as too large", async () => {
    expect(await reasonOf("/huge")).toBe("too_large");
  });

  it("rejects a refused connection as not sent", async () => {
    const closed = await listen(createServer());
    await closed.close();
    const thrown = await transport
      .send({ method: "GET", url: closed.url, headers: {} })
      .catch((reason: unknown) => reason);
    expect(readTransportError(thrown)).toEqual({ reason: "not_sent", code: "ECONNREFUSED" });
  });

  it("does not follow a redirect", async () => {
    asked.length = 0;
    expect(await send("/redirect")).toMatchObject({ status: 302, headers: { location: "/answered" } });
    expect(asked).toEqual(["/redirect"]);
  });

  it("rejects with the reason of an aborted signal", async () => {
    const reason = new Error("stopped");
    await expect(send("/answered", AbortSignal.abort(reason))).rejects.toBe(reason);
    const stop = new AbortController();
    const silent = send("/silent", stop.signal);
    setImmediate(() => stop.abort(reason));
    await expect(silent).rejects.toBe(reason);
  });

  it("rejects as not sent when no connection stands in time", async () => {
    // It takes the connection and says nothing: TLS never stands.
    const deaf = await listen(createTcpServer((socket) => socket.resume()));
    const impatient = createHttpTransport({ connectTimeoutMs: 50 });
    const thrown = await impatient
      .send({ method: "GET", url: `https://127.0.0.1:${deaf.port}/`, headers: {} })
      .catch((reason: unknown) => reason);
    expect(readTransportError(thrown)).toEqual({ reason: "not_sent", code: "ETIMEDOUT" });
    await impatient.close();
    await deaf.close();
  });
});
