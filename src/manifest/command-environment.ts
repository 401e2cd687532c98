import { isOwnCredential } from "./own-credentials";

type Environment = Readonly<Record<string, string | undefined>>;

/** What programs need to start, to find their settings and to speak the user's language; on Windows more than elsewhere. */
const usual = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP"],
  ...["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "NO_COLOR", "CI"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "HOMEDRIVE"],
  ...["HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES"],
]);

/**
 * The environment of a program that a manifest names: what every program needs, and what `permits` says yes to. Never
 * a credential of rnv.
 */
export function commandEnvironment(
  environment: Environment,
  permits: (name: string) => boolean,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, text] of Object.entries(environment)) {
    if (text === undefined || isOwnCredential(name)) continue;
    const isUsual = usual.has(name.toUpperCase()) || /^LC_/.test(name);
    if (isUsual || permits(name)) given[name] = text;
  }
  return given;
}
