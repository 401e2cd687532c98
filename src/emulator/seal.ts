import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

/** Keeps variable values unreadable at rest and cursors and payload digests unforgeable. */
export interface Seal {
  close(text: string): string;
  open(sealed: string): string;
  /** Keyed SHA-256, hex. */
  digest(text: string): string;
}

const ivLength = 12;
const tagLength = 16;

/** AES-256-GCM under a 32-byte key. */
export function createSeal(key: Buffer = randomBytes(32)): Seal {
  return {
    close(text) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivLength));
      decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
      return Buffer.concat([
        decipher.update(bytes.subarray(ivLength + tagLength)),
        decipher.final(),
      ]).toString("utf8");
    },
    digest: (text) => createHmac("sha256", key).update(text).digest("hex"),
  };
}
