import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { chooseNamed } from "../../commands/targets";
import { isBelow, realOf, shownPath } from "../../declaration/files";
import { commandEnvironment } from "../../declaration/trust";
import { type Diagnostic, DiagnosticsError, error, failure, warning } from "../../diagnostics/diagnostic";
import {
  type FleetMember,
  type FleetRequest,
  findFleet,
  memberPlace,
  partsOf,
} from "../../manifest/beside/find-fleet";
import { fleetFileName } from "../../manifest/beside/fleet-file";
import { manifestNames, yamlName } from "../../manifest/find-files";
import { stageText } from "../../model/stage";
import { compareTexts, type ProcessEnvironment, sha256 } from "../../model/text";
import { longestTimer } from "../../model/time";
import { groupBy } from "../../report/order";
import { resourceTypes } from "../../resources";
import { jobVariables } from "../job";
import { report, type Screen } from "../screen";
import { askedStage } from "../stages";
import type { Request } from "../target";
import { policiesOf } from "../verbs/plan";
import { type MembersValues, parseShard, type Shard } from "./options";

/** Returns the members of a folder that a command line means, those of all shards: they are named, and have changed. */
export async function chooseMembers(given: MembersValues, target: Request, screen: Screen) {
  const { cwd, environment, untrusted, runProgram } = target;
  const { dir = ".", changedSince, memberTimeoutMs: timeoutMs = longestTimer } = given;
  // As git names paths.
  const root = realOf(resolve(cwd, dir));
  const isOfJob = (name: string): boolean => jobVariables.has(name);
  const request = { root, cwd, types: resourceTypes, environment, untrusted, runProgram, timeoutMs, isOfJob };
  const all = await findFleet(request);
  const changes = changedSince === undefined ? undefined : changedFiles(changedSince, root, environment);
  if (changes) report(screen, await warnOfGone(request, all, changes));
  if (all.length === 0)
    throw failure("manifest.not_found", `there is no manifest below ${root}`, {
      hint: "a member has rnv.yaml, rnv.yml, rnv.config.ts or a folder rnv; others are named in rnv.fleet.yaml",
    });
  refuseSharedStates(all, root);
  const asked = askedStage(target);
  const nameOf = ({ name }: FleetMember): string => name;
  const inStage = chooseNamed(all, nameOf, asked ? [`*@${stageText(asked)}`] : [], "member");
  const named = chooseNamed(inStage, nameOf, given.member, "member");
  if (changes === undefined) return { root, selected: named };
  // A path of git has links followed. It may be a folder: a submodule, or a link.
  const areTouched = (parts: readonly string[]): boolean =>
    changes.paths.some((path) => parts.some((part) => isBelow(path, part) || isBelow(part, path)));
  const fleetFile = join(root, fleetFileName);
  const policies = policiesOf(target).map((path) => realOf(resolve(cwd, path)));
  // A change of the fleet file, or of a policy of the job, is of all.
  const isOfAll = areTouched([fleetFile, realOf(fleetFile), ...policies]);
  return { root, selected: named.filter((member) => isOfAll || areTouched(partsOf(member, root))) };
}

/**
 * Returns the shard of a job of several: an Indexed Job of Kubernetes, which has to say of how many, or `parallel` of
 * GitLab.
 */
export function shardOf(environment: ProcessEnvironment): Shard | undefined {
  const { JOB_COMPLETION_INDEX: index, RNV_SHARDS: shards } = environment;
  const { CI_NODE_INDEX: node, CI_NODE_TOTAL: nodes } = environment;
  if (!index && !(node && nodes)) return undefined;
  const part = index ? `${Number(index) + 1}/${shards}` : `${node}/${nodes}`;
  const shard = parseShard(part);
  if (shard !== undefined) return shard;
  const summary = index && !shards ? "RNV_SHARDS is not set" : `the job names no shard: ${part}`;
  throw failure("config.invalid", summary, {
    hint: "set RNV_SHARDS to the completions of an Indexed Job, or give --shard 1/4; 1/1 for the whole fleet",
  });
}

/**
 * The members of one shard: every `count`-th in the order of a hash of their names, so that shards differ in size by one
 * at most, and large neighbours do not meet in one. Shards 1 to `count` together are all members, each once.
 */
export function inShard<Member extends Pick<FleetMember, "name">>(
  members: readonly Member[],
  shard: Shard | undefined,
): readonly Member[] {
  if (shard === undefined) return members;
  const sorted = [...members].sort((a, b) => compareTexts(sha256(a.name), sha256(b.name)));
  return sorted.filter((_, at) => at % shard.count === shard.index - 1);
}

/** Returns the same text for members whose runs would write one state; empty where it is unknown. */
const sharedState = (root: string, { manifest, state }: FleetMember): string =>
  state === "" || state.includes("://") ? state : resolve(realOf(join(root, manifest)), state);

