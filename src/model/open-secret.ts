/** The texts of all secrets. Only `secret.ts` writes it; only `src/api` may import this file. */
export const secretTexts = new WeakMap<object, string>();

/** The text of a secret. Fenced: the layer test allows this import in `src/api` only. */
export function openSecret(secret: object): string {
  const text = secretTexts.get(secret);
  if (text === undefined) throw new Error("not a secret of this process");
  return text;
}
