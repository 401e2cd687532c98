import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { tryRead } from "../../declaration/git";
import { filesBelow, isBelow, isMissing, realOf, shownPath } from "../../declaration/project-files";
import { commandEnvironment } from "../../declaration/trust";
import { type Diagnostic, DiagnosticsError, failure, warning } from "../../diagnostics/diagnostic";
import { reasonOf } from "../../model/file-error";
import { defaultManifest, manifestNames, yamlName } from "../find-files";
import { type FleetMember, type FleetRequest, findFleet, fleetFileName, memberPaths } from "./find-fleet";

type FleetChanges = ReturnType<typeof changesSince>;

/**
 * Absolute paths of the files that differ from where this branch left `ref`: committed, in the working folder, and not
 * known to git. A file that moved counts at both paths. `textBefore` returns the text that a file had at the commit,
 * undefined where it did not exist. Throws `DiagnosticsError` with git's own words.
 */
export function changesSince(ref: string, { root: cwd, environment }: FleetRequest) {
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
      detail: error ? `git: ${isMissing(error) ? "command not found" : reasonOf(error)}` : stderr.trim(),
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

/** Returns the members of which a file differs: all of them, where one of `shared` does, or the fleet file. */
export function changedMembers(
  members: readonly FleetMember[],
  { paths }: FleetChanges,
  root: string,
  shared: readonly string[],
): readonly FleetMember[] {
  // A path of git has links followed. It may be a folder: a submodule, or a link.
  const areTouched = (parts: readonly string[]): boolean =>
    paths.some((path) => parts.some((part) => isBelow(path, part) || isBelow(part, path)));
  const fleetFile = join(root, fleetFileName);
  const isOfAll = areTouched([fleetFile, realOf(fleetFile), ...shared]);
  return members.filter((member) => isOfAll || areTouched(memberPaths(member)));
}

/** Returns the same text for members whose runs would write one state; empty where it is unknown. */
export const sharedState = ({ cwd, state }: FleetMember): string =>
  state === "" || state.includes("://") ? state : resolve(realOf(cwd), state);

/** Returns a warning, with the state, for each member of the commit before that is not declared any more. */
export async function warnOfRemovedMembers(
  request: FleetRequest,
  members: readonly FleetMember[],
  { paths, textBefore }: FleetChanges,
): Promise<readonly Diagnostic[]> {
  const { root } = request;
  const before = mkdtempSync(join(tmpdir(), "rnv-fleet-"));
  // No program of that commit is run: it counts where its file is gone.
  const isManifest = (path: string): boolean =>
    yamlName.test(path) || (manifestNames.includes(basename(path)) && !existsSync(path));
  const changed = new Set(paths);
  const fleetFile = join(root, fleetFileName);
  const fleetText = textBefore(realOf(fleetFile));
  // A fleet file also names members of which no file differs.
  const all = fleetText === undefined ? paths : [...paths, ...[...filesBelow(root)].map(({ path }) => path)];
  const manifests = new Set(all.filter((path) => isManifest(path) && isBelow(path, root)));
  const copyTo = (path: string, text: string | undefined): void => {
    if (text === undefined) return;
    const copy = join(before, relative(root, path));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
  };
  try {
    for (const path of manifests) copyTo(path, changed.has(path) ? textBefore(path) : tryRead(path));
    copyTo(fleetFile, fleetText);
    // Members of a first fleet file have other names than their folders had, and the same states.
    const known = new Set(members.flatMap((member) => [member.name, sharedState(member)]));
    // The stages of a program are not known: it is gone where no stage of it is declared.
    const declared = new Set(members.map(({ name, stage = "" }) => name.replace(`@${stage}`, "")));
    const environment = { ...request.environment, RNV_ALLOW_COMMANDS: "0" };
    return (await findFleet({ ...request, root: before, cwd: before, environment }))
      .map((member) => ({ ...member, state: sharedState({ ...member, cwd: join(root, member.manifest) }) }))
      .filter(({ name, state }) => !known.has(name) && !known.has(state))
      .filter(({ name, cwd }) => Object.keys(defaultManifest(cwd)).length > 0 || !declared.has(name))
      .map(({ name, stage, state: address }) => {
        const isRemote = address.includes("://");
        const state = isRemote ? address : shownPath(address, realOf(request.cwd));
        const option = isRemote ? ` --state ${state}` : "";
        return warning("manifest.not_found", `${name} is no longer declared; its resources may still exist`, {
          detail: `Its state: ${state}`,
          hint:
            stage === undefined
              ? `To destroy them, run rnv destroy${option} in its folder before you delete it`
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
