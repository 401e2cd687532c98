/** The texts of all secrets. Only `secret.ts` writes it. */
export const secretTexts = new WeakMap<object, string>();

/** The text of a secret. Fenced: only `api/prepare-request.ts` and `api/redactor.ts` may import it. */
export function openSecret(secret: object): string {
  const text = secretTexts.get(secret);
  if (text === undefined) throw new Error("not a secret of this process");
  return text;
}
