import { type Command, CommanderError } from "commander";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { normalizeArgv } from "./argv";
import { type Interruption, listenForInterruption } from "./interruption";
import type { Handler, OptionValues } from "./invocation";
import { lazy } from "./lazy";
import { createProgram, optionShapes } from "./program";
import { createTerminal, type Terminal } from "./terminal";
import { tuneV8 } from "./tune-v8";
import { version } from "./version";

const exitInterrupted = 130;

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
    const { reportFailure } = lazy.report();
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
  tuneV8();
  try {
    await runHere();
  } catch (cause) {
    console.error("This is a bug in rnv. Please report it with the lines below.\n", cause);
    process.exit(1);
  }
}

async function runHere(): Promise<void> {
  const argv = process.argv.slice(2);
  const terminal = createTerminal(process, {
    environment: process.env,
    // Before parsing, because errors of parsing have colours too.
    noColor: argv.includes("--no-color") || argv.includes("-no-color"),
  });
  process.once("exit", terminal.flush);
  const interruption = listenForInterruption(process, () => process.exit(exitInterrupted));
  const exitCode = await run(argv, terminal, interruption);
  interruption.dispose();
  await terminal.flush();
  process.exit(exitCode);
}
