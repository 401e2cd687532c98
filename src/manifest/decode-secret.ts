/** What became of a source of a secret; `problem` never holds the text. */
export type Fetched =
  | { readonly text: string }
  | {
      readonly problem: string;
      readonly detail?: string;
      readonly hint?: string;
      /** The source itself is not here; nothing is wrong with what it holds. */
      readonly isMissing?: boolean;
      /** The manifest is not trusted enough for it. */
      readonly isRefused?: boolean;
    };

/** UTF-8 text without one trailing newline; undefined when the bytes are not UTF-8. */
export function decodeSecret(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}
