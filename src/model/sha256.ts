import { hash } from "node:crypto";

/** SHA-256 in hex of a text in UTF-8, or of bytes. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex");