/** Throws where runs of several members would write one state, with an error for each such state. */
function refuseSharedStates(members: readonly FleetMember[], root: string): void {
  const byState = groupBy(members, (member) => sharedState(root, member));
  const shared = [...byState]
    .filter(([state, sharing]) => state !== "" && sharing.length > 1)
    .map(([, sharing]) =>
      error("config.invalid", `${sharing.map(({ name }) => name).join(" and ")} would have one state`, {
        detail: "Each would plan to delete what the other has made.",
        hint: `give each a state of its own: RNV_STATE, and state in the fleet file, may hold ${memberPlace} and, where there are stages, \${stage.name}`,
      }),
    );
  if (shared.length > 0) throw new DiagnosticsError(shared);
}

/** Returns a warning, with the state, for each member of the commit before that is not declared any more. */
async function warnOfGone(
  request: FleetRequest,
  members: readonly FleetMember[],
  { paths, textBefore }: ReturnType<typeof changedFiles>,
): Promise<readonly Diagnostic[]> {
  const { root } = request;
  const before = mkdtempSync(join(tmpdir(), "rnv-fleet-"));
  // No program of that commit is run: it counts where its file is gone.
  const isManifest = (path: string): boolean =>
    yamlName.test(path) || (manifestNames.includes(basename(path)) && !existsSync(path));
  const changed = paths.filter((path) => isManifest(path) && isBelow(path, root));
  try {
    for (const path of [...changed, join(root, fleetFileName)]) {
      const text = textBefore(path.endsWith(fleetFileName) ? realOf(path) : path);
      if (text === undefined) continue;
      const copy = join(before, relative(root, path));
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, text);
    }
    // Members of a first fleet file have other names than their folders had, and the same states.
    const known = new Set(members.flatMap((one) => [one.name, sharedState(root, one)]));
    const environment = { ...request.environment, RNV_ALLOW_COMMANDS: "0" };
    return (await findFleet({ ...request, root: before, cwd: before, environment }))
      .filter((one) => !known.has(one.name) && !known.has(sharedState(root, one)))
      .filter(({ manifest }) => existsSync(join(before, manifest)))
      .map((one) => {
        const { name, stage } = one;
        const address = sharedState(root, one);
        const state = address.includes("://") ? address : shownPath(address, realOf(request.cwd));
        return warning("manifest.not_found", `${name} is no longer declared; its resources still exist`, {
          detail: `Its state: ${state}`,
          hint:
            stage === undefined
              ? "To destroy them, run rnv destroy in its folder before you delete it"
              : `To destroy them: rnv destroy --stage ${stage} --state ${state}`,
        });
      });
  } catch (cause) {
    // A fleet that could not be read had no members.
    if (cause instanceof DiagnosticsError) return [];
    throw cause;
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
}

/**
 * Absolute paths of the files that differ from where this branch left `ref`: committed, in the working folder, and not
 * known to git; `textBefore` returns the text that a file had at the commit, undefined where it did not exist. A file that
 * moved counts at both places. Throws `DiagnosticsError` with git's own words.
 */
function changedFiles(ref: string, cwd: string, environment: ProcessEnvironment) {
  const given = commandEnvironment(environment, (name) => /^GIT_(DIR|WORK_TREE)$/.test(name));
  const env = { ...given, GIT_OPTIONAL_LOCKS: "0" };
  // Bytes of one list of paths.
  const limits = { cwd, env, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 } as const;
  const run = (...args: readonly string[]) =>
    spawnSync("git", ["-c", "core.fsmonitor=false", ...args], limits);
  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr, error } = run(...args);
    if (status === 0) return stdout;
    throw failure("command.usage", `--changed-since: git cannot compare with ${JSON.stringify(ref)}`, {
      detail: error === undefined ? stderr.trim() : `git cannot be started: ${error.message}`,
      hint: "leave it out, or in a shallow clone fetch more: git fetch origin main; actions/checkout with fetch-depth: 0; GIT_DEPTH: 0 in GitLab",
    });
  };
  const root = git("rev-parse", "--show-toplevel").replace(/\r?\n$/, "");
  const base = git("merge-base", "--end-of-options", ref, "HEAD").trim();
  // No setting of the clone, nor .gitmodules, hides anything.
  const whole = ["--no-renames", "--no-ext-diff", "--no-relative", "--ignore-submodules=none"];
  const listed = [
    git("-C", root, "diff", "--name-only", "-z", ...whole, base),
    git("-C", root, "ls-files", "--others", "--exclude-standard", "-z"),
  ];
  const names = listed.flatMap((list) => list.split("\0").filter((name) => name !== ""));
  return {
    paths: names.map((name) => resolve(root, name)),
    textBefore: (path: string): string | undefined => {
      const before = `${base}:${relative(root, path).split(sep).join("/")}`;
      const { status, stdout } = run("show", "--no-textconv", before);
      return status === 0 ? stdout : undefined;
    },
  };
}
