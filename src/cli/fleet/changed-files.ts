import { spawnSync } from "node:child_process";
import { relative, resolve, sep } from "node:path";
import { type DiagnosticsError, failure } from "../../diagnostics/diagnostic";
import { commandEnvironment } from "../../manifest/trust";
import type { ProcessEnvironment } from "../../model/text";

/** Bytes of one list of paths. */
const mostOutput = 256 * 1024 * 1024;

/** What has changed since a commit. */
interface ChangedFiles {
  /** Absolute paths, with links followed. */
  readonly paths: readonly string[];
  /** Returns the text that a file had at the commit; undefined where it did not exist. */
  readonly textBefore: (path: string) => string | undefined;
}

/**
 * Absolute paths of the files that differ from where this branch left `ref`: committed, in the working folder, and not
 * known to git. A file that moved counts at both places. Throws `DiagnosticsError`.
 */
export function changedFiles(ref: string, cwd: string, environment: ProcessEnvironment): ChangedFiles {
  const git = (...args: readonly string[]) =>
    spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
      cwd,
      encoding: "utf8",
      maxBuffer: mostOutput,
      env: {
        ...commandEnvironment(environment, (name) => name === "GIT_DIR" || name === "GIT_WORK_TREE"),
        GIT_OPTIONAL_LOCKS: "0",
        // What it says is read.
        LC_ALL: "C",
      },
    });
  const top = git("rev-parse", "--show-toplevel");
  if (top.error !== undefined)
    throw refused("git cannot be started", "install it, or leave out --changed-since");
  if (top.status !== 0 && top.stderr.includes("dubious ownership"))
    throw refused(
      `git does not trust the repository of ${cwd}, which is another user's`,
      'at the top of the repository: git config --global --add safe.directory "$PWD"',
    );
  if (top.status !== 0) throw refused(`${cwd} is in no git repository`, "leave out --changed-since");
  const known = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`);
  if (known.status !== 0)
    throw refused(
      `git knows no commit ${JSON.stringify(ref)}`,
      "fetch it first: git fetch origin main; actions/checkout with fetch-depth: 0; GIT_DEPTH: 0 in GitLab",
    );
  const base = git("merge-base", known.stdout.trim(), "HEAD");
  if (base.status !== 0)
    throw refused(
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
  if (lists.some(({ status }) => status !== 0)) throw refused("git cannot tell what has changed");
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

const refused = (summary: string, hint?: string): DiagnosticsError =>
  failure("command.usage", `--changed-since: ${summary}`, { hint });
