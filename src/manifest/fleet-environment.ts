import { resolve } from "node:path";
import { type FleetMember, memberPlace, unstagedName } from "../model/fleet";
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
const ownSettings = new Set(["RNV_STAGE", "RNV_SHARDS", "RNV_WEBHOOK_SECRET"]);

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

/** What the fleet names for a member of its environment, under the names that its run is given. */
export const ownEnvironment = (member: FleetMember, environment: ProcessEnvironment): ProcessEnvironment =>
  Object.fromEntries(Object.entries(member.environment).map(([name, source]) => [name, environment[source]]));

/** The address of the state of a member, with its name filled in; undefined where nothing names one. */
export function stateNamedFor(member: FleetMember, environment: ProcessEnvironment): string | undefined {
  const named = { ...environment, ...ownEnvironment(member, environment) }.RNV_STATE?.trim();
  const state = member.state ?? named;
  return state === undefined || state === "" ? undefined : stateOfMember(state, member);
}

export interface MemberEnvironment {
  readonly environment: Record<string, string>;
  /** Names that it is to be given and that are not set. */
  readonly missing: readonly string[];
}

/**
 * The environment of the run of a member: what every program needs, settings of rnv, what the job says of itself, what
 * RNV_ALLOW_ENV lists, and what the member names. What another member names is not handed on, and no credential of the fleet stands beside its own.
 */
export function memberEnvironment(
  member: FleetMember,
  all: readonly FleetMember[],
  environment: ProcessEnvironment,
  { cwd, isOfJob }: { readonly cwd: string; readonly isOfJob: (name: string) => boolean },
): MemberEnvironment {
  const own = Object.entries(member.environment);
  const ofOthers = new Set(all.flatMap((other) => Object.values(other.environment)));
  for (const [, source] of own) ofOthers.delete(source);
  const replaced = new Set(
    credentials.filter((group) => group.some((name) => name in member.environment)).flat(),
  );
  const { isAllowed } = trustOf(environment, false);
  const isHandedOn = (name: string): boolean =>
    !ofOthers.has(name) &&
    !replaced.has(name) &&
    !ownSettings.has(name) &&
    (isSetting(name) || isOfJob(name) || isAllowed(name));
  const given = commandEnvironment(environment, isHandedOn);
  for (const [name, text] of Object.entries(environment))
    if (text !== undefined && isHandedOn(name)) given[name] = text;
  const missing: string[] = [];
  for (const [name, source] of own) {
    const text = environment[source];
    if (text === undefined || text === "") missing.push(source);
    else given[name] = text;
  }
  // The member's run starts in its own folder, where other files lie under the same names.
  for (const [name, between] of Object.entries(paths))
    if (given[name]) given[name] = absolute(given[name], between, cwd);
  if (member.workspace !== undefined) given.RNV_WORKSPACE_ID = member.workspace;
  const state = stateNamedFor(member, environment);
  if (state !== undefined) given.RNV_STATE = state;
  return { environment: given, missing };
}

const absolute = (text: string, between: string, cwd: string): string =>
  text
    .split(between)
    .map((path) => (path.trim() === "" ? path : resolve(cwd, path.trim())))
    .join(between);

/** The address of the state of a member: its name, without its stage, stands where the address holds `${member}`. */
export const stateOfMember = (address: string, { name }: FleetMember): string =>
  address.replaceAll(
    memberPlace,
    unstagedName(name)
      .split("/")
      .map((word) => (word === "." ? "_" : encodeURIComponent(word)))
      .join("/"),
  );
