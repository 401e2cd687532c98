import { createServer } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createHttpTransport } from "../../../src/api/http-transport";
import { readTransportError } from "../../../src/api/transport";
import { type Listening, listen } from "../../support/listen";
import { casesIn } from "../../support/rows";

type Setting = readonly [what: string, settings: Readonly<Record<string, string>>];
type Way = "opens" | "closes" | number;

/** A proxy that opens each tunnel to the same server, hangs up, or answers with a status. */
describe("a proxy", () => {
  let proxy: Listening;
  let service: Listening;
  let way: Way = "opens";
  const tunnels: string[] = [];
  const credentials: (string | undefined)[] = [];

  beforeAll(async () => {
    const answering = createServer((_, response) => response.end('{"from":"service"}'));
    const tunnelling = createServer();
    for (const server of [answering, tunnelling])
      server.on("connection", (socket: Socket) => socket.on("error", () => {}));
    tunnelling.on("connect", ({ url = "", headers }, socket: Socket) => {
      tunnels.push(url);
      credentials.push(headers["proxy-authorization"]);
      if (way === "closes") socket.destroy();
      else if (way !== "opens") socket.end(`HTTP/1.1 ${way} No\r\ncontent-length: 0\r\n\r\n`);
      else {
        socket.write("HTTP/1.1 200 Opened\r\n\r\n");
        answering.emit("connection", socket);
      }
    });
    [service, proxy] = await Promise.all([listen(answering), listen(tunnelling)]);
  });
  beforeEach(() => {
    way = "opens";
    tunnels.length = 0;
    credentials.length = 0;
  });
  afterAll(() => Promise.all([service, proxy].map(({ close }) => close())));

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
  /** An environment in which the proxy stands for PROXY, and its host for HOST. */
  const environmentOf = (settings: Setting[1]) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, text]) => [
        name,
        text.replace("PROXY", proxy.url).replace("HOST", `127.0.0.1:${proxy.port}`),
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
    await get({ HTTP_PROXY: proxy.url.replace("//", "//me:pass%40word@") });
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
      const url = `http://${host}:${service.port}/x`;
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
    const proxied = { ...told, proxy: `127.0.0.1:${proxy.port}` };
    expect(await get({ HTTP_PROXY: proxy.url.replace("//", "//me:secret@") })).toEqual(proxied);
    expect(tunnels).toHaveLength(1);
  });

  it("is told by its host where it hangs up, or is not there: nothing was sent", async () => {
    way = "closes";
    const gone = { reason: "not_sent", proxy: `127.0.0.1:${proxy.port}` };
    expect(await get({ HTTP_PROXY: proxy.url })).toMatchObject(gone);
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
