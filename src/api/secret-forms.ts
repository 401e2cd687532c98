/** A scheme alone tells nothing, and stands in every address. */
const isScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/$/i.test(text);

/**
 * The texts by which a secret may be repeated: as it is, without the space around it, each of its lines, and the
 * password of an address; each of them also as JSON, URLs and base64 write it.
 */
export function secretForms(secret: string): ReadonlySet<string> {
  const trimmed = secret.trim();
  const lines = trimmed.includes("\n") ? trimmed.split(/[\r\n]+/).map((line) => line.trim()) : [];
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]*?:([^/\s]+)@/i.exec(trimmed)?.[1];
  const parts = [secret, trimmed, ...lines, ...(password === undefined ? [] : [password, decoded(password)])];
  return new Set(parts.filter((part) => part !== "" && !isScheme(part)).flatMap(encodings));
}

function encodings(text: string): readonly string[] {
  const base64 = [0, 1, 2].flatMap((shift) => base64At(text, shift));
  if (/^[\w.~-]*$/.test(text)) return [text, ...base64, ...base64.map(urlSafe)];
  const json = JSON.stringify(text).slice(1, -1);
  const component = encoded(text, encodeURIComponent);
  const urls = [component, encoded(text, encodeURI), component.replaceAll("%20", "+"), formEncoded(text)];
  return [
    text,
    json,
    json.replaceAll("/", "\\/"),
    json.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
    ...urls,
    ...urls.map((url) => url.replace(/%[0-9A-F]{2}/g, (pair) => pair.toLowerCase())),
    ...base64,
    ...base64.map(urlSafe),
  ];
}

const urlSafe = (base64: string): string => base64.replaceAll("+", "-").replaceAll("/", "_");

/** Half of a pair of surrogates cannot be written in a URL. */
function encoded(text: string, encode: (text: string) => string): string {
  try {
    return encode(text);
  } catch {
    return text;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/** Base64 of a text that stands `shift` bytes (modulo 3) after the start: what does not depend on its neighbours. */
function base64At(text: string, shift: number): readonly string[] {
  const bytes = Buffer.from(`${"\0".repeat(shift)}${text}`);
  const whole = bytes.toString("base64");
  const inner = whole.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
  return shift === 0 ? [whole, whole.replace(/=+$/, ""), inner] : [inner, whole.slice(shift + 1)];
}
