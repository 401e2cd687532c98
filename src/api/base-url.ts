import { type Diagnostic, error } from "../diagnostics/diagnostic";

/** Whether a host of a URL is this machine: plain HTTP is allowed there alone. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

/** Scheme, authority and path as they are written; a query or a fragment is told apart before. */
const written = /^(https?):\/\/([^\s\\/?#@]+)(\/[\x21-\x7e]*)?$/i;

/**
 * Returns the error in a base URL, or undefined. It is https (http for loopback hosts only), ending in `/api/v1`,
 * without credentials, query or fragment, and written as it is read: a URL reader forgives `https:/\\host`, tabs and
 * other digits, and the key would go where nobody sees it go. The text is never repeated when it may hold a password.
 */
export function checkBaseUrl(text: string): Diagnostic | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return error("config.invalid", "the base URL is not a URL", {
      hint: "set RNV_BASE_URL to an address such as https://api.example.com/api/v1",
    });
  }
  if (url.username !== "" || url.password !== "" || text.includes("@")) {
    return error("config.insecure", "the base URL holds a user name or a password", {
      hint: "leave them out; the key goes into RNV_API_KEY or RNV_API_KEY_FILE",
    });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return error("config.invalid", `the base URL starts with ${url.protocol}//`, { hint: "use https://" });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return error("config.insecure", `the base URL sends the API key to ${url.host} without encryption`, {
      hint: "use https://; http:// is for localhost only",
    });
  }
  if (text.includes("?") || text.includes("#")) {
    return error("config.invalid", "the base URL has a query or a fragment", { hint: "end it in /api/v1" });
  }
  const [, , host = "", path = ""] = written.exec(text) ?? [];
  const isRead = path === url.pathname || (path === "" && url.pathname === "/");
  if (!isRead || !isHostOf(host, url))
    return error("config.insecure", `the base URL is read as ${url.href}, which is not how it is written`, {
      hint: `if that is where the API key shall go, write it so`,
    });
  if (!path.endsWith("/api/v1")) {
    return error("config.invalid", "the base URL does not end in /api/v1", {
      hint: `try ${url.origin}/api/v1`,
    });
  }
  return undefined;
}

/** In lower case, and with or without the port that goes without saying. */
function isHostOf(host: string, { host: read, hostname, protocol }: URL): boolean {
  const port = protocol === "https:" ? 443 : 80;
  return [read, `${hostname}:${port}`].includes(host.toLowerCase());
}
