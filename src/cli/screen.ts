import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expectedFailure, type Outcome } from "../commands/context";
import { repositoryAround } from "../declaration/git";
import { isBelow } from "../declaration/project-files";
import { type Diagnostic, DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { standardInputName } from "../manifest/find-files";
import { reasonOf } from "../model/file-error";
import type { ProcessEnvironment } from "../model/process-environment";
import { explanationUrl } from "../model/tool-version";
import { githubAnnotations } from "../report/ci/annotations";
import { diagnosticsText } from "../report/diagnostics";
import { diagnosticData } from "../report/documents";
import { jsonText } from "../report/escape-text";
import { createStyle, type Style } from "../report/style";
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

type Format = "text" | "json" | "markdown";

/** The terminal of a run, and how it wants to be told. */
export interface Screen {
  readonly terminal: Terminal;
  readonly environment: ProcessEnvironment;
  /** The folder that paths of findings start from. */
  readonly cwd: string;
  /** `-json` is short for `--format json`. */
  readonly format: Format;
  /** False with `-input=false`: nothing is asked. */
  readonly input: boolean;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Returns the screen without its standard output. */
export const quiet = (screen: Screen): Screen => ({
  ...screen,
  terminal: withOut(screen.terminal, () => {}),
});

type Styled = Pick<Screen, "terminal">;

export const outStyle = ({ terminal: { color, width } }: Styled): Style => createStyle(color.out, width);

export const errStyle = ({ terminal: { color, width } }: Styled): Style => createStyle(color.err, width);

/** Prints the outcome of steps: what was done, and what was left as it is. */
export function notesOf(screen: Styled) {
  const { colors } = outStyle(screen);
  return {
    done: (text: string): void => screen.terminal.tell(`${colors.green("+")} ${text}\n`),
    kept: (text: string): void => screen.terminal.tell(`  ${text}\n`),
  };
}

type Told = Pick<Screen, "terminal" | "environment" | "cwd">;

/** Prints findings on standard error: standard output stays clean for pipes. In GitHub Actions as annotations too. */
export function report(screen: Told, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  screen.terminal.err(`${diagnosticsText(diagnostics, errStyle(screen))}\n`);
  const explained = diagnostics.find(
    ({ severity, code }) => severity === "error" && code !== "command.usage",
  );
  if (explained && screen.terminal.interactive) {
    const ways = [`rnv explain ${explained.code}`, explanationUrl(explained.code) ?? []].flat();
    screen.terminal.note(`To read more: ${ways.join(", or ")}\n`);
  }
  annotate(screen, diagnostics);
}

/** In GitHub Actions, findings as annotations beside the lines of the pull request. */
export function annotate({ terminal, environment, cwd }: Told, diagnostics: readonly Diagnostic[]): void {
  if (environment.GITHUB_ACTIONS !== "true") return;
  terminal.err(githubAnnotations(diagnostics, (file) => repositoryPath(file, cwd, environment)));
}

export const usage = (summary: string, hint?: string): DiagnosticsError =>
  failure("command.usage", summary, { hint });

/** Returns the outcome of a failure. An unforeseen error is called a bug, unless a file or folder caused it. */
export function failureOf(cause: unknown, isInterrupted: boolean): Outcome {
  const expected = expectedFailure(cause, isInterrupted);
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

/** Returns the outcome of a piece of work, or that of what it throws. */
export const outcomeOf = async <T extends Outcome>(
  { signal }: Pick<Screen, "signal">,
  work: () => Promise<T>,
): Promise<T | Outcome> => {
  try {
    return await work();
  } catch (cause) {
    return failureOf(cause, signal.aborted);
  }
};

/** Writes files of a run; reports what cannot be written, and returns 1 then. */
export function tryToWrite(screen: Told, write: () => void): number {
  try {
    write();
    return exitCodes.done;
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    report(screen, cause.diagnostics);
    return cause.exitCode;
  }
}

/** The one JSON document of a run that could not make what was asked for: a program never has to read prose. */
export const errorDocument = ({ diagnostics }: Pick<Outcome, "diagnostics">): string =>
  jsonText({ format_version: "1.2", errored: true, diagnostics: diagnostics.map(diagnosticData) });

/**
 * The path of a file from the root of its repository, as GitHub wants it in annotations; undefined where there is no file.
 * The root is the workspace of the job (GITHUB_WORKSPACE, CI_PROJECT_DIR) where that is a repository, else the nearest
 * folder above with `.git`, else that workspace. A file outside keeps its path.
 */
export function repositoryPath(
  file: string,
  cwd: string,
  environment: ProcessEnvironment,
): string | undefined {
  if (file === standardInputName) return undefined;
  const path = resolve(cwd, file);
  const workspace = environment.GITHUB_WORKSPACE || environment.CI_PROJECT_DIR || "";
  const isWorkspace = workspace !== "" && isBelow(path, workspace);
  const nearest = repositoryAround(dirname(path)) ?? (isWorkspace ? workspace : undefined);
  const root = isWorkspace && existsSync(join(workspace, ".git")) ? workspace : nearest;
  return root === undefined || !isBelow(path, root) ? file : relative(root, path).split(sep).join("/");
}
