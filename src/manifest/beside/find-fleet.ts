import { type Dirent, existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import * as z from "zod";
import { collectFindings } from "../../declaration/findings";
import { tryRead } from "../../declaration/git";
import type { ManifestRequest } from "../../declaration/load-request";
import { filesBelow, isWithin, realOf, realPath, shownPath } from "../../declaration/project-files";
import { judgeDocument } from "../../declaration/schema-issues";
import { variableName } from "../../declaration/secret-sources";
import { addressHoldsSecret } from "../../declaration/secret-texts";
import { commandEnvironment, type Trust, trustOf } from "../../declaration/trust";
import { type Diagnostic, DiagnosticsError, error, failure, hasErrors } from "../../diagnostics/diagnostic";
import { uuidPattern } from "../../model/address";
import { compareTexts } from "../../model/collections";
import { reasonOf } from "../../model/file-error";
import { splitStage } from "../../model/stage";
import { stateAddress, type TargetLocation } from "../../model/target-location";
import { durationPattern, longestTimer, parseDuration } from "../../model/time";
import { defaultManifest, manifestNames, programName, yamlName } from "../find-files";
import { findStages } from "../load-manifest";
import { readDocument } from "../text/yaml";

export const fleetFileName = "rnv.fleet.yaml";

const isInside = (path: string): boolean =>
  !path.startsWith("/") && !/^[A-Za-z]:/.test(path) && !path.split(/[\\/]/).includes("..");

const memberSchema = z.strictObject({
  dir: z
    .string()
    .min(1, "expected a path")
    .refine(isInside, "expected a folder below that of the fleet file")
    .optional()
    .describe("Folder of the manifest, from that of this file; the name of the member unless said."),
  stages: z
    .array(z.string())
    .min(1)
    .refine((names) => new Set(names).size === names.length, "a stage is named twice")
    .optional()
    .describe(
      "Its stages, each a run of its own; all that the manifest declares and that stand once, unless said.",
    ),
  env: z
    .record(variableName, variableName)
    .optional()
    .describe(
      "`RNV_API_KEY: SHOP_API_KEY`: its run is given RNV_API_KEY with the value of SHOP_API_KEY. No other run is given that.",
    ),
  workspace: z.string().regex(uuidPattern, "expected a UUID").optional().describe("UUID of its workspace."),
  state: z
    .string()
    .min(1)
    .refine(
      (address) => !addressHoldsSecret(address),
      "it holds a secret, and is read by everybody who reads this file: name it in env, as RNV_STATE_HTTP_PASSWORD or AWS_SECRET_ACCESS_KEY",
    )
    .optional()
    .describe(
      "Where its state is: a path, https://… or s3://…; ${member} is its name. RNV_STATE unless said.",
    ),
  timeout: z
    .string()
    .regex(durationPattern, "expected a duration: 90s, 10m")
    .optional()
    .describe("How long its run may take; --member-timeout unless said."),
});

export const fleetFileSchema = z.strictObject({
  version: z.literal(1).optional(),
  members: z
    .record(z.string().regex(/^[^@\s][^@]*$/, "expected a name without @"), memberSchema.nullable())
    .describe("Manifests by name: `shop`, `teams/shop`."),
});

/** The schema of an untrusted fleet file: it must not send the key of a member to a server of its choice. */
function untrustedSchema(trust: Trust): z.ZodType {
  const listed = z.string().refine(trust.mayRead, {
    error: ({ input }) =>
      `an untrusted fleet file reads ${input} of the environment: list it in RNV_ALLOW_ENV if its value may be seen`,
  });
  const state = z
    .custom(
      () => false,
      "an untrusted fleet file names a state: set RNV_STATE in the job, which may hold ${member}",
    )
    .optional();
  const member = z.looseObject({ env: z.record(z.string(), listed).optional(), state });
  return z.looseObject({ members: z.record(z.string(), member.nullable()) });
}

export type DeclaredMember = { readonly name: string } & z.infer<typeof memberSchema>;

/**
 * Reads the members of a fleet file. Throws `DiagnosticsError` after a mistake in it; with exit code 4 where an
 * untrusted file is refused.
 */
export function readFleetFile(file: string, cwd: string, trust: Trust): readonly DeclaredMember[] {
  const findings = collectFindings();
  const read = readDocument(fleetFileSchema, file, cwd, findings.report);
  if (read !== undefined && trust.isUntrusted)
    judgeDocument(untrustedSchema(trust), read.root, findings.report, {
      nameOf: (path) => path.join("."),
      code: "guard.untrusted",
    });
  const diagnostics = findings.all();
  if (read === undefined || hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics);
  return Object.entries(read.document.members).map(([name, member]) => ({ ...member, name }));
}

export interface FleetRequest extends Pick<ManifestRequest, "cwd" | "types" | "environment" | "runProgram"> {
  /** The folder of the fleet, absolute: those of the members start there. */
  readonly root: string;
  readonly untrusted: boolean;
  readonly timeoutMs: number;
  /** Names of variables that describe the job. */
  readonly jobVariables: ReadonlySet<string>;
}

/** A manifest of a fleet in one of its stages: a run of its own (DESIGN section 16). */
export interface FleetMember extends TargetLocation {
  /** `teams/shop`, with its stage `teams/shop@production`; no two members of a fleet have the same. */
  readonly name: string;
  /** Its folder, absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly problems: readonly Diagnostic[];
}

/**
 * Finds the members of a fleet, sorted by name: those that its file names, else the manifests below the folder. Throws
 * `DiagnosticsError` where the folder or the file cannot be read, and after mistakes in the file.
 */
export async function findFleet(request: FleetRequest): Promise<readonly FleetMember[]> {
  const { root, cwd } = request;
  const file = join(root, fleetFileName);
  const declared: readonly DeclaredMember[] = existsSync(file)
    ? readFleetFile(shownPath(file, cwd), cwd, trustOf(request))
    : findManifestFolders(root).map((name) => ({ name }));
  const all = declared.flatMap(({ env = {} }) => Object.values(env));
  const members: FleetMember[] = [];
  for (const member of declared) members.push(...(await stagesOfMember(request, member, all)));
  return members.sort((a, b) => compareTexts(a.name, b.name));
}

/** Folders from `root` that have a manifest, of which parts may be links. */
function findManifestFolders(root: string): readonly string[] {
  try {
    const folders = [...filesBelow(root)].map(({ path }) => {
      const words = relative(root, path).split(sep);
      // All files of a folder rnv are one manifest.
      const at = words.indexOf("rnv");
      return words.slice(0, at).join("/") || ".";
    });
    return [...new Set(folders)].filter(
      (folder) => Object.keys(defaultManifest(join(root, folder))).length > 0,
    );
  } catch (cause) {
    throw failure("manifest.unreadable", `cannot look through ${root}: ${reasonOf(cause)}`);
  }
}

/** A manifest in each of the stages that are named, else in all that stand once; one member where it has none. */
async function stagesOfMember(
  request: FleetRequest,
  member: DeclaredMember,
  all: readonly string[],
): Promise<readonly FleetMember[]> {
  const { root, types, untrusted, runProgram } = request;
  const { name, dir: folder = name, stages } = member;
  const cwd = join(root, folder);
  const { environment, missing } = memberEnvironment(member, all, request);
  const problems = problemsOf(member, root, missing);
  const timeoutMs = parseDuration(member.timeout ?? "") ?? request.timeoutMs;
  const sources = { files: [], cwd, environment, untrusted, runProgram };
  const found = await findStages({ ...sources, types });
  // Its own run reports the mistakes in it.
  const known = hasErrors(found.diagnostics) ? [] : [...found.stages.values()];
  const once = known.flatMap((stage) => (stage.each ? [] : stage.name));
  const isUnstaged = stages === undefined && known.length === 0;
  return (isUnstaged ? [undefined] : (stages ?? once)).map((stage) => {
    const asked = splitStage(stage ?? "");
    const hasState = found.stages.get(asked.name)?.written.has("state");
    return {
      name: stage === undefined ? name : `${name}@${stage}`,
      stage,
      cwd,
      manifest: folder,
      environment,
      problems,
      timeoutMs: Math.min(timeoutMs, longestTimer),
      // Empty where the settings of its stage cannot be read: its own run refuses it.
      state: hasState
        ? (found.settingsOf(asked).settings.state ?? "")
        : stateAddress(environment.RNV_STATE ?? "", { stage }),
    };
  });
}

function problemsOf({ name, dir: folder = name }: DeclaredMember, root: string, missing: readonly string[]) {
  if (missing.length > 0)
    return missing.map((variable) =>
      error("config.missing", `${name}: the variable that env.${variable} names is not set`, {
        hint: `set it in the job, or take it out of env of ${name} in the fleet file`,
      }),
    );
  // A separator at the end: a file has no such path.
  const real = realPath(join(root, folder, sep));
  const hint = "dir starts at the folder of the fleet file; the name of the member unless said";
  if (real === undefined) return [error("manifest.not_found", `${name} has no folder ${folder}`, { hint })];
  if (isWithin(real, [root])) return [];
  return [error("manifest.unreadable", `the folder ${folder} of ${name} is a link out of the fleet`)];
}

/** Returns the paths of a member: its folder, also with links followed, and paths that its manifest mentions. */
export function memberPaths({ cwd: folder }: FleetMember): readonly string[] {
  const mentioned = manifestsIn(folder).flatMap((file) => {
    const words = tryRead(file)?.match(/[^\s"',:[\]{}()]+/g) ?? [];
    return words.filter((word) => /[./]/.test(word)).map((word) => resolve(dirname(file), word));
  });
  return [folder, realOf(folder), ...new Set(mentioned)];
}

/** Returns true if the run of a member may start a program: an app, or for a plan a command that prints a secret. */
export function startsPrograms({ cwd: folder }: FleetMember, verb: string): boolean {
  if (existsSync(join(folder, "cdktf.json")) || programName.test(defaultManifest(folder).file ?? ""))
    return true;
  return verb !== "drift" && manifestsIn(folder).some((file) => tryRead(file)?.includes("fromCommand"));
}

function manifestsIn(folder: string): readonly string[] {
  try {
    const files = [...filesBelow(folder)];
    const isRead = ({ name }: Dirent): boolean => yamlName.test(name) || manifestNames.includes(name);
    return files.filter(({ entry }) => isRead(entry)).map(({ path }) => path);
  } catch {
    // The run of the member reports folders that cannot be read.
    return [];
  }
}

const isSetting = /^(RNV_|AWS_|TF_HTTP_|(HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS|TF_IN_AUTOMATION)$)/i;

/** Credentials that belong together: with one of its own, a member is given none of the others of the fleet. */
const credentials: readonly (readonly string[])[] = [
  ["RNV_API_KEY", "RNV_API_KEY_FILE"],
  ["RNV_STATE_KEY", "RNV_STATE_KEY_PREVIOUS"],
  ["RNV_STATE_HTTP_USERNAME", "RNV_STATE_HTTP_PASSWORD", "TF_HTTP_USERNAME", "TF_HTTP_PASSWORD"],
  [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
  ],
];

/** Settings that hold paths from the folder where the fleet was started, with the separator of several. */
const paths: Readonly<Record<string, string>> = {
  RNV_API_KEY_FILE: "\0",
  NODE_EXTRA_CA_CERTS: "\0",
  RNV_POLICY: ",",
  RNV_SECRET_DIRS: ":",
};

/**
 * Returns the environment of the run of a member. It has the variables that every program needs, settings of rnv,
 * variables of the job, and names of RNV_ALLOW_ENV and of the member. Names in `all` belong to members: it has no name
 * of another member. A credential of the member replaces those of the fleet.
 */
function memberEnvironment(
  member: DeclaredMember,
  all: readonly string[],
  { cwd, environment, jobVariables }: Pick<FleetRequest, "cwd" | "environment" | "jobVariables">,
) {
  const { env: own = {} } = member;
  const sources = Object.values(own);
  const ofOthers = all.filter((name) => !sources.includes(name));
  const replaced = credentials.filter((group) => group.some((name) => name in own)).flat();
  const withheldNames = new Set([...ofOthers, ...replaced, "RNV_STAGE", "RNV_SHARDS", "RNV_WEBHOOK_SECRET"]);
  const { isAllowed } = trustOf({ environment });
  const given = commandEnvironment(environment, () => false);
  for (const [name, text] of Object.entries(environment)) {
    const isShared = isSetting.test(name) || jobVariables.has(name) || isAllowed(name);
    if (text !== undefined && isShared && !withheldNames.has(name)) given[name] = text;
  }
  for (const [name, source] of Object.entries(own))
    if (environment[source]) given[name] = environment[source];
  // The member's run starts in its own folder, where other files lie under the same names.
  const absolute = (path: string): string => path.trim() && resolve(cwd, path.trim());
  for (const [name, between] of Object.entries(paths))
    given[name] &&= given[name].split(between).map(absolute).join(between);
  if (member.workspace !== undefined) given.RNV_WORKSPACE_ID = member.workspace;
  const state = member.state ?? given.RNV_STATE?.trim();
  // Two names have two paths.
  const words = member.name.split("/").map((word) => (word === "." ? "_" : encodeURIComponent(word)));
  if (state) given.RNV_STATE = state.replaceAll(memberPlaceholder, words.join("/"));
  return {
    environment: given,
    missing: Object.keys(own).filter((name) => !environment[own[name] as string]),
  };
}

/** Stands for the name of the member, without its stage, in the address of a state. */
export const memberPlaceholder = "${member}";
