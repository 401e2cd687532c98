import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isMissing, readNamed } from "../declaration/project-files";
import { type Diagnostic, DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { reasonOf } from "../model/file-error";
import type { ProcessEnvironment } from "../model/target-location";
import { makeIgnoredFolder } from "../state/node-disk";
import { isJob } from "./ci/job";
import { makeFolder, writeWholeFile } from "./files";

/** A workspace that `rnv login` saved under a name. A separate file holds its key. */
interface Profile {
  readonly baseUrl: string;
  readonly workspaceId: string;
}

export interface UsedProfile {
  readonly name: string;
  /** The error in the profile. Only verbs that connect report it. */
  readonly problem?: Diagnostic;
}

/** The built-in profile of the embedded platform, which needs no login. */
export const embeddedProfile = "embedded";

/** Returns the problem with the name of a profile to save, if any. */
export const checkProfileName = (name: string): string | undefined => {
  if (name === embeddedProfile) return `the profile "${embeddedProfile}" is built in and needs no login`;
  if (/^(?!rnv_)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return undefined;
  return `a profile name has letters, digits, ".", "_" and "-", at most 64; only a key begins with rnv_`;
};

/** Returns the absolute path of a file in the user's folder of profiles: `profiles.json`, or `NAME.key` for a key. */
export function configFile(environment: ProcessEnvironment, file: string): string {
  const folder = process.platform === "win32" ? environment.APPDATA : environment.XDG_CONFIG_HOME;
  return join(folder && isAbsolute(folder) ? folder : join(homedir(), ".config"), "rnv", file);
}

/** Reads the profiles of the user. Throws `DiagnosticsError` for an unreadable file. */
export function readProfiles(environment: ProcessEnvironment): ReadonlyMap<string, Profile> {
  const path = configFile(environment, "profiles.json");
  try {
    const parsed: Readonly<Record<string, Profile>> = JSON.parse(readNamed(path, 1024 * 1024));
    const profiles = Object.entries(parsed).map(([name, { baseUrl, workspaceId }]): [string, Profile] => [
      name,
      { baseUrl: String(baseUrl), workspaceId: String(workspaceId) },
    ]);
    return new Map(profiles);
  } catch (cause) {
    if (isMissing(cause)) return new Map();
    const why = "code" in (cause as Error) ? reasonOf(cause) : "it is not the JSON of profiles";
    throw failure("config.invalid", `cannot read ${path}: ${why}`);
  }
}

/** Saves a profile, and its key for the user alone. Throws `DiagnosticsError`. */
export function saveProfile(environment: ProcessEnvironment, name: string, profile: Profile, key: string) {
  const profiles = Object.fromEntries([...readProfiles(environment), [name, profile]]);
  makeFolder(configFile(environment, "."), 0o700);
  writeWholeFile(configFile(environment, `${name}.key`), `${key}\n`);
  writeWholeFile(configFile(environment, "profiles.json"), `${JSON.stringify(profiles, null, 2)}\n`);
}

const folderFile = join(".rnv", "profile");

export function profileOfFolder(cwd: string): string | undefined {
  try {
    return readNamed(join(cwd, folderFile), 1024 * 1024).trim() || undefined;
  } catch {
    return undefined;
  }
}

export function useInFolder(cwd: string, name: string): void {
  makeIgnoredFolder(join(cwd, ".rnv"));
  writeWholeFile(join(cwd, folderFile), `${name}\n`);
}

export const connectionIn = (environment: ProcessEnvironment): readonly string[] =>
  ["RNV_BASE_URL", "RNV_WORKSPACE_ID", "RNV_API_KEY", "RNV_API_KEY_FILE"].filter(
    (name) => (environment[name]?.trim() ?? "") !== "",
  );

/**
 * Returns the environment with the settings of a profile: `asked`, else the profile of a trusted folder. Variables of
 * the environment win. The key of a profile goes only to the URL of that profile.
 */
export function withProfile(
  environment: ProcessEnvironment,
  asked = environment.RNV_PROFILE?.trim() || undefined,
  folder?: string,
): { readonly environment: ProcessEnvironment; readonly profile?: UsedProfile } {
  const name = asked ?? (folder === undefined || isJob(environment) ? undefined : profileOfFolder(folder));
  const set = connectionIn(environment);
  const baseUrl = environment.RNV_BASE_URL?.trim().replace(/\/+$/, "");
  const hasKey = set.some((variable) => variable.startsWith("RNV_API_KEY"));
  const isComplete = hasKey && set.includes("RNV_BASE_URL") && set.includes("RNV_WORKSPACE_ID");
  if (name === undefined || baseUrl === "embedded" || isComplete) return { environment };
  try {
    const detail = asked === undefined ? `${folderFile} names it.` : undefined;
    const settings = settingsIn(environment, name, detail);
    if (baseUrl && baseUrl !== settings.RNV_BASE_URL) return { environment };
    const given = Object.entries(settings).filter(
      ([variable]) => !set.includes(variable) && !(hasKey && variable === "RNV_API_KEY_FILE"),
    );
    return { environment: { ...environment, ...Object.fromEntries(given) }, profile: { name } };
  } catch (cause) {
    const problem = cause instanceof DiagnosticsError ? cause.diagnostics[0] : undefined;
    if (problem === undefined) throw cause;
    return { environment, profile: { name, problem } };
  }
}

/** Returns the settings of a profile by the names of their variables. Throws `DiagnosticsError`. */
function settingsIn(environment: ProcessEnvironment, name: string, detail?: string) {
  const fail = (summary: string, hint: string) => failure("config.invalid", summary, { hint, detail });
  const wrong = name === embeddedProfile ? undefined : checkProfileName(name);
  if (wrong !== undefined) throw fail(wrong, "rnv login --profile NAME");
  if (isJob(environment))
    throw fail(
      `the profile "${name}" is not read in CI`,
      "set RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY",
    );
  if (name === embeddedProfile) return { RNV_BASE_URL: "embedded" };
  const profile = readProfiles(environment).get(name);
  const key = configFile(environment, `${name}.key`);
  const lack = profile === undefined ? "does not exist" : existsSync(key) ? "" : "has no key";
  if (profile === undefined || lack !== "")
    throw fail(`the profile "${name}" ${lack}`, `rnv login --profile ${name}`);
  return { RNV_BASE_URL: profile.baseUrl, RNV_WORKSPACE_ID: profile.workspaceId, RNV_API_KEY_FILE: key };
}
