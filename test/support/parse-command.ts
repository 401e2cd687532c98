import type { VerbRun } from "../../src/cli/invocation";
import { normalizeArgv, optionShapes } from "../../src/cli/options";
import { createProgram } from "../../src/cli/run";
import { createTerminal } from "../../src/cli/terminal";
import { fakeStreams } from "../unit/cli/fake-streams";

/** Parses a command line as the program does, and runs nothing. Rejects if a verb or an option does not exist. */
export async function parseCommand(line: string): Promise<readonly string[]> {
  const ran: string[] = [];
  const run: VerbRun =
    () =>
    async (...parsed) => {
      ran.push((parsed.at(-1) as ReturnType<typeof createProgram>).name());
    };
  const streams = fakeStreams();
  const program = createProgram(run, createTerminal(streams, { environment: {}, noColor: true }));
  try {
    await program.parseAsync([...normalizeArgv(line.split(/\s+/), optionShapes(program))], { from: "user" });
  } catch (cause) {
    throw new Error(`rnv ${line}: ${JSON.stringify(cause)}`);
  }
  return ran;
}

/** Names of the options of all commands, without dashes. */
export function optionNames(): ReadonlySet<string> {
  const program = createProgram(
    () => async () => {},
    createTerminal(fakeStreams(), { environment: {}, noColor: true }),
  );
  return new Set([...optionShapes(program).keys()].map((flag) => flag.replace(/^-+/, "")));
}
