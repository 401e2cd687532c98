import { type Command, CommanderError } from "commander";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { version } from "../model/version";
import { type Handler, type Interruption, listenForInterruption, type OptionValues } from "./invocation";
import { createProgram, normalizeArgv, optionShapes } from "./program";
import { exitCodes, report, reportFailure } from "./report";
import { createTerminal, type Terminal, wholeWrites } from "./terminal";

/** Runs one command line; resolves to the exit code of DESIGN section 8. Never rejects. */
async function run(argv: readonly string[], terminal: Terminal, interruption: Interruption): Promise<number> {
  let exitCode = 0;
  const program: Command = createProgram(handle, terminal, version);
  function handle(handler: Handler): (...parsed: unknown[]) => Promise<void> {
    return async (...parsed) => {
      const command = parsed.at(-1) as Command;
      const options: OptionValues = command.optsWithGlobals();
      if (typeof options.chdir === "string") changeFolder(options.chdir);
      exitCode = await handler({
        terminal,
        environment: process.env,
        cwd: process.cwd(),
        signal: interruption.signal,
        positional: command.processedArgs,
        options,
        commandLine: ["rnv", ...argv].map(quoted).join(" "),
        program,
      });
    };
  }
  try {
    await program.parseAsync([...normalizeArgv(argv, optionShapes(program))], { from: "user" });
    return exitCode;
  } catch (cause) {
    // The parser has told the user already. Help and version are not errors.
    if (cause instanceof CommanderError) return cause.exitCode;
    return reportFailure(cause, { terminal, environment: process.env }, interruption.signal.aborted);
  }
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function changeFolder(folder: string): void {
  try {
    process.chdir(folder);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new DiagnosticsError([error("command.usage", `-chdir: cannot go to ${folder} (${reason})`)]);
  }
}

/** Runs the command line of this process and ends it with the exit code. Never rejects. */
export async function main(): Promise<void> {
  try {
    await runHere();
  } catch (cause) {
    console.error("This is a bug in rnv. Please report it with the lines below.\n", cause);
    process.exit(1);
  }
}

/** Turns a success into exit code 1 when its output did not reach its file. Other failures say more than this one. */
async function exitCodeWith(terminal: Terminal, exitCode: number): Promise<number> {
  const cause = terminal.lostOutput();
  if (cause === undefined) return exitCode;
  report({ terminal, environment: process.env }, [
    error("command.output_lost", `standard output could not be written (${cause.code ?? cause.message})`, {
      detail: "What was printed is not whole. What the command does besides printing was done to its end.",
      hint: "make room where standard output goes, and run it again",
    }),
  ]);
  await terminal.flush();
  return exitCode === 0 || exitCode === 2 ? 1 : exitCode;
}

async function runHere(): Promise<void> {
  const argv = process.argv.slice(2);
  const stdout = wholeWrites(process.stdout);
  const streams = {
    // Opened only when it is read.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr: process.stderr,
  };
  const terminal = createTerminal(streams, {
    environment: process.env,
    // Before parsing, because errors of parsing have colours too.
    noColor: argv.includes("--no-color") || argv.includes("-no-color"),
  });
  const interruption = listenForInterruption(process, () => process.exit(exitCodes.interrupted));
  const exitCode = await run(argv, terminal, interruption);
  interruption.dispose();
  await terminal.flush();
  process.exit(await exitCodeWith(terminal, exitCode));
}
