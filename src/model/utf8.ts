import { isAscii } from "node:buffer";

/** The text of bytes in UTF-8; what is not UTF-8 becomes U+FFFD. Most of what is read is ASCII, which needs no decoding. */
export function utf8Text(bytes: Uint8Array): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.toString(isAscii(view) ? "latin1" : "utf8");
}
