import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Diagnostic, DiagnosticsError, error, failure, warning } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { isBelow, realOf, shownPath } from "../../manifest/files";
import { type FoundFleet, findFleet, pathsBeside } from "../../manifest/find-fleet";
import { stateNamedFor } from "../../manifest/fleet-environment";
import { commandEnvironment } from "../../manifest/trust";
import { type FleetMember, memberPlace, type Shard } from "../../model/fleet";
import { fillStage, splitStage, stageText } from "../../model/stage";
import { compareTexts, namePattern, type ProcessEnvironment, sha256, shortList } from "../../model/text";
import { resourceTypes } from "../../resources";
import { parseStateAddress } from "../../state/state-address";
import { type Invocation, listOf } from "../invocation";
import { report } from "../report";
import { askedStage } from "../stages";

/**
 * Returns the members that a command line means, of a folder or a fleet file: `all`, those that are named and have changed in
 * all shards (`selected`), and those to run in this shard (`members`).
 */
export function chooseMembers(invocation: Invocation) {
  const { cwd, environment, options, positional } = invocation;
  const place = resolve(cwd, (positional[0] as string | undefined) ?? ".");
  const untrusted = options.untrusted === true;
  const fleet = findFleet({ place, cwd, types: resourceTypes, environment, untrusted });
  const { members: all, root } = fleet;
  const ref = options.changedSince;
  const changes = typeof ref === "string" ? changedFiles(ref, realOf(root), environment) : undefined;
  if (changes) report(invocation, warnOfGone(invocation, { ...fleet, root: realOf(root) }, changes));
  if (all.length === 0)
    throw failure("manifest.not_found", `there is no manifest below ${place}`, {
      hint: "a member has rnv.yaml, rnv.yml or a folder rnv; others are named in rnv.fleet.yaml",
    });
  const shared = sharedStates(all, root, environment);
  if (shared.length > 0) throw new DiagnosticsError(shared);
  const named = namedMembers(all, invocation);
  const selected = changes ? changedSince(changes, named, fleet, invocation) : named;
  const shard = (options.shard as Shard | undefined) ?? shardOf(environment);
  return { all, selected, members: inShard(selected, shard), root, shard };
}

/** Members of the commit before, of manifests and stages that are not declared any more: a warning with the state of each. */
function warnOfGone(
  { cwd, environment, options }: Invocation,
  { members, root, file }: FoundFleet,
  { paths, textBefore }: ChangedFiles,
): readonly Diagnostic[] {
  const before = mkdtempSync(join(tmpdir(), "rnv-fleet-"));
  try {
    for (const path of paths.filter((one) => /\.ya?ml$/.test(one) && isBelow(one, root))) {
      const text = textBefore(path);
      const copy = join(before, relative(root, path));
      if (text === undefined) continue;
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, text);
    }
    if (file !== undefined) writeFileSync(join(before, basename(file)), textBefore(realOf(file)) ?? "");
    const place = file === undefined ? before : join(before, basename(file));
    const untrusted = options.untrusted === true;
    const found = fleetBefore({ place, cwd: before, types: resourceTypes, environment, untrusted });
    const kept = new Set(members.map(({ name }) => name));
    return found
      .filter(({ name, folder }) => !kept.has(name) && existsSync(join(before, folder)))
      .map((member) => {
        const { folder, stage = "" } = member;
        const named = member.stateOfStage ?? stateNamedFor(member, environment);
        const text = fillStage(named ?? join(".rnv", stage, "state.json"), splitStage(stage));
        const state = text.includes("://") ? text : shownPath(resolve(root, folder, text), realOf(cwd));
        return warning(
          "manifest.not_found",
          `${member.name} is no longer declared; its resources still exist`,
          {
            detail: `Its state: ${state}`,
            hint:
              member.stage === undefined
                ? "To destroy them, run rnv destroy in its folder before you delete it"
                : `To destroy them: rnv destroy --stage ${member.stage} --state ${state}`,
          },
        );
      });
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
}

/** The members of a fleet as it was; none where it cannot be read any more. */
function fleetBefore(request: Parameters<typeof findFleet>[0]): readonly FleetMember[] {
  try {
    return findFleet(request).members;
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return [];
    throw cause;
  }
}

/**
 * The members of which a file has changed since a commit of git, which names paths with links followed: anything in the
 * folder, or a file beside it that its manifest names. A change of the fleet file, or of a policy of the job, is of all.
 */
