import type { Terminal } from "./terminal";

/** Bytes: more than a manifest may hold, so that its reader says that it is too large. */
const mostBytes = 4 * 1024 * 1024 + 1;

/** Reads standard input to its end, or until it is too large for a manifest. */
export async function readStandardInput({ stdin }: Pick<Terminal, "stdin">): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part as string | Uint8Array);
    parts.push(bytes);
    size += bytes.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(parts);
}
