import type { ProcessEnvironment } from "../model/target-location";

/**
 * Names that end in a word for secrets: tokens of CI (`GITHUB_TOKEN`, `CI_JOB_TOKEN`, `NPM_TOKEN`), passwords and
 * private keys. `KEY` alone is no such word (`CACHE_KEY`, `SSH_PUBLIC_KEY`), nor is one in the middle
 * (`TOKEN_LIFETIME`).
 */
const secretEnding =
  /(^|_)(TOKEN|JWT|JWT_V2|SECRET|\w*PASSWORD|PASSWD|PASS|\w+_PWD|\w+_PW|\w+_SALT|SECRET_KEY_BASE|APIKEY|AUTHTOKEN|PASSPHRASE|CREDENTIALS|PAT|(API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|ACCOUNT)_KEY|ACCESS_KEY_ID|PRIVATE_KEY_PEM)$/i;
/** Frameworks put such a value into the pages that everybody loads. */
const isPublicName = (name: string): boolean =>
  /(^|_)(PUBLIC|PUBLISHABLE)_/i.test(name) || /^(VITE|REACT_APP|EXPO)_/.test(name);

export const isSecretName = (name: string): boolean => secretEnding.test(name) && !isPublicName(name);

/** Names that often hold a secret: a conversion must not copy their texts from the file of another tool. */
const likelySecretName = /(PASSWORD|REQUIREPASS)$|(^|_)(SALT|PW|PWD|PASS|AUTH|SECRET_KEY_BASE)$|_KEYS?$/i;

/** Nothing, a flag, or the path of a file. */
const harmless = /^(|true|false|yes|no|on|off|none|\.{0,2}(\/[\w.-]+)+\.\w+)$/i;

/** Returns true if the name says that its text, where that is known, is a secret or may be one. */
export const mayBeSecret = (name: string, text = name): boolean =>
  isSecretName(name) || (likelySecretName.test(name) && !isPublicName(name) && !harmless.test(text));

/** `password=text`, `--api-key text`; a text that begins with a variable is none, but for its default. */
const assigned =
  /(?<![\w-])([\w-]+=|--(?!no-)[\w-]+\s+(?!-))(?=[\\"']*(?:\$+\{\w+:?-([^\s"'}]+)|([^\s"'$\\][^\s"']*)))/g;

const fallback = /\$\{(?:env\.)?(\w+):?[-=]([^}]+)/g;

/** The password of `//user:password@`, where a variable with a default counts as a password. */
const addressed = /\/\/(?:\$+\{[^{}]*\}|[^/@\s{}])*:((?:\$+\{[\w.]+:?[-?][^{}]+\}|[^/@\s${}])+)@/;

/** Tokens and keys in the form in which a platform issues them. */
const issued =
  /(?<![\w-])(?:(?:[rs]k_live_|whsec_|gh[oprsu]_|github_pat_|glpat-|npm_(?=\w{36})|rnv_(?=\w{16})(?=\w*\d)|xox[a-z]-|sk-(?:ant|proj)-|AIza)[\w-]{8,}|A[KS]IA[A-Z0-9]{16}(?!\w)|eyJ[\w-]{8,}\.[\w-]{8,})|-----BEGIN [A-Z ]*PRIVATE KEY/;

export const holdsSecret = (text: string): boolean =>
  [/\bBearer\s+[^\s"'$\\]/, addressed, issued].some((form) => form.test(text)) ||
  [...text.matchAll(assigned), ...text.matchAll(fallback)].some(([, name = "", inner, value = inner]) =>
    mayBeSecret(name.replace(/^-+|[=\s]+$/g, "").replaceAll("-", "_"), value),
  );

export const addressHoldsSecret = (address: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(address) ||
  (/^https?:/i.test(address) &&
    /[?&][^=&]*(token|secret|passw|key|sig|auth|credential)[^=&]*=/i.test(address));

/** `<your token>`, `changeme`, `xxx`, `...` */
const placeholder =
  /^[\p{P}\p{S}\s]*$|^(?:\{.*\}|\[.*\]|%.*%|__.*__)$|<[^<>]*>|x{3,}$|change[-_ ]?me|example|placeholder|(?:^|[-_ ])(?:your|todo|dummy|replace|insert|redacted)(?:[-_ ]|$)/iu;

/** Returns true if a text is a secret by its form or by the name of its variable, and no placeholder of one. */
export function looksSecret(text: string, name = ""): boolean {
  const isNamed = isSecretName(name) && !text.includes("${") && !harmless.test(text);
  const found = [addressed.exec(text)?.[1], issued.exec(text)?.[0], isNamed ? text : undefined];
  return found.some((part) => part !== undefined && !placeholder.test(part));
}

/** Masks the texts of variables that look secret, of four characters or more. */
export const maskVariables = (text: string, environment: ProcessEnvironment): string =>
  Object.entries(environment)
    .filter(([name, value = ""]) => value.length > 3 && looksSecret(value, name))
    .reduce((shown, [, value = ""]) => shown.replaceAll(value, "(sensitive)"), text);

/** Returns the reason not to copy the text of a variable, "" where its name says it; undefined if it may be copied. */
export function reasonToWithhold(key: string, text: string): string | undefined {
  if (holdsSecret(text)) return "it holds a password";
  if (isSecretName(key)) return "";
  return mayBeSecret(key, text) ? "it may be a secret" : undefined;
}

/** Nothing but names of other values, such as `${rnv_service.api.url}`; not `${text}` or `${env.PASSWORD-text}`. */
export const onlyNames =
  /^(?:\$\{(?!env\.\w+-)(?:rnv_\w+|data|deployment|env|layout|local|project|service|stage|var|variable)\.[\w.\-[\]]+\})+$/;

/** `DATABASE_URL`: no key of ours is written so. */
export const isVariableName = (key: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(key);

/** Returns true if a frame may show a value. */
export function mayShow(value: unknown, isOpen: boolean): boolean {
  if (typeof value !== "string") return isOpen || value === null;
  return onlyNames.test(value) || (isOpen && !holdsSecret(value) && !/\bsensitive\(/.test(value));
}

/** Stars out parts of a text, or puts another mark there; blanks and offsets stay. */
export function star(text: string, ranges: readonly (readonly [number, number])[], mark = "*"): string {
  let shown = "";
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    shown += text.slice(shown.length, Math.max(shown.length, start));
    shown += text.slice(shown.length, end).replace(/\S/g, mark);
  }
  return shown + text.slice(shown.length);
}