function changedSince(
  { paths }: ChangedFiles,
  members: readonly FleetMember[],
  { root: asked, file }: FoundFleet,
  { cwd, environment }: Invocation,
): readonly FleetMember[] {
  const root = realOf(asked);
  const policies = (environment.RNV_POLICY ?? "").split(",").filter((path) => path.trim() !== "");
  const ofFleet = file === undefined ? [] : [join(root, basename(file)), realOf(file)];
  const common = [...ofFleet, ...policies.map((path) => realOf(resolve(cwd, path.trim())))];
  // A path of git may be a folder: a submodule, or a link.
  const isTouched = (part: string): boolean =>
    paths.some((path) => isBelow(path, part) || isBelow(part, path));
  if (common.some(isTouched)) return members;
  return members.filter((member) =>
    [resolve(root, member.folder), ...pathsBeside(member, root)].some(isTouched),
  );
}

/** The members that `--member` and `--stage` name; all without either. */
function namedMembers(all: readonly FleetMember[], invocation: Invocation): readonly FleetMember[] {
  const words = listOf(invocation.options.member);
  const asked = askedStage(invocation);
  const stage = asked && stageText(asked);
  const inStage = stage === undefined ? all : all.filter((member) => member.stage === stage);
  if (inStage.length === 0) {
    const stages = shortList([...new Set(all.flatMap((member) => member.stage ?? []))], 10);
    const hint = stages === "" ? "no manifest of this fleet declares stages" : `there are: ${stages}`;
    throw failure("command.usage", `no member has the stage ${JSON.stringify(stage)}`, { hint });
  }
  if (words.length === 0) return inStage;
  const names = inStage.map(({ name }) => name);
  const patterns = words.map((word) => ({ word, pattern: namePattern(word) }));
  const missed = patterns.find(({ pattern }) => !names.some((name) => pattern.test(name)));
  if (missed !== undefined)
    throw failure("command.usage", `there is no member ${JSON.stringify(missed.word)}`, {
      hint: didYouMean(missed.word, names) ?? `there are: ${shortList(names, 10)}`,
    });
  return inStage.filter(({ name }) => patterns.some(({ pattern }) => pattern.test(name)));
}

/** The shard of a job of several: an Indexed Job of Kubernetes, which has to say of how many, or `parallel` of GitLab. */
function shardOf(environment: ProcessEnvironment): Shard | undefined {
  const { JOB_COMPLETION_INDEX: index, RNV_SHARDS: shards } = environment;
  const { CI_NODE_INDEX: node, CI_NODE_TOTAL: nodes } = environment;
  if (index !== undefined && index !== "") {
    if (shards === undefined || shards === "")
      throw failure("config.missing", "RNV_SHARDS is not set", {
        detail: "JOB_COMPLETION_INDEX says which of the pods of an Indexed Job this is; not of how many.",
        hint: "set RNV_SHARDS to the completions of the job, or give --shard 1/1 for the whole fleet",
      });
    return checkedShard(Number(index) + 1, Number(shards), "JOB_COMPLETION_INDEX and RNV_SHARDS");
  }
  if (!node || !nodes) return undefined;
  return checkedShard(Number(node), Number(nodes), "CI_NODE_INDEX and CI_NODE_TOTAL");
}

function checkedShard(index: number, count: number, from: string): Shard {
  if (Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count)
    return { index, count };
  throw failure("config.invalid", `${from} name no shard: number ${index} of ${count}`, {
    hint: "give --shard 1/4, or 1/1 for the whole fleet",
  });
}

/**
 * The members of one shard: every `count`-th in the order of a hash of their names, so that shards differ in size by one
 * at most, and large neighbours do not meet in one. Shards 1 to `count` together are all members, each once.
 */
export function inShard(members: readonly FleetMember[], shard: Shard | undefined): readonly FleetMember[] {
  if (shard === undefined) return members;
  const hashes = members.map(({ name }) => sha256(name)).sort(compareTexts);
  const chosen = new Set(hashes.filter((_, at) => at % shard.count === shard.index - 1));
  return members.filter(({ name }) => chosen.has(sha256(name)));
}

