import type * as https from "node:https";
import type { Socket } from "node:net";
import { unescape as decode } from "node:querystring";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../model/text";

/** The proxy for URLs of each protocol, and which hosts need none. */
export interface ProxySettings {
  readonly "http:": URL | undefined;
  readonly "https:": URL | undefined;
  readonly isDirect: (host: string, port: number) => boolean;
}

/** This machine needs no proxy, as in Terraform. */
const ownHosts = "localhost,127.0.0.1,[::1]";

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in lower case, which counts first. An address without a scheme
 * gets `http`. Throws `DiagnosticsError` for one that cannot be read; its text, which may hold a password, is not
 * repeated.
 */
export function readProxySettings(environment: ProcessEnvironment): ProxySettings {
  const httpProxy = readAddress(environment, "HTTP_PROXY");
  const noProxy = readName(environment, "NO_PROXY").trim();
  const entries = `${noProxy},${ownHosts}`.split(/[,\s]+/).filter((text) => text !== "");
  const areDirect = entries.map(readEntry);
  return {
    "http:": httpProxy,
    "https:": readAddress(environment, "HTTPS_PROXY") ?? httpProxy,
    isDirect: (host, port) => noProxy === "*" || areDirect.some((isDirect) => isDirect(host, port)),
  };
}

const readName = (environment: ProcessEnvironment, name: string): string =>
  environment[name.toLowerCase()] ?? environment[name] ?? "";

/** `HOST`, `.HOST` or `*.HOST`, each with its subdomains; with `:PORT` for that port alone. */
function readEntry(entry: string): ProxySettings["isDirect"] {
  const [, name = entry, only] = /^(.+):(\d+)$/.exec(entry) ?? [];
  const suffix = name.replace(/^\*?\./, "").toLowerCase();
  return (host, port) =>
    (only === undefined || Number(only) === port) && (host === suffix || host.endsWith(`.${suffix}`));
}

function readAddress(environment: ProcessEnvironment, name: string): URL | undefined {
  const text = readName(environment, name).trim();
  if (text === "") return undefined;
  const address = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address);
  throw new DiagnosticsError([
    error("config.invalid", `${name} is not the address of a proxy`, {
      hint: `write it as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with %40 for an @ in the password`,
    }),
  ]);
}

/** A host, without the brackets of an address of IPv6, and its port. */
interface Target {
  readonly host: string;
  readonly port: number;
}

const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** Returns the proxy that leads to the target, or undefined where it is reached without one. */
export function proxyFor(settings: ProxySettings, protocol: string, { host, port }: Target): URL | undefined {
  const proxy = settings[protocol === "https:" ? "https:" : "http:"];
  return proxy === undefined || settings.isDirect(inUrl(host).toLowerCase(), Number(port))
    ? undefined
    : proxy;
}

/**
 * Asks a proxy for a tunnel (`CONNECT`). Rejects with `PROXY_REFUSED` or `PROXY_UNAVAILABLE` and the status where it
 * opens none, else with the code of the system; always with `proxy`, its host.
 */
export function openTunnel(proxy: URL, { host, port }: Target, timeoutMs: number): Promise<Socket> {
  const client = proxy.protocol === "https:" ? require("node:https") : require("node:http");
  const { request } = client as typeof https;
  const path = `${inUrl(host)}:${port}`;
  const about = { proxy: proxy.host };
  return new Promise((resolve, reject) => {
    const asking = request({
      ...{ method: "CONNECT", path, agent: false, host: proxy.hostname.replace(/^\[|\]$/g, "") },
      ...(proxy.port !== "" && { port: proxy.port }),
    });
    asking.setHeader("host", path);
    const credentials = readCredentials(proxy);
    if (credentials !== undefined) asking.setHeader("proxy-authorization", credentials);
    const timer = setTimeout(() => asking.destroy(notConnected(timeoutMs)), timeoutMs);
    asking.once("close", () => clearTimeout(timer));
    asking.once("error", (cause: NodeJS.ErrnoException) => {
      const { code = "PROXY_UNAVAILABLE", syscall } = cause;
      reject(Object.assign(new Error("no tunnel"), { ...about, code, syscall, cause }));
    });
    asking.once("connect", ({ statusCode: status = 0 }, socket, early) => {
      clearTimeout(timer);
      if (early.length > 0) socket.unshift(early);
      if (status === 200) return resolve(socket as Socket);
      socket.on("error", () => undefined).destroy();
      const code = status >= 500 ? "PROXY_UNAVAILABLE" : "PROXY_REFUSED";
      reject(Object.assign(new Error(`the proxy answered ${status}`), { ...about, code, status }));
    });
    asking.end();
  });
}

function readCredentials({ username, password }: URL): string | undefined {
  if (username === "") return undefined;
  const text = `${decode(username)}:${decode(password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** Destroys a socket whose connection, TLS included, does not stand in time. Returns the socket. */
export function limitConnecting(socket: Socket, milliseconds: number): Socket {
  const timer = setTimeout(() => socket.destroy(notConnected(milliseconds)), milliseconds);
  const end = (): void => clearTimeout(timer);
  socket.once("encrypted" in socket ? "secureConnect" : "connect", end).once("close", end);
  return socket;
}

const notConnected = (milliseconds: number): Error =>
  Object.assign(new Error(`no connection within ${milliseconds} ms`), {
    code: "ETIMEDOUT",
    syscall: "connect",
  });
