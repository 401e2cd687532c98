import { resolve } from "node:path";
import type { ProcessEnvironment } from "../model/text";
import { commandEnvironment, trustOf } from "./trust";

/** Settings of rnv and of what it reaches the service and the state through. */
const isSetting = (name: string): boolean =>
  /^(RNV|AWS|TF_HTTP)_/.test(name) || settings.has(name.toUpperCase());

const settings = new Set([
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "TF_IN_AUTOMATION",
]);

/** Settings of the fleet itself. */
const ownSettings = ["RNV_STAGE", "RNV_SHARDS", "RNV_WEBHOOK_SECRET"];

/** Credentials that belong together: with one of its own, a member is given none of the others of the fleet. */
const credentials: readonly (readonly string[])[] = [
  ["RNV_API_KEY", "RNV_API_KEY_FILE"],
  ["RNV_STATE_KEY", "RNV_STATE_KEY_PREVIOUS"],
  ["RNV_STATE_HTTP_USERNAME", "RNV_STATE_HTTP_PASSWORD", "TF_HTTP_USERNAME", "TF_HTTP_PASSWORD"],
  ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"],
];

/** Settings that hold paths from the folder where the fleet was started, with the separator of several. */
const paths: Readonly<Record<string, string>> = {
  RNV_API_KEY_FILE: "\0",
  NODE_EXTRA_CA_CERTS: "\0",
  RNV_POLICY: ",",
  RNV_SECRET_DIRS: ":",
};

/** What the fleet file says of the environment of a member. */
export interface OwnEnvironment {
  /** Its name, without its stage. */
  readonly name: string;
  /** Names in the environment of the fleet, by the names under which the run of the member is given their values. */
  readonly names: Readonly<Record<string, string>>;
  /** UUID of its workspace. */
  readonly workspace?: string | undefined;
  /** Address of its state; may hold `${member}`. */
  readonly state?: string | undefined;
}

export interface MemberEnvironment {
  readonly environment: Record<string, string>;
  /** Names that it is to be given and that are not set. */
  readonly missing: readonly string[];
}

/**
 * The environment of the run of a member: what every program needs, settings of rnv, what the job says of itself, what
 * RNV_ALLOW_ENV lists, and what the member names. What another member names (of `all` names) is not handed on, and no
 * credential of the fleet stands beside its own.
 */
export function memberEnvironment(
  member: OwnEnvironment,
  all: readonly string[],
  environment: ProcessEnvironment,
  { cwd, isOfJob }: { readonly cwd: string; readonly isOfJob: (name: string) => boolean },
): MemberEnvironment {
  const own = Object.entries(member.names);
  const sources = Object.values(member.names);
  const ofOthers = all.filter((name) => !sources.includes(name));
  const replaced = credentials.filter((group) => group.some((name) => name in member.names)).flat();
  const isKept = new Set([...ofOthers, ...replaced, ...ownSettings]);
  const { isAllowed } = trustOf(environment, false);
  const given = commandEnvironment(environment, () => false);
  for (const [name, text] of Object.entries(environment)) {
    const isMeant = isSetting(name) || isOfJob(name) || isAllowed(name);
    if (text !== undefined && isMeant && !isKept.has(name)) given[name] = text;
  }
  for (const [name, source] of own) if (environment[source]) given[name] = environment[source];
  // The member's run starts in its own folder, where other files lie under the same names.
  for (const [name, between] of Object.entries(paths))
    if (given[name]) given[name] = absolute(given[name], between, cwd);
  if (member.workspace !== undefined) given.RNV_WORKSPACE_ID = member.workspace;
  const state = member.state ?? given.RNV_STATE?.trim();
  if (state) given.RNV_STATE = state.replaceAll(memberPlace, pathOf(member.name));
  return { environment: given, missing: sources.filter((name) => !environment[name]) };
}

/** Stands for the name of the member, without its stage, in the address of a state. */
export const memberPlace = "${member}";

/** Two names have two paths. */
const pathOf = (name: string): string =>
  name
    .split("/")
    .map((word) => (word === "." ? "_" : encodeURIComponent(word)))
    .join("/");

const absolute = (text: string, between: string, cwd: string): string =>
  text
    .split(between)
    .map((path) => (path.trim() === "" ? path : resolve(cwd, path.trim())))
    .join(between);
