import { Command } from "commander";
import type { OptionShape } from "./argv";
import type { Run } from "./invocation";
import type { Terminal } from "./terminal";
import { addPlanVerbs } from "./verbs/plan-verbs";
import { addRuntimeVerbs } from "./verbs/runtime-verbs";
import { addStateVerbs } from "./verbs/state-verbs";
import { addTerraformVerbs } from "./verbs/terraform-verbs";
import { addToolVerbs } from "./verbs/tool-verbs";

/** The whole command line: every verb of DESIGN section 8, wired to `run`. */
export function createProgram(run: Run, terminal: Terminal, version: string): Command {
  const program = new Command("rnv")
    .description("Plans and applies projects, services, variables and deployments from files in git.")
    .usage("[-chdir=DIR] <verb> [options]")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [verb]", "Show help of a verb")
    .option("--chdir <dir>", "work in this folder")
    .option("--no-color", "no colour (also NO_COLOR)")
    .configureHelp({ showGlobalOptions: true, helpWidth: terminal.width ?? 100 })
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHasColors: () => terminal.color.out,
      getErrHasColors: () => terminal.color.err,
    })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText("after", closing);
  addPlanVerbs(program, run);
  addStateVerbs(program, run);
  addRuntimeVerbs(program, run);
  addToolVerbs(program, run);
  addTerraformVerbs(program, run);
  pointToHelp(program, "rnv");
  return program;
}

/** A wrong call of a verb names the help of that verb. */
function pointToHelp(command: Command, words: string): void {
  command.showHelpAfterError(`(see \`${words} --help\`)`);
  for (const verb of command.commands) pointToHelp(verb, `${words} ${verb.name()}`);
}

const closing = `
Environment:
  RNV_BASE_URL       address of the service, ending in /api/v1; "embedded" tries rnv without an account
  RNV_WORKSPACE_ID   UUID of the workspace
  RNV_API_KEY        API key of the workspace, or RNV_API_KEY_FILE: a file that holds it
  RNV_STATE          state file, https://… or s3://bucket/key, else .rnv/state.json
  RNV_STATE_KEY      key of the fingerprints of secrets, else the file beside the state
  RNV_STATE_ENCRYPTION   1 encrypts the state with RNV_STATE_KEY

Exit codes:
  0 done, no changes    3 partly applied        6 lock held                  130 interrupted
  1 error               4 refused by a guard    7 deploy failed, timed out
  2 changes             5 stale saved plan      8 saved, awaiting checkout

Options may be written with one dash or two: -auto-approve, --auto-approve.

The first minute:
  $ export RNV_BASE_URL=embedded
  $ rnv init && rnv apply
`;

/** Every option of every verb: does a value follow it. For `normalizeArgv`. */
export function optionShapes(program: Command): ReadonlyMap<string, OptionShape> {
  const shapes = new Map<string, OptionShape>();
  for (const command of allCommands(program)) {
    for (const option of command.options) {
      const shape: OptionShape = option.required || option.optional ? "value" : "flag";
      for (const name of [option.long, option.short]) if (name) shapes.set(name.replace(/^-+/, ""), shape);
    }
  }
  return shapes;
}

/** The program and all commands below it. */
export function* allCommands(command: Command): Generator<Command> {
  yield command;
  for (const inner of command.commands) yield* allCommands(inner);
}
