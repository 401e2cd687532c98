import { DiagnosticsError, error } from "../diagnostics/diagnostic";

/** The part of an environment that says how to leave it. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** Options of undici's `EnvHttpProxyAgent`; an empty text means that none is used. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** No proxy is asked for what runs on this machine, as Terraform does it. */
const ownHosts = "localhost,127.0.0.1,[::1]";

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in lower case, which counts first. An address without a scheme
 * is one of `http`. Throws `DiagnosticsError` for one that cannot be read; its text, which may hold a password, is not
 * repeated.
 */
export function readProxySettings(environment: ProxyEnvironment): ProxySettings {
  const httpProxy = proxyAddress(environment, "HTTP_PROXY");
  const noProxy = readName(environment, "NO_PROXY").trim();
  return {
    httpProxy,
    httpsProxy: proxyAddress(environment, "HTTPS_PROXY") || httpProxy,
    noProxy: noProxy === "*" ? noProxy : [noProxy, ownHosts].filter((text) => text !== "").join(","),
  };
}

const readName = (environment: ProxyEnvironment, name: string): string =>
  environment[name.toLowerCase()] ?? environment[name] ?? "";

function proxyAddress(environment: ProxyEnvironment, name: string): string {
  const text = readName(environment, name).trim();
  if (text === "") return "";
  const address = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new DiagnosticsError([
    error("config.invalid", `${name} is not the address of a proxy`, {
      hint: `write it as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with %40 for an @ in the password`,
    }),
  ]);
}
