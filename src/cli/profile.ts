import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../model/text";
import { makeIgnoredFolder } from "../state/local/node-disk";
import { readLimited, writeWholeFile } from "./files";
import { isJob } from "./job";

/** A workspace that `rnv login` saved under a name. Its key is in a file of its own. */
export interface Profile {
  readonly baseUrl: string;
  readonly workspaceId: string;
}

/** The profile of a run. */
export interface UsedProfile {
  readonly name: string;
  /** Why it cannot be used. Verbs that do not connect work all the same. */
  readonly problem?: Diagnostic;
}

/** Built in: the embedded service, which needs no login. */
export const embeddedProfile = "embedded";

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns what is wrong with the name of a profile that is saved; undefined for nothing. */
export const checkProfileName = (name: string): string | undefined => {
  if (name === embeddedProfile) return `the profile "${embeddedProfile}" is built in and needs no login`;
  if (namePattern.test(name)) return undefined;
  return `${JSON.stringify(name)} is not a profile name: use letters, digits, ".", "_" and "-", at most 64`;
};

/** The folder of the user's profiles, absolute. */
function profileFolder(environment: ProcessEnvironment): string {
  const folder = process.platform === "win32" ? environment.APPDATA : environment.XDG_CONFIG_HOME;
  return join(folder && isAbsolute(folder) ? folder : join(homedir(), ".config"), "rnv");
}

const profileFile = (environment: ProcessEnvironment): string =>
  join(profileFolder(environment), "profiles.json");

/** The file that holds the key of a profile, absolute. */
export const keyFileOf = (environment: ProcessEnvironment, name: string): string =>
  join(profileFolder(environment), `${name}.key`);

/** Bytes. */
const largestProfiles = 1024 * 1024;
const largestName = 256;

/** Reads the profiles of the user. Throws `DiagnosticsError` where their file cannot be read. */
export function readProfiles(environment: ProcessEnvironment): ReadonlyMap<string, Profile> {
  const path = profileFile(environment);
  if (!existsSync(path)) return new Map();
  const fail = (why: string) =>
    new DiagnosticsError([error("config.invalid", `cannot read ${path} (${why})`)]);
  let parsed: unknown;
  try {
    parsed = JSON.parse(readLimited(path, largestProfiles).toString("utf8"));
  } catch (cause) {
    throw fail((cause as NodeJS.ErrnoException).code ?? "not JSON");
  }
  const entries = Object.entries((parsed ?? {}) as Readonly<Record<string, Partial<Profile> | null>>);
  const isProfile = (one: unknown): one is Profile => {
    const { baseUrl, workspaceId } = (one ?? {}) as Partial<Profile>;
    return typeof baseUrl === "string" && typeof workspaceId === "string";
  };
  const broken = entries.find(([, one]) => !isProfile(one));
  if (broken !== undefined) throw fail(`${JSON.stringify(broken[0])} needs baseUrl and workspaceId`);
  return new Map(entries as [string, Profile][]);
}

/** Saves a profile and its key, which only the user can read. Throws `DiagnosticsError`. */
export function saveProfile(
  environment: ProcessEnvironment,
  name: string,
  profile: Profile,
  key: string,
): void {
  const profiles = new Map(readProfiles(environment)).set(name, profile);
  const folder = profileFolder(environment);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new DiagnosticsError([error("command.usage", `cannot make the folder ${folder} (${code})`)]);
  }
  writeWholeFile(keyFileOf(environment, name), `${key}\n`);
  writeWholeFile(profileFile(environment), `${JSON.stringify(Object.fromEntries(profiles), null, 2)}\n`);
}

const folderFile = join(".rnv", "profile");

