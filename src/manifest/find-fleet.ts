import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type Diagnostic, DiagnosticsError, error, failure, hasErrors } from "../diagnostics/diagnostic";
import type { ResourceType } from "../model/resource-type";
import { fillStage, splitStage, stageText } from "../model/stage";
import type { FleetVerb, Target } from "../model/target";
import type { ProcessEnvironment } from "../model/text";
import { compareTexts, reasonOf } from "../model/text";
import { parseDuration } from "../model/time";
import { driftFileName } from "./drift-file";
import {
  filesBelow,
  isBelow,
  isWithin,
  manifestNames,
  readSource,
  realOf,
  realPath,
  yamlName,
} from "./files";
import { collectFindings } from "./findings";
import { type DeclaredMember, fleetFileName, readFleetFile } from "./fleet-file";
import { findStages } from "./load-manifest";
import { policyFileName } from "./policy-file";
import { commandEnvironment, trustOf } from "./trust";

export interface FleetRequest {
  /** A folder to look through, or a fleet file; absolute. */
  readonly place: string;
  readonly cwd: string;
  readonly types: readonly ResourceType[];
  readonly environment: ProcessEnvironment;
  readonly untrusted: boolean;
  /** Returns true for a name of the environment by which a job says what it is. */
  readonly isOfJob: (name: string) => boolean;
}

/** A manifest of a fleet in one of its stages: a run of its own (DESIGN section 16). */
export interface FleetMember extends Target {
  /** `teams/shop`, with its stage `teams/shop@production`; no two members of a fleet have the same. */
  readonly name: string;
  /** From the folder of the fleet, with forward slashes; `.` for itself. */
  readonly folder: string;
  readonly timeoutMs?: number | undefined;
  /** Why it cannot be run. */
  readonly problems: readonly Diagnostic[];
}

/** The members of a fleet, sorted by name. */
export interface FoundFleet {
  readonly members: readonly FleetMember[];
  /** Where the folders of the members start, absolute. */
  readonly root: string;
  /** The fleet file, absolute; undefined where the manifests were looked for. */
  readonly file?: string;
}

/**
 * Finds the members of a fleet: those that its file names, else the manifests below the folder. Throws `DiagnosticsError`
 * where the folder or the file cannot be read, and after mistakes in the file.
 */
export function findFleet(request: FleetRequest): FoundFleet {
  const { place, cwd, environment, untrusted } = request;
  const isFile = isFileAt(place);
  const root = isFile ? dirname(place) : place;
  const file = isFile ? place : join(place, fleetFileName);
  if (!isFile && !existsSync(file)) {
    const declared = new Map(findManifestFolders(root).map((folder) => [folder, { names: {} }]));
    return { members: membersOf(request, root, declared), root };
  }
  const shown = relativeTo(cwd, file);
  const findings = collectFindings();
  const text = readSource(shown, cwd, maxFleetBytes, findings.report);
  if (text === undefined) throw new DiagnosticsError(findings.all());
  const declared = readFleetFile(shown, text, trustOf(environment, untrusted));
  return { members: membersOf(request, root, declared), root, file };
}

const maxFleetBytes = 4 * 1024 * 1024;

const relativeTo = (cwd: string, path: string): string => relative(cwd, path).split(sep).join("/") || ".";

/** Returns true for a file, also behind a link. */
function isFileAt(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Folders that hold `rnv.yaml`, `rnv.yml` or a folder `rnv` of manifests, from `root`, where these may be links. What
 * begins with a dot and `node_modules` are not looked into, nor links to other folders followed.
 */
function findManifestFolders(root: string): readonly string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const isOne = entries.some(({ name }) => manifestNames.includes(name));
    const holdsFolder = !isOne && manifestsIn(join(folder, "rnv")).length > 0;
    if (isOne || holdsFolder) found.push(relativeTo(root, folder));
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name.startsWith(".") || entry.name === "node_modules") continue;
      // Its files are one manifest.
      if (holdsFolder && entry.name === "rnv") continue;
      look(join(folder, entry.name));
    }
  };
  try {
    look(root);
    return found;
  } catch (cause) {
    throw failure("manifest.unreadable", `cannot look through ${root}: ${reasonOf(cause)}`);
  }
}

type DeclaredMembers = ReturnType<typeof readFleetFile>;

/** Each manifest in each of its stages. */
function membersOf(request: FleetRequest, root: string, declared: DeclaredMembers): readonly FleetMember[] {
  const all = [...declared.values()].flatMap(({ names }) => Object.values(names));
  return [...declared]
    .flatMap(([name, one]) => {
      const given = memberEnvironment({ ...one, name }, all, request.environment, request);
      return stagesOfMember(request, root, { ...one, ...given, name });
    })
    .sort((a, b) => compareTexts(a.name, b.name));
}

