import { existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Diagnostic, DiagnosticsError, error, failure, hasErrors } from "../diagnostics/diagnostic";
import type { FleetMember, FleetVerb } from "../model/fleet";
import type { ResourceType } from "../model/resource-type";
import { splitStage, stageText } from "../model/stage";
import type { ProcessEnvironment } from "../model/text";
import { compareTexts, reasonOf } from "../model/text";
import { parseDuration } from "../model/time";
import { driftFileName } from "./drift-file";
import { filesBelow, isBelow, isWithin, manifestNames, readSource, realOf, yamlName } from "./files";
import { collectFindings } from "./findings";
import { ownEnvironment } from "./fleet-environment";
import { type DeclaredMember, fleetFileName, namesOf, readFleetFile } from "./fleet-file";
import { findStages } from "./load-manifest";
import { policyFileName } from "./policy-file";
import { trustOf } from "./trust";

interface FleetRequest {
  /** A folder to look through, or a fleet file; absolute. */
  readonly place: string;
  readonly cwd: string;
  readonly types: readonly ResourceType[];
  readonly environment: ProcessEnvironment;
  readonly untrusted: boolean;
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
    const found = findManifestFolders(root).map((folder) => [folder, {}] as const);
    return { members: stagedMembers(request, root, new Map(found)), root };
  }
  const shown = relativeTo(cwd, file);
  if (manifestNames.includes(basename(file))) throw noFleetFile(shown);
  const findings = collectFindings();
  const text = readSource(shown, cwd, maxFleetBytes, findings.report);
  if (text === undefined) throw new DiagnosticsError(findings.all());
  const fleet = readFleetFile(shown, text, trustOf(environment, untrusted));
  return { members: stagedMembers(request, root, fleet.members, fleet.environment), root, file };
}

const noFleetFile = (file: string): DiagnosticsError =>
  failure(
    "command.usage",
    `${file} is a manifest: a fleet is a folder of manifests, or what a ${fleetFileName} names`,
    { hint: `name its folder, ${dirname(file)}, or plan it alone: rnv plan -f ${file}` },
  );

const maxFleetBytes = 4 * 1024 * 1024;

const relativeTo = (cwd: string, path: string): string => relative(cwd, path).split(sep).join("/") || ".";

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

const isFileAt = (path: string): boolean => statOf(path)?.isFile() === true;

/**
 * Folders that hold `rnv.yaml`, `rnv.yml` or a folder `rnv` of manifests, from `root`, where these may be links. What
 * begins with a dot and `node_modules` are not looked into, nor links to other folders followed.
 */
function findManifestFolders(root: string): readonly string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const isOne = entries.some(({ name }) => manifestNames.includes(name));
    const holdsFolder =
      !isOne &&
      entries.some(({ name }) => name === "rnv") &&
      statOf(join(folder, "rnv"))?.isDirectory() === true &&
      yamlBelow(join(folder, "rnv")).length > 0;
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

/** Each manifest in each of its stages. */
function stagedMembers(
  request: FleetRequest,
  root: string,
  declared: ReadonlyMap<string, DeclaredMember>,
  common: Readonly<Record<string, string>> = {},
): readonly FleetMember[] {
  const members = [...declared].flatMap(([name, one]) => membersOf(request, root, [name, one], common));
  return members.sort((a, b) => compareTexts(a.name, b.name));
}

function membersOf(
  { types, environment, untrusted }: FleetRequest,
  root: string,
  [name, { dir = name, file = [], stages, env, workspace, state, timeout }]: readonly [
    string,
    DeclaredMember,
  ],
  common: Readonly<Record<string, string>>,
): readonly FleetMember[] {
  const files = typeof file === "string" ? [file] : file;
  const member: FleetMember = {
    ...{ name, folder: dir, files, workspace, state },
    environment: { ...common, ...namesOf(env) },
    ...(timeout !== undefined && { timeoutMs: parseDuration(timeout) }),
  };
  const own = { ...environment, ...ownEnvironment(member, environment) };
  const found = findStages({ files, cwd: join(root, dir), types, environment: own, untrusted });
  // Its own run tells what is wrong with it.
  const known = hasErrors(found.diagnostics) ? [] : [...found.stages.values()];
  const standing = known.filter(({ each }) => !each).map((stage) => ({ name: stage.name }));
  const named = stages?.map(splitStage) ?? (known.length > 0 ? standing : []);
  if (named.length === 0) return known.length > 0 ? [] : [member];
  return named.map((stage) => ({
    ...member,
    name: `${name}@${stageText(stage)}`,
    stage: stageText(stage),
    ...(found.stages.get(stage.name)?.state !== undefined && {
      stateOfStage: found.place(stage).place.state ?? "",
    }),
  }));
}

