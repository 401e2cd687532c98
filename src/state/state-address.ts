import { isLoopback } from "../api/http-transport";
import { type Diagnostic, error, failure } from "../diagnostics/diagnostic";

export type StateAddress =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "http"; readonly url: string }
  | {
      readonly kind: "s3";
      readonly bucket: string;
      readonly key: string;
      readonly region?: string;
      readonly endpoint?: string;
      readonly pathStyle?: boolean;
      readonly profile?: string;
    };

export type ParsedStateAddress =
  | { readonly address: StateAddress; readonly diagnostic?: undefined }
  | { readonly address?: undefined; readonly diagnostic: Diagnostic };

/**
 * `https://…` (`http://` for loopback), `s3://bucket/key?region=…&endpoint=…`, else a path. A text with another scheme
 * is an error and never a path: a typing mistake must not start a second, empty state.
 */
export function parseStateAddress(text: string): ParsedStateAddress {
  const scheme = /^(?:([a-z][a-z0-9+.-]+):[\\/]|(https?|s3):)/i.exec(text)?.slice(1).join("").toLowerCase();
  if (scheme === undefined) return { address: { kind: "file", path: text } };
  if (scheme === "s3") return parseS3(text);
  if (scheme !== "http" && scheme !== "https")
    return invalid(`the address of the state starts with ${scheme}://`, "use https://, s3:// or a path");
  if (!/^[^:]+:\/\/[^\\/]/.test(text))
    return invalid(
      "the address of the state is not written as one",
      "write https://example.com/…; ./ before a path that only looks like an address",
    );
  const wrong = checkEndpoint(text, "the address of the state");
  return wrong === undefined ? { address: { kind: "http", url: text } } : { diagnostic: wrong };
}

/** Returns the error in an address that state and credentials are sent to, or undefined. Its text is never repeated. */
export function checkEndpoint(text: string, what: string): Diagnostic | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return error("config.invalid", `${what} is not a URL`, {
      hint: "use an address such as https://example.com/state/shop",
    });
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?#]*@/.test(text))
    return error("config.insecure", `${what} holds a user name or a password`, {
      hint: "leave them out; set RNV_STATE_HTTP_USERNAME and RNV_STATE_HTTP_PASSWORD",
    });
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return error("config.insecure", `${what} sends the state to ${url.host} without encryption`, {
      hint: "use https://; http:// is for localhost only",
    });
  if (text.includes("#")) return error("config.invalid", `${what} has a fragment`, { hint: "leave # out" });
  return undefined;
}

/** Returns an address for messages, without its query, which may hold tokens. */
export function shownAddress(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}

const knownS3Settings = ["region", "endpoint", "path_style", "profile"];

function parseS3(text: string): ParsedStateAddress {
  const [, bucket, key, query] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})\/([^?#]+)(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (bucket === undefined || key === undefined)
    return invalid(
      "the address of the state does not name a bucket and a key",
      "use s3://bucket/path/state.json?region=eu-central-1",
    );
  if (key.split("/").some((part) => part === "" || part === "." || part === ".."))
    return invalid("the key of the state has an empty, . or .. part", "use a key such as team/state.json");
  const settings = new URLSearchParams(query);
  const unknown = [...settings.keys()].find((name) => !knownS3Settings.includes(name));
  if (unknown !== undefined)
    return invalid(
      `the address of the state has an unknown setting "${unknown}"`,
      `it knows ${knownS3Settings.join(", ")}`,
    );
  const endpoint = settings.get("endpoint") ?? undefined;
  const wrong = endpoint === undefined ? undefined : checkEndpoint(endpoint, "the endpoint of the state");
  if (wrong !== undefined) return { diagnostic: wrong };
  const region = settings.get("region") ?? undefined;
  if (region !== undefined && !/^[a-z0-9-]{1,64}$/.test(region))
    return invalid("the region of the state is not a region", "use a region such as eu-central-1");
  const pathStyle = settings.get("path_style") ?? undefined;
  if (pathStyle !== undefined && pathStyle !== "true" && pathStyle !== "false")
    return invalid("path_style of the state is not true or false", "use path_style=true, or leave it out");
  const profile = settings.get("profile") ?? undefined;
  return {
    address: {
      kind: "s3",
      bucket,
      key,
      region,
      endpoint,
      profile,
      pathStyle: pathStyle && pathStyle === "true",
    },
  };
}

const invalid = (summary: string, hint: string): ParsedStateAddress => ({
  diagnostic: error("config.invalid", summary, { hint }),
});

const usualSeconds = 60;
const mostSeconds = 3600;

/** Reads `RNV_STATE_TIMEOUT`, the seconds to wait for an answer of a remote state's server; in milliseconds. */
export function stateTimeout(environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment.RNV_STATE_TIMEOUT?.trim() || String(usualSeconds);
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= mostSeconds) return seconds * 1000;
  throw failure("config.invalid", "RNV_STATE_TIMEOUT is not a number of seconds", {
    hint: `use a whole number of seconds from 1 to ${mostSeconds}, or unset it for ${usualSeconds}`,
  });
}