/** A manifest in each of the stages that are named, else in all that stand once; one member where it has none. */
function stagesOfMember(
  { types, untrusted }: FleetRequest,
  root: string,
  { name, dir: folder = name, file = [], timeout, environment, missing, ...declared }: GivenMember,
): readonly FleetMember[] {
  const manifest = typeof file === "string" ? [file] : file;
  const found = findStages({ files: manifest, cwd: join(root, folder), types, environment, untrusted });
  const memberOf = (stage?: string, stateOfStage?: string): FleetMember => {
    const fullName = stage === undefined ? name : `${name}@${stage}`;
    const problem = missing.length === 0 ? folderProblem(fullName, folder, root) : undefined;
    return {
      ...{ name: fullName, folder, manifest, stage, environment },
      state: stateOfStage ?? environment.RNV_STATE,
      problems: problem ? [problem] : missing.map((variable) => unset(variable, fullName)),
      ...(timeout !== undefined && { timeoutMs: parseDuration(timeout) }),
    };
  };
  // Its own run tells what is wrong with it.
  const known = hasErrors(found.diagnostics) ? [] : [...found.stages.values()];
  if (declared.stages === undefined && known.length === 0) return [memberOf()];
  const once = known.filter(({ each }) => !each).map((stage) => ({ name: stage.name }));
  return (declared.stages?.map(splitStage) ?? once).map((stage) => {
    const hasState = found.stages.get(stage.name)?.state !== undefined;
    // Empty where what its stage names cannot be read.
    return memberOf(stageText(stage), hasState ? (found.place(stage).place.state ?? "") : undefined);
  });
}

const unset = (variable: string, member: string): Diagnostic =>
  error("config.missing", `${variable} is not set, which ${member} is to be given`, {
    hint: `set it in the job, or take it out of env of ${member} in the fleet file`,
  });

/** Returns the address of the state of a member, with its stage filled in; empty where its own run refuses it. */
export function stateAddressOf({ state, stage }: FleetMember): string {
  if (stage === undefined) return state ?? ".rnv/state.json";
  return fillStage(state ?? `.rnv/${stage}/state.json`, splitStage(stage));
}

/** Returns why nothing is run in the folder of a member; undefined where it may be. */
function folderProblem(name: string, folder: string, root: string): Diagnostic | undefined {
  const real = realPath(join(root, folder));
  if (real === undefined)
    return error("manifest.not_found", `${name} has no folder ${folder}`, {
      hint: "dir starts at the folder of the fleet file; the name of the member unless said",
    });
  if (isWithin(real, [root])) return undefined;
  return error("manifest.unreadable", `the folder ${folder} of ${name} is a link out of the fleet`);
}

/**
 * Paths outside of the folder of a member that it is made of, absolute, also behind links: manifests that are named, the files
 * beside the first of them, and what a manifest mentions.
 */
export function pathsBeside(member: FleetMember, root: string): readonly string[] {
  const folder = resolve(root, member.folder);
  const named = member.manifest.map((file) => resolve(folder, file));
  const beside = named
    .slice(0, 1)
    .flatMap((file) => [policyFileName, driftFileName].map((name) => join(dirname(file), name)));
  const inside = manifestsIn(folder);
  const elsewhere = named.flatMap((path) => (isFileAt(path) ? [path] : manifestsIn(path)));
  const mentioned = [...new Set([...inside, ...elsewhere])].flatMap(mentionedIn);
  const paths = [...named, ...beside, ...mentioned].filter((path) => !isBelow(path, folder));
  const links = [folder, ...inside].map(realOf).filter((path) => !isBelow(path, folder));
  return [...new Set([...paths, ...paths.map(realOf), ...links])];
}

/** Returns true if the run of a member may start a program: one of constructs, or for a plan one that prints a secret. */
export function startsPrograms({ manifest }: FleetMember, folder: string, verb: FleetVerb): boolean {
  if (existsSync(join(folder, "cdktf.json"))) return true;
  const read = [...manifestsIn(folder), ...manifest.map((file) => resolve(folder, file))];
  return verb !== "drift" && read.some((file) => readTextOf(file).includes("fromCommand"));
}

/** Manifest files that are read for what they mention: more are in no folder of one manifest. */
const mostManifests = 10_000;

/** Files of YAML of a folder and below it, with those that are links; none where it cannot be read. */
function manifestsIn(folder: string): readonly string[] {
  const found: string[] = [];
  try {
    for (const { path, entry } of filesBelow(folder)) {
      if (yamlName.test(entry.name)) found.push(path);
      if (found.length >= mostManifests) break;
    }
  } catch {
    // The run of a member tells what cannot be read.
  }
  return found;
}

/** Paths that a manifest mentions, absolute. */
const mentionedIn = (file: string): readonly string[] =>
  (readTextOf(file).match(/[^\s"',:[\]{}()]+/g) ?? [])
    .filter((word) => /[./]/.test(word))
    .map((word) => resolve(dirname(file), word));

function readTextOf(file: string): string {
  try {
    return statSync(file).size > maxFleetBytes ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

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

/** What the fleet file says of the environment of a member, which it names without its stage. */
export type OwnEnvironment = { readonly name: string } & Pick<
  DeclaredMember,
  "names" | "workspace" | "state"
>;

type GivenMember = DeclaredMember & OwnEnvironment & MemberEnvironment;

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
