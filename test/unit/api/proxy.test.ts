import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { createHttpTransport } from "../../../src/api/http-transport";
import { readTransportError } from "../../../src/api/transport";
import { casesIn } from "../../support/rows";

type Setting = readonly [what: string, settings: Readonly<Record<string, string>>];
type Way = "opens" | "closes" | number;

/** A proxy that opens each tunnel to the same server, hangs up, or answers with a status. */
describe("a proxy", () => {
  let proxy: Server;
  let service: Server;
  let way: Way = "opens";
  const tunnels: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const listening = (server: Server) =>
    new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));

  beforeAll(async () => {
    service = createServer((_, response) => response.end('{"from":"service"}'));
    proxy = createServer();
    for (const server of [service, proxy])
      server.on("connection", (socket: Socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
      });
    await Promise.all([listening(service), listening(proxy)]);
    proxy.on("connect", ({ url = "", headers }, socket: Socket) => {
      tunnels.push(url);
      credentials.push(headers["proxy-authorization"]);
      if (way === "closes") socket.destroy();
      else if (way !== "opens") socket.end(`HTTP/1.1 ${way} No\r\ncontent-length: 0\r\n\r\n`);
      else {
        socket.write("HTTP/1.1 200 Opened\r\n\r\n");
        service.emit("connection", socket);
      }
    });
  });
  beforeEach(() => {
    way = "opens";
    tunnels.length = 0;
    credentials.length = 0;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all([service, proxy].map((server) => new Promise((resolve) => server.close(resolve))));
  });

  async function get(environment: Readonly<Record<string, string>>, url = "http://service.test:81/x") {
    const transport = createHttpTransport({ environment, connectTimeoutMs: 2000, exchangeTimeoutMs: 2000 });
    try {
      return (await transport.send({ method: "GET", url, headers: {} })).body;
    } catch (thrown) {
      return readTransportError(thrown);
    } finally {
      await transport.close();
    }
  }
  const address = () => `http://127.0.0.1:${portOf(proxy)}`;
  /** An environment in which the proxy stands for PROXY, and its host for HOST. */
  const environmentOf = (settings: Setting[1]) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, text]) => [
        name,
        text.replace("PROXY", address()).replace("HOST", `127.0.0.1:${portOf(proxy)}`),
      ]),
    );
  const nowhere = "http://127.0.0.1:1";

  it.each(casesIn<Setting>(join(__dirname, "by-proxy.json")))(
    "carries what is asked for, by %s",
    async (_, settings) => {
      expect(await get(environmentOf(settings))).toBe('{"from":"service"}');
      expect(tunnels).toEqual(["service.test:81"]);
    },
  );

  it("is told who asks", async () => {
    await get({ HTTP_PROXY: address().replace("//", "//me:pass%40word@") });
    expect(credentials).toEqual([`Basic ${Buffer.from("me:pass@word").toString("base64")}`]);
  });

  it.each(casesIn<Setting>(join(__dirname, "by-https-proxy.json")))(
    "is asked for a way to an https address, by %s",
    async (_, settings) => {
      way = 407;
      await get(environmentOf(settings), "https://service.test/x");
      expect(tunnels).toEqual(["service.test:443"]);
    },
  );

  it.each(casesIn<Setting>(join(__dirname, "without-proxy.json")))(
    "is not asked where there is %s",
    async (_, settings) => {
      await get(environmentOf(settings), "http://127.0.0.2:1/x");
      expect(tunnels).toEqual([]);
    },
  );

  it.each(["localhost", "127.0.0.1"])("is never asked for the way to this machine: %s", async (host) => {
    for (const NO_PROXY of ["", "other.test"]) {
      const url = `http://${host}:${portOf(service)}/x`;
      expect(await get({ HTTP_PROXY: nowhere, NO_PROXY }, url)).toBe('{"from":"service"}');
    }
  });

  it.each<[Way, object]>([
    [407, { reason: "refused_by_proxy", code: "PROXY_REFUSED", status: 407 }],
    [403, { reason: "refused_by_proxy", code: "PROXY_REFUSED", status: 403 }],
    [499, { reason: "refused_by_proxy", code: "PROXY_REFUSED", status: 499 }],
    [500, { reason: "not_sent", code: "PROXY_UNAVAILABLE" }],
    [502, { reason: "not_sent", code: "PROXY_UNAVAILABLE" }],
  ])("is told by its host where it answers %s: nothing was sent", async (answered, told) => {
    way = answered;
    const proxied = { ...told, proxy: `127.0.0.1:${portOf(proxy)}` };
    expect(await get({ HTTP_PROXY: address().replace("//", "//me:secret@") })).toEqual(proxied);
    expect(tunnels).toHaveLength(1);
  });

  it("is told by its host where it hangs up, or is not there: nothing was sent", async () => {
    way = "closes";
    const gone = { reason: "not_sent", proxy: `127.0.0.1:${portOf(proxy)}` };
    expect(await get({ HTTP_PROXY: address() })).toMatchObject(gone);
    const told = { reason: "not_sent", code: "ECONNREFUSED", proxy: "127.0.0.1:1" };
    expect(await get({ HTTP_PROXY: nowhere })).toEqual(told);
  });

  it.each(["http://", "ftp://proxy.test", "socks5://proxy.test:1080", "http://me:se cret@:x"])(
    "cannot be %s, which is not repeated",
    (text) => {
      for (const name of ["HTTP_PROXY", "HTTPS_PROXY"]) {
        const open = () => createHttpTransport({ environment: { [name]: text } });
        expect(open).toThrow(expect.objectContaining({ name: "DiagnosticsError" }));
        expect(open).toThrow(name);
        expect(open).not.toThrow(text);
      }
    },
  );
});