/** Reads the name of the profile that a folder uses; undefined for none. */
export function profileOfFolder(cwd: string): string | undefined {
  try {
    return readLimited(join(cwd, folderFile), largestName).toString("utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Makes a folder use a profile. Throws `DiagnosticsError`. */
export function useInFolder(cwd: string, name: string): void {
  makeIgnoredFolder(join(cwd, ".rnv"));
  writeWholeFile(join(cwd, folderFile), `${name}\n`);
}

/** Settings that a profile gives, unless the environment does. */
const connecting = ["RNV_BASE_URL", "RNV_WORKSPACE_ID", "RNV_API_KEY", "RNV_API_KEY_FILE"] as const;

/** The settings of a connection that the environment holds. */
export const connectionIn = (environment: ProcessEnvironment): readonly string[] =>
  connecting.filter((name) => (environment[name]?.trim() ?? "") !== "");

interface ProfileChoice {
  readonly cwd: string;
  /** `--profile`. */
  readonly asked: string | undefined;
  /** The manifest is not trusted, nor is what lies beside it. */
  readonly untrusted: boolean;
}

/**
 * Returns the environment with the settings of the profile that `--profile`, RNV_PROFILE or the folder names. What the
 * environment sets wins. The key of a profile is used with the URL of that profile only.
 */
export function withProfile(
  environment: ProcessEnvironment,
  { cwd, asked = environment.RNV_PROFILE?.trim() || undefined, untrusted }: ProfileChoice,
): { readonly environment: ProcessEnvironment; readonly profile?: UsedProfile } {
  const name = asked ?? (untrusted || isJob(environment) ? undefined : profileOfFolder(cwd));
  const set = connectionIn(environment);
  const baseUrl = environment.RNV_BASE_URL?.trim().replace(/\/+$/, "");
  const hasKey = set.includes("RNV_API_KEY") || set.includes("RNV_API_KEY_FILE");
  const isComplete = hasKey && set.includes("RNV_BASE_URL") && set.includes("RNV_WORKSPACE_ID");
  if (name === undefined || baseUrl === "embedded" || isComplete) return { environment };
  const read = readSettingsOf(environment, name, asked === undefined ? folderFile : undefined);
  if ("problem" in read) return { environment, profile: { name, problem: read.problem } };
  if (baseUrl && baseUrl !== read.settings.RNV_BASE_URL) return { environment };
  const given = Object.entries(read.settings).filter(
    ([setting]) => !set.includes(setting) && !(hasKey && setting === "RNV_API_KEY_FILE"),
  );
  return { environment: { ...environment, ...Object.fromEntries(given) }, profile: { name } };
}

type ReadSettings =
  | { readonly settings: Readonly<Partial<Record<(typeof connecting)[number], string>>> }
  | { readonly problem: Diagnostic };

function readSettingsOf(
  environment: ProcessEnvironment,
  name: string,
  source: string | undefined,
): ReadSettings {
  const login = `rnv login --profile ${name}`;
  if (isJob(environment))
    return {
      problem: error(
        "config.invalid",
        `the profile ${JSON.stringify(name)} is not read: profiles are not used in CI`,
        {
          hint: "set RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY in the job",
        },
      ),
    };
  if (name === embeddedProfile) return { settings: { RNV_BASE_URL: "embedded" } };
  const wrongName = checkProfileName(name);
  if (wrongName !== undefined) return { problem: error("config.invalid", wrongName) };
  let profile: Profile | undefined;
  try {
    profile = readProfiles(environment).get(name);
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return { problem: cause.diagnostics[0] as Diagnostic };
    throw cause;
  }
  const key = keyFileOf(environment, name);
  if (profile !== undefined && existsSync(key)) {
    const { baseUrl, workspaceId } = profile;
    return { settings: { RNV_BASE_URL: baseUrl, RNV_WORKSPACE_ID: workspaceId, RNV_API_KEY_FILE: key } };
  }
  const summary =
    profile === undefined ? `the profile "${name}" does not exist` : `the profile "${name}" has no key`;
  const detail = source === undefined ? undefined : `${source} names it.`;
  return { problem: error("config.missing", summary, { ...(detail && { detail }), hint: login }) };
}
