import { spawn } from "node:child_process";
import { decodeSecret, type Fetched } from "./decode-secret";

export interface CommandOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Texts of the environment that it may print and nobody may see. */
  readonly hidden?: readonly string[];
  /** Bytes of output allowed. */
  readonly maxBytes: number;
  readonly timeoutMs?: number;
}

const shownErrorBytes = 500;

interface Outcome {
  readonly output: Buffer;
  readonly errors: Buffer;
  readonly problem?: string;
}

/**
 * The output of a program as a secret text: no shell, stdin closed, 30 s at most. What it printed as an error is
 * shown cut, inert, and only where it does not repeat the output.
 */
export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<Fetched> {
  const program = JSON.stringify(argv[0]);
  const outcome = await execute(argv, options);
  const text = decodeSecret(outcome.output);
  if (outcome.problem !== undefined) {
    const detail = shownErrors(outcome.errors, [text ?? "", ...(options.hidden ?? [])]);
    // What it needs is not here, as far as anyone can tell: a program, a login.
    return {
      problem: `the command ${program} ${outcome.problem}`,
      isMissing: true,
      ...(detail === "" ? {} : { detail }),
    };
  }
  if (text === undefined) return { problem: `the command ${program} did not print UTF-8 text` };
  if (text === "") return { problem: `the command ${program} printed nothing` };
  return { text };
}

function execute(argv: readonly string[], options: CommandOptions): Promise<Outcome> {
  const timeoutMs = options.timeoutMs ?? 30_000;
  return new Promise((resolve) => {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const child = spawn(argv[0] as string, argv.slice(1), {
      cwd: options.cwd,
      env: options.environment,
      shell: false,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const finish = (problem?: string): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({
        output: Buffer.concat(output),
        errors: Buffer.concat(errors),
        ...(problem === undefined ? {} : { problem }),
      });
    };
    const stop = (problem: string): void => {
      child.kill("SIGKILL");
      finish(problem);
    };
    const timer = setTimeout(() => stop(`did not end within ${timeoutMs / 1000} s`), timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > options.maxBytes) stop(`printed more than ${options.maxBytes} bytes`);
      else output.push(chunk);
    });
    let errorSize = 0;
    child.stderr.on("data", (chunk: Buffer) => {
      if (errorSize < shownErrorBytes) errors.push(chunk.subarray(0, shownErrorBytes - errorSize));
      errorSize += chunk.length;
    });
    child.on("error", (cause: NodeJS.ErrnoException) =>
      finish(`cannot be started: ${cause.code ?? "unknown reason"}`),
    );
    child.on("close", (code, signal) =>
      finish(
        code === 0 ? undefined : code === null ? `was ended by ${signal}` : `ended with exit code ${code}`,
      ),
    );
  });
}

function shownErrors(errors: Buffer, hidden: readonly string[]): string {
  const text = errors
    .toString("utf8")
    .replace(/[^\P{Cc}\n]/gu, " ")
    .trim();
  const secrets = hidden.flatMap((one) => one.split("\n")).filter((line) => line.trim() !== "");
  const shown = secrets.reduce((rest, line) => rest.replaceAll(line, "(sensitive)"), text);
  return shown === "" ? "" : `It printed: ${shown}`;
}
