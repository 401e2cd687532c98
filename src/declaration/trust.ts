import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { ProcessEnvironment } from "../model/target-location";
import { realOf } from "./project-files";

/** Permissions of a manifest: programs, variables and files of this machine (DESIGN section 15). */
export interface Trust {
  /** `--untrusted`: it comes from someone who may not see secrets. */
  readonly isUntrusted: boolean;
  /** The setting that forbids programs; undefined: they may run. */
  readonly commandsForbiddenBy?: keyof typeof commandHints;
  readonly isAllowed: (name: string) => boolean;
  /**
   * True if a stage may keep its state at an address, which gets our credentials. `RNV_ALLOW_STATE` lists the addresses
   * of untrusted manifests, `https://git.example.com/state/*` for all that begin so.
   */
  readonly mayKeepState: (address: string) => boolean;
  /** True if a manifest may read a variable: all of them, or where it is not trusted those of `RNV_ALLOW_ENV`. */
  readonly mayRead: (name: string) => boolean;
}

interface TrustSettings {
  readonly environment: ProcessEnvironment;
  readonly untrusted?: boolean | undefined;
}

/** Reads `RNV_ALLOW_COMMANDS` and `RNV_ALLOW_ENV` (names with commas between them; `SHOP_*` for all that begin so). */
export function trustOf({ environment, untrusted = false }: TrustSettings): Trust {
  const words = wordsOf(environment.RNV_ALLOW_ENV);
  const isAllowed = (name: string): boolean =>
    words.some((word) => (word.endsWith("*") ? name.startsWith(word.slice(0, -1)) : name === word));
  const setting = environment.RNV_ALLOW_COMMANDS?.trim() ?? "";
  const forbids = /^(0|false|no|off)$/i.test(setting) ? ("RNV_ALLOW_COMMANDS=0" as const) : undefined;
  const forbiddenBy = untrusted ? "--untrusted" : setting === forbiddenInTests ? setting : forbids;
  return {
    isUntrusted: untrusted,
    commandsForbiddenBy: forbiddenBy,
    isAllowed,
    mayRead: (name) => !untrusted || isAllowed(name),
    mayKeepState: (address) => !untrusted || isListed(environment.RNV_ALLOW_STATE, address),
  };
}

/** A star is behind a slash, so that it extends no host, and matches no query, which may name another server. */
const isListed = (list: string | undefined, address: string): boolean =>
  wordsOf(list).some((word) =>
    word.endsWith("/*") ? address.startsWith(word.slice(0, -1)) && !address.includes("?") : address === word,
  );

const wordsOf = (list = ""): readonly string[] => list.split(/[\s,]+/).filter((word) => word !== "");

/** The value of `RNV_ALLOW_COMMANDS` in tests of a manifest: no user has set it. */
export const forbiddenInTests = "rnv test";

export const commandHints = {
  "--untrusted": "run it from a branch that is trusted, or add --no-secrets to leave its value unchecked",
  "RNV_ALLOW_COMMANDS=0":
    "unset it where the manifest is trusted, or add --no-secrets to leave its value unchecked",
  [forbiddenInTests]: "no test runs a command of a manifest: give another value in the overlay of the test",
} as const;

/**
 * Credentials of rnv itself. A manifest is reviewed less strictly than a pipeline: it must not pass them on, and no
 * program that it names gets them.
 */
const ownCredentials = new Set([
  "RNV_API_KEY",
  "RNV_API_KEY_FILE",
  "RNV_STATE_KEY",
  "RNV_STATE_KEY_PREVIOUS",
  "RNV_STATE_HTTP_PASSWORD",
  "RNV_STATE_HTTP_CLIENT_PRIVATE_KEY_PEM",
  "TF_HTTP_PASSWORD",
  "TF_HTTP_CLIENT_PRIVATE_KEY_PEM",
  "RNV_GITLAB_TOKEN",
  "RNV_WEBHOOK_SECRET",
  // Whoever has the address of a webhook may write there.
  "RNV_WEBHOOK_URL",
]);

/** Also credentials of the state's store, which a service may well have under the same name. */
const storeCredential =
  /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|WEB_IDENTITY_TOKEN_FILE|CONTAINER_[A-Z_]+)$/;

export const isOwnCredential = (name: string): boolean => ownCredentials.has(name);

export const isCredential = (name: string): boolean => isOwnCredential(name) || storeCredential.test(name);

/**
 * Describes a file that rnv or git keep for themselves, for a message; undefined for any other file. `real` is its path
 * with links followed.
 */
export function ownFileAt(real: string, cwd: string, environment: ProcessEnvironment): string | undefined {
  const isNamedBy = (name: string): boolean => {
    const file = environment[name]?.trim();
    return file !== undefined && file !== "" && real === realOf(resolve(cwd, file));
  };
  if (isNamedBy("RNV_API_KEY_FILE")) return "holds the API key";
  if (["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"].some(isNamedBy))
    return "holds a token of the state's store";
  const folders = relative(realOf(cwd), real).split(sep);
  if (folders.includes(".git")) return "belongs to git";
  if (folders.includes(".rnv")) return "belongs to rnv";
  if (basename(real) === "state.key") return "holds the key of the state";
  const state = environment.RNV_STATE?.trim() ?? "";
  if (state === "" || /^[a-z0-9]+:\/\//i.test(state)) return undefined;
  const kept = join(realOf(dirname(resolve(cwd, state))), basename(state));
  return real === kept || real.startsWith(`${kept}.`) ? "belongs to the state" : undefined;
}

export const isOwnDocument = (text: string): boolean =>
  /^\s*\{\s*"format"\s*:\s*"rnv-/.test(text.slice(0, 200));

/** Tokens of the CI platform: a program that has one acts as the job. */
const isPlatformToken = (name: string): boolean =>
  /^(GITHUB_TOKEN|GH_TOKEN|ACTIONS_\w*TOKEN|CI_\w*(TOKEN|JWT|JWT_V\d|PASSWORD)|CI_REPOSITORY_URL)$/.test(
    name,
  );

/**
 * Returns the environment of the program of a stack: the caller's, without credentials of rnv. Tokens of the CI
 * platform are in it if `RNV_ALLOW_ENV` lists them.
 */
export function appEnvironment(environment: ProcessEnvironment): ProcessEnvironment {
  const { isAllowed } = trustOf({ environment });
  const isGiven = (name: string): boolean =>
    !isOwnCredential(name) && (!isPlatformToken(name) || isAllowed(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isGiven(name)));
}

/** Variables that programs need to start, to find their settings and the user's language. */
const commonVariables = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP",
    "XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR NO_COLOR CI",
    "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME HOMEDRIVE",
    "HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES",
  ].flatMap((names) => names.split(" ")),
);

/**
 * Returns the environment of a program that a manifest names: variables that every program needs, and those that
 * `permits` allows. Never a credential of rnv.
 */
export function commandEnvironment(
  environment: ProcessEnvironment,
  permits: (name: string) => boolean,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, text] of Object.entries(environment)) {
    if (text === undefined || isOwnCredential(name)) continue;
    if (commonVariables.has(name.toUpperCase()) || /^LC_/.test(name) || permits(name)) given[name] = text;
  }
  return given;
}
