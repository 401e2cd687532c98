import { Secret } from "../model/secret";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A secret of `length` characters of 6 random bits each, safe in URLs and shells. */
export function randomSecret(randomBytes: (size: number) => Uint8Array, length: number): Secret {
  return new Secret(Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join(""));
}
