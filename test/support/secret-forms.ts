/** How a program may write a value that it repeats, by name. */
export const secretForms: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  JSON: (value) => JSON.stringify(value).slice(1, -1),
  "JSON in JSON": (value) => inJson(inJson(value)),
  "JSON in ASCII": (value) => inJson(value).replace(/[^\0-\x7f]/g, unicode),
  "\\uNNNN": (value) => value.replace(/[\s\S]/g, unicode),
  "\\xNN": (value) => hex(value).replace(/../g, "\\x$&"),
  hex,
  "hex in capitals": (value) => hex(value).toUpperCase(),
  base64,
  "base64 for URLs": (value) => Buffer.from(value).toString("base64url"),
  "base64 of base64": (value) => base64(base64(value)),
  "base64 of a pair": (value) => base64(`user:${value}`),
  "percent signs": encodeURIComponent,
  "percent signs in lower case": (value) =>
    encodeURIComponent(value).replace(/%../g, (found) => found.toLowerCase()),
  "percent signs twice": (value) => encodeURIComponent(encodeURIComponent(value)),
  "a form": (value) => new URLSearchParams([["", value]]).toString().slice(1),
  "HTML entities": (value) => inHtml(value).replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
  "HTML entities without quotes": (value) => inHtml(value),
  "single quotes of a shell": (value) => value.replaceAll("'", "'\\''"),
  "double quotes of a shell": (value) => value.replace(/["$`\\]/g, "\\$&"),
  "quotes of Python": (value) => value.replace(/['\\]/g, "\\$&"),
  capitals: (value) => value.toUpperCase(),
  "lower case": (value) => value.toLowerCase(),
};

const unicode = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);
const inHtml = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
function hex(value: string): string {
  return Buffer.from(value).toString("hex");
}
function base64(value: string): string {
  return Buffer.from(value).toString("base64");
}
