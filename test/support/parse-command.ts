import { normalizeArgv, optionShapes } from "../../src/cli/argv";
import { createProgram } from "../../src/cli/program";
import { createTerminal } from "../../src/cli/terminal";
import { fakeStreams } from "../unit/cli/fake-streams";

const terminal = createTerminal(fakeStreams(), { environment: {}, noColor: true });

/** Parses a command line as the program does, and runs nothing. Rejects if a verb or an option does not exist. */
export async function parseCommand(line: string): Promise<readonly string[]> {
  const ran: string[] = [];
  const program = createProgram(async ({ name }) => {
    ran.push(name);
  }, terminal);
  try {
    await program.parseAsync([...normalizeArgv(line.split(/\s+/), optionShapes(program))], { from: "user" });
  } catch (cause) {
    throw new Error(`rnv ${line}: ${JSON.stringify(cause)}`);
  }
  return ran;
}

/** Names of the options of all commands, without dashes. */
export function optionNames(): ReadonlySet<string> {
  const program = createProgram(async () => {}, terminal);
  return new Set([...optionShapes(program).keys()].map((flag) => flag.replace(/^-+/, "")));
}
