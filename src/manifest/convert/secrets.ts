import { isPublicName, isSecretName } from "../trust";

/** Names that often hold a secret: what a file of another tool shows in the open must not be copied. */
const often = /(PASSWORD|REQUIREPASS)$|(^|_)(SALT|PW|PWD|PASS|AUTH|SECRET_KEY_BASE)$|_KEYS?$/i;

/** Nothing, a flag, or the path of a file. */
const harmless = /^(|true|false|yes|no|on|off|none|\.{0,2}(\/[\w.-]+)+\.\w+)$/i;

/** Returns true if the name says that its text, where that is known, is a secret or may be one. */
export const mayBeSecret = (name: string, text = name): boolean =>
  isSecretName(name) || (often.test(name) && !isPublicName(name) && !harmless.test(text));

/** `password=text`, `--api-key text`; a text that begins with a variable is none, but for its default. */
const assigned =
  /(?<![\w-])([\w-]+=|--(?!no-)[\w-]+\s+(?!-))(?=[\\"']*(?:\$+\{\w+:?-([^\s"'}]+)|([^\s"'$\\][^\s"']*)))/g;

/** `${PASSWORD:-text}` */
const fallback = /\$\{(\w+):?[-=]([^}]+)/g;

/** `user:password@` of an address, where a variable with a default counts as a password; `Bearer text` of a header. */
const credential =
  /\bBearer\s+[^\s"'$\\]|\/\/(?:\$+\{[^{}]*\}|[^/@\s{}])*:(?:\$+\{[\w.]+:?[-?][^{}]+\}|[^/@\s${}])+@/;

/** Returns true if a secret stands in a text. */
export const holdsSecret = (text: string): boolean =>
  credential.test(text) ||
  [...text.matchAll(assigned), ...text.matchAll(fallback)].some(([, name = "", inner, value = inner]) =>
    mayBeSecret(name.replace(/^-+|[=\s]+$/g, "").replaceAll("-", "_"), value),
  );

/** Why the text of a variable is not copied, "" where its name says that; undefined if it may be copied. */
export function whyWithheld(key: string, text: string, value: string | undefined = text): string | undefined {
  if (holdsSecret(text)) return "it holds a password";
  if (isSecretName(key)) return "";
  return mayBeSecret(key, value) ? "it may be a secret" : undefined;
}