/** Members whose runs would write one state: an error for each such state. */
function sharedStates(
  members: readonly FleetMember[],
  root: string,
  environment: ProcessEnvironment,
): readonly Diagnostic[] {
  const byState = new Map<string, string[]>();
  for (const member of members) {
    const state = stateOf(member, root, environment);
    if (state !== undefined) byState.set(state, [...(byState.get(state) ?? []), member.name]);
  }
  return [...byState.values()]
    .filter((names) => names.length > 1)
    .map((names) =>
      error("config.invalid", `${names.join(" and ")} would have one state`, {
        detail: "Each would plan to delete what the other has made.",
        hint: `give each a state of its own: RNV_STATE, and state in the fleet file, may hold ${memberPlace} and, where there are stages, \${stage.name}`,
      }),
    );
}

/** Where the state of a member is: equal for two that would write the same; undefined where its own run refuses it. */
function stateOf(member: FleetMember, root: string, environment: ProcessEnvironment): string | undefined {
  const { stateOfStage, stage: name } = member;
  const stage = name === undefined ? undefined : splitStage(name);
  const text = stateOfStage ?? stateNamedFor(member, environment) ?? `.rnv/${name ?? ""}/state.json`;
  const { address } = parseStateAddress(stage === undefined ? text : fillStage(text, stage));
  if (text === "" || address === undefined) return undefined;
  if (address.kind === "s3") return `s3://${address.endpoint ?? ""}/${address.bucket}/${address.key}`;
  if (address.kind === "http") return new URL(address.url).href;
  const path = resolve(realOf(resolve(root, member.folder)), address.path);
  return join(realOf(dirname(path)), basename(path));
}

type ChangedFiles = ReturnType<typeof changedFiles>;

/**
 * Absolute paths of the files that differ from where this branch left `ref`: committed, in the working folder, and not
 * known to git; `textBefore` returns the text that a file had at the commit, undefined where it did not exist. A file that
 * moved counts at both places. Throws `DiagnosticsError`.
 */
function changedFiles(ref: string, cwd: string, environment: ProcessEnvironment) {
  const git = (...args: readonly string[]) =>
    spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
      cwd,
      encoding: "utf8",
      // Bytes of one list of paths.
      maxBuffer: 256 * 1024 * 1024,
      env: {
        ...commandEnvironment(environment, (name) => name === "GIT_DIR" || name === "GIT_WORK_TREE"),
        GIT_OPTIONAL_LOCKS: "0",
        // What it says is read.
        LC_ALL: "C",
      },
    });
  const top = git("rev-parse", "--show-toplevel");
  if (top.error !== undefined)
    throw unknownChanges("git cannot be started", "install it, or leave out --changed-since");
  if (top.status !== 0 && top.stderr.includes("dubious ownership"))
    throw unknownChanges(
      `git does not trust the repository of ${cwd}, which is another user's`,
      'at the top of the repository: git config --global --add safe.directory "$PWD"',
    );
  if (top.status !== 0) throw unknownChanges(`${cwd} is in no git repository`, "leave out --changed-since");
  const known = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`);
  if (known.status !== 0)
    throw unknownChanges(
      `git knows no commit ${JSON.stringify(ref)}`,
      "fetch it first: git fetch origin main; actions/checkout with fetch-depth: 0; GIT_DEPTH: 0 in GitLab",
    );
  const base = git("merge-base", known.stdout.trim(), "HEAD");
  if (base.status !== 0)
    throw unknownChanges(
      `git does not know where this branch left ${JSON.stringify(ref)}`,
      "the clone is too shallow: actions/checkout with fetch-depth: 0; GIT_DEPTH: 0 in GitLab",
    );
  const root = top.stdout.replace(/\r?\n$/, "");
  const lists = [
    // No setting of the clone, nor .gitmodules, hides anything.
    git(
      ...["-C", root, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-relative"],
      ...["--ignore-submodules=none", base.stdout.trim()],
    ),
    git("-C", root, "ls-files", "--others", "--exclude-standard", "-z"),
  ];
  if (lists.some(({ status }) => status !== 0)) throw unknownChanges("git cannot tell what has changed");
  const paths = lists.flatMap(({ stdout }) =>
    stdout
      .split("\0")
      .filter((path) => path !== "")
      .map((path) => resolve(root, path)),
  );
  const textBefore = (path: string): string | undefined => {
    const name = relative(root, path).split(sep).join("/");
    const shown = git("show", "--no-textconv", `${base.stdout.trim()}:${name}`);
    return shown.status === 0 ? shown.stdout : undefined;
  };
  return { paths, textBefore };
}

const unknownChanges = (summary: string, hint?: string): DiagnosticsError =>
  failure("command.usage", `--changed-since: ${summary}`, { hint });
