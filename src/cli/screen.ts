import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expectedFailure, type Outcome } from "../commands/context";
import { repositoryAround } from "../declaration/git";
import { isBelow } from "../declaration/project-files";
import { type Diagnostic, DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { standardInputName } from "../manifest/find-files";
import { reasonOf } from "../model/file-error";
import { explanationUrl } from "../model/tool-version";
import { githubAnnotations } from "../report/ci/artifacts";
import { diagnosticsText } from "../report/diagnostics";
import { diagnosticData } from "../report/documents";
import { jsonText } from "../report/escape-text";
import type { Place } from "./ci/job";
import { type Terminal, withOut } from "./terminal";

export const exitCodes = {
  done: 0,
  error: 1,
  changes: 2,
  partly: 3,
  refused: 4,
  stale: 5,
  interrupted: 130,
} as const;

/** The terminal of a run, and the format of its output. */
export interface Screen extends Place {
  readonly terminal: Terminal;
  readonly format: "text" | "json" | "markdown";
  /** False with `-input=false`: never ask. */
  readonly input: boolean;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Returns the screen without its standard output. */
export const quiet = (screen: Screen): Screen => ({
  ...screen,
  terminal: withOut(screen.terminal, () => {}),
});

/** Returns functions that print a completed step, and a step that left its file or setting unchanged. */
export function notesOf({ terminal }: Pick<Screen, "terminal">) {
  return {
    done: (text: string): void => terminal.tell(`${terminal.style.colors.green("+")} ${text}\n`),
    kept: (text: string): void => terminal.tell(`  ${text}\n`),
  };
}

type ReportScreen = Pick<Screen, "terminal" | "environment" | "cwd">;

/** Prints findings on standard error, and as annotations in GitHub Actions. */
export function report(screen: ReportScreen, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  screen.terminal.err(`${diagnosticsText(diagnostics, screen.terminal.errStyle)}\n`);
  const explained = diagnostics.find(
    ({ severity, code }) => severity === "error" && code !== "command.usage",
  );
  if (explained && screen.terminal.interactive) {
    const ways = [`rnv explain ${explained.code}`, explanationUrl(explained.code) ?? []].flat();
    screen.terminal.note(`To read more: ${ways.join(", or ")}\n`);
  }
  annotate(screen, diagnostics);
}

export function annotate(screen: ReportScreen, diagnostics: readonly Diagnostic[]): void {
  if (screen.environment.GITHUB_ACTIONS !== "true") return;
  screen.terminal.err(githubAnnotations(diagnostics, (file) => repositoryPath(file, screen)));
}

export const usage = (summary: string, hint?: string): DiagnosticsError =>
  failure("command.usage", summary, { hint });

/** Returns the outcome of a failure. An unexpected error is a bug unless a file or folder caused it. */
export function failureOf(cause: unknown, signal: AbortSignal): Outcome {
  const expected = expectedFailure(cause, signal.aborted);
  if (expected) return expected;
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const { syscall, path } = (cause ?? {}) as NodeJS.ErrnoException;
  const file = syscall === "uv_cwd" ? "the working folder" : path;
  const found =
    syscall === undefined || file === undefined
      ? error("internal.bug", "this is a bug in rnv: please report it", { detail })
      : error("command.usage", `cannot use ${file}: ${reasonOf(cause)}`);
  return { diagnostics: [found], exitCode: exitCodes.error };
}

export const outcomeOf = async <T extends Outcome>(
  { signal }: Pick<Screen, "signal">,
  work: () => Promise<T>,
): Promise<T | Outcome> => {
  try {
    return await work();
  } catch (cause) {
    return failureOf(cause, signal);
  }
};

/** Writes files of a run. Returns 1 after it reported a file that cannot be written. */
export function tryToWrite(screen: ReportScreen, write: () => void): number {
  try {
    write();
    return exitCodes.done;
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    report(screen, cause.diagnostics);
    return cause.exitCode;
  }
}

export const errorDocument = ({ diagnostics }: Pick<Outcome, "diagnostics">): string =>
  jsonText({ format_version: "1.2", errored: true, diagnostics: diagnostics.map(diagnosticData) });

/**
 * Returns the path of a file from the root of its repository, for annotations; undefined for standard input. The root
 * is the workspace of the job (GITHUB_WORKSPACE, CI_PROJECT_DIR) if it is a repository, else the nearest folder above
 * with `.git`, else that workspace. A file outside keeps its path.
 */
export function repositoryPath(file: string, { cwd, environment }: Place): string | undefined {
  if (file === standardInputName) return undefined;
  const path = resolve(cwd, file);
  const workspace = environment.GITHUB_WORKSPACE || environment.CI_PROJECT_DIR || "";
  const isWorkspace = workspace !== "" && isBelow(path, workspace);
  const nearest = repositoryAround(dirname(path)) ?? (isWorkspace ? workspace : undefined);
  const root = isWorkspace && existsSync(join(workspace, ".git")) ? workspace : nearest;
  return root === undefined || !isBelow(path, root) ? file : relative(root, path).split(sep).join("/");
}
