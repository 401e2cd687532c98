import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Diagnostic, DiagnosticsError, failure, warning } from "../../diagnostics/diagnostic";
import { isBelow, realOf, shownPath } from "../../manifest/files";
import {
  type FleetMember,
  type FleetRequest,
  type FoundFleet,
  findFleet,
  pathsBeside,
  stateAddressOf,
} from "../../manifest/find-fleet";
import { commandEnvironment } from "../../manifest/trust";
import type { ProcessEnvironment } from "../../model/text";
import type { Invocation } from "../invocation";
import { report } from "../report";

/**
 * The members of which a file has changed since a commit of git, which names paths with links followed: anything in the
 * folder, or a file beside it that its manifest names. A change of the fleet file, or of a policy of the job, is of all.
 * Reports members that are gone since.
 */
export function changedMembers(
  invocation: Invocation,
  ref: string,
  request: FleetRequest,
  fleet: FoundFleet,
): readonly FleetMember[] {
  const { cwd, environment } = invocation;
  const { members, file } = fleet;
  const root = realOf(fleet.root);
  const changes = changedFiles(ref, root, environment);
  report(invocation, warnOfGone(request, { ...fleet, root }, changes));
  const policies = (environment.RNV_POLICY ?? "").split(",").filter((path) => path.trim() !== "");
  const ofFleet = file === undefined ? [] : [join(root, basename(file)), realOf(file)];
  const common = [...ofFleet, ...policies.map((path) => realOf(resolve(cwd, path.trim())))];
  // A path of git may be a folder: a submodule, or a link.
  const isTouched = (part: string): boolean =>
    changes.paths.some((path) => isBelow(path, part) || isBelow(part, path));
  if (common.some(isTouched)) return members;
  return members.filter((member) =>
    [resolve(root, member.folder), ...pathsBeside(member, root)].some(isTouched),
  );
}

/** Members of the commit before, of manifests and stages that are not declared any more: a warning with the state of each. */
function warnOfGone(
  request: FleetRequest,
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
    return membersBefore({ ...request, place, cwd: before })
      .filter(
        ({ name, folder }) => members.every((kept) => kept.name !== name) && existsSync(join(before, folder)),
      )
      .map((member) => warnOfMember(member, root, request.cwd));
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
}

function warnOfMember(member: FleetMember, root: string, cwd: string): Diagnostic {
  const { name, folder, stage } = member;
  const text = stateAddressOf(member);
  const state = text.includes("://") ? text : shownPath(resolve(root, folder, text), realOf(cwd));
  return warning("manifest.not_found", `${name} is no longer declared; its resources still exist`, {
    detail: `Its state: ${state}`,
    hint:
      stage === undefined
        ? "To destroy them, run rnv destroy in its folder before you delete it"
        : `To destroy them: rnv destroy --stage ${stage} --state ${state}`,
  });
}

/** The members of a fleet as it was; none where it cannot be read any more. */
function membersBefore(request: FleetRequest): readonly FleetMember[] {
  try {
    return findFleet(request).members;
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return [];
    throw cause;
  }
}

type ChangedFiles = ReturnType<typeof changedFiles>;

/**
 * Absolute paths of the files that differ from where this branch left `ref`: committed, in the working folder, and not
 * known to git; `textBefore` returns the text that a file had at the commit, undefined where it did not exist. A file that
 * moved counts at both places. Throws `DiagnosticsError`.
 */
function changedFiles(ref: string, cwd: string, environment: ProcessEnvironment) {
  const run = (...args: readonly string[]) =>
    spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
      cwd,
      encoding: "utf8",
      // Bytes of one list of paths.
      maxBuffer: 256 * 1024 * 1024,
      env: {
        ...commandEnvironment(environment, (name) => name === "GIT_DIR" || name === "GIT_WORK_TREE"),
        GIT_OPTIONAL_LOCKS: "0",
      },
    });
  /** Returns what git prints; throws `problem`, with git's own words, where it does not. */
  const git = (problem: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr, error } = run(...args);
    if (status === 0) return stdout;
    throw failure("command.usage", `--changed-since: ${problem}`, {
      detail: error === undefined ? stderr.trim() : `git cannot be started: ${error.message}`,
      hint: "leave it out, or in a shallow clone fetch more: git fetch origin main; actions/checkout with fetch-depth: 0; GIT_DEPTH: 0 in GitLab",
    });
  };
  const named = JSON.stringify(ref);
  const top = git(`${cwd} is in no git repository that can be read`, "rev-parse", "--show-toplevel");
  const root = top.replace(/\r?\n$/, "");
  const verify = ["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`];
  const commit = git(`git knows no commit ${named}`, ...verify).trim();
  const left = git(`git does not know where this branch left ${named}`, "merge-base", commit, "HEAD");
  const base = left.trim();
  const unknown = "git cannot tell what has changed";
  const listed = [
    // No setting of the clone, nor .gitmodules, hides anything.
    git(
      ...[unknown, "-C", root, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff"],
      ...["--no-relative", "--ignore-submodules=none", base],
    ),
    git(unknown, "-C", root, "ls-files", "--others", "--exclude-standard", "-z"),
  ];
  const paths = listed.flatMap((list) => list.split("\0").filter((path) => path !== ""));
  return {
    paths: paths.map((path) => resolve(root, path)),
    textBefore: (path: string): string | undefined => {
      const name = relative(root, path).split(sep).join("/");
      const { status, stdout } = run("show", "--no-textconv", `${base}:${name}`);
      return status === 0 ? stdout : undefined;
    },
  };
}