/** Returns why the folder of a member cannot be looked at; undefined where it can. */
export function folderProblem({ name, folder }: FleetMember, root: string): Diagnostic | undefined {
  try {
    const real = realpathSync.native(join(root, folder));
    if (!statSync(real).isDirectory())
      return error("manifest.not_found", `the folder ${folder} of ${name} is a file`, {
        hint: "name a file with `file`, and its folder with `dir`",
      });
    if (isWithin(real, [root])) return undefined;
    return error("manifest.unreadable", `the folder ${folder} of ${name} is a link out of the fleet`);
  } catch (cause) {
    return error("manifest.not_found", `cannot look at the folder ${folder} of ${name}: ${reasonOf(cause)}`, {
      hint: "dir starts at the folder of the fleet file; the name of the member unless said",
    });
  }
}

/**
 * Paths outside of the folder of a member that it is made of, absolute, also behind links: manifests that are named, the files
 * beside the first of them, and what a manifest mentions.
 */
export function pathsBeside(member: FleetMember, root: string): readonly string[] {
  const folder = resolve(root, member.folder);
  const named = member.files.map((file) => resolve(folder, file));
  const beside = named
    .slice(0, 1)
    .flatMap((file) => [policyFileName, driftFileName].map((name) => join(dirname(file), name)));
  const inside = manifestsIn(folder);
  const mentioned = [
    ...new Set([...inside, ...named.flatMap((path) => (isFileAt(path) ? [path] : manifestsIn(path)))]),
  ].flatMap((file) => mentionedIn(file, !inside.includes(file)));
  const paths = [...named, ...beside, ...mentioned].filter((path) => !isBelow(path, folder));
  const links = [folder, ...inside].map(realOf).filter((path) => !isBelow(path, folder));
  return [...new Set([...paths, ...paths.map(realOf), ...links])];
}

/** Returns true if the run of a member may start a program: one of constructs, or for a plan one that prints a secret. */
export function startsPrograms({ files }: FleetMember, folder: string, verb: FleetVerb): boolean {
  if (existsSync(join(folder, "cdktf.json"))) return true;
  const read = [...manifestsIn(folder), ...files.map((file) => resolve(folder, file))];
  return verb !== "drift" && read.some((file) => readTextOf(file).includes("fromCommand"));
}

/** Manifest files that are read for what they mention: more are in no folder of one manifest. */
const mostManifests = 10_000;

/** Files of YAML of a folder and below it, with those that are links. */
function manifestsIn(folder: string): readonly string[] {
  try {
    return yamlBelow(folder).filter(isFileAt);
  } catch {
    // Its own run tells what cannot be read.
    return [];
  }
}

function yamlBelow(folder: string): readonly string[] {
  const found: string[] = [];
  for (const { path, entry } of filesBelow(folder)) {
    if (yamlName.test(entry.name)) found.push(path);
    if (found.length >= mostManifests) break;
  }
  return found;
}

/** Paths that a manifest mentions, absolute: `../…`, and where it lies elsewhere itself, any. */
const mentionedIn = (file: string, isElsewhere: boolean): readonly string[] =>
  (readTextOf(file).match(/[^\s"',:[\]{}()]+/g) ?? [])
    .filter((word) => (isElsewhere ? /[./]/.test(word) : word.includes("../")))
    .map((word) => resolve(dirname(file), word));

const readTextOf = (file: string): string => {
  try {
    return statSync(file).size > maxFleetBytes ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
};
