import { Command, Help } from "commander";
import type { Outcome } from "../commands/context";
import { version } from "../model/tool-version";
import { ciVerbs } from "./ci/family";
import { fleetVerbs } from "./fleet/verbs";
import { mistakeIn, unknownVerb } from "./mistakes";
import type { Terminal } from "./terminal";
import {
  addVerbs,
  allCommands,
  folded,
  shownVerbs,
  type Verb,
  type VerbFamily,
  type VerbRun,
  wordsOf,
} from "./verb";
import { applyVerb, destroyVerb } from "./verbs/apply";
import { completeVerb } from "./verbs/completion";
import { driftVerb } from "./verbs/drift";
import { initVerb } from "./verbs/init";
import { exportVerb, importVerb } from "./verbs/live";
import { loginVerb } from "./verbs/login";
import { planVerb, policyVerbs, validateVerb } from "./verbs/plan";
import { promoteVerb } from "./verbs/promote";
import { runtimeVerbs } from "./verbs/runtime";
import { historyVerb, outputVerb, showVerb } from "./verbs/show";
import { stageVerbs } from "./verbs/stage";
import { forceUnlockVerb, stateVerbs } from "./verbs/state";
import { testVerb } from "./verbs/test";
import { graphVerb, toolVerbs } from "./verbs/tools";

/** Verbs that `rnv` alone shows; `rnv help -a` shows all. */
const daily = new Set("init login validate plan apply destroy drift show status import".split(" "));

const groups: readonly (readonly [heading: string, verbs: readonly (Verb | VerbFamily)[]])[] = [
  ["Main verbs:", [validateVerb, planVerb, applyVerb, destroyVerb, driftVerb, showVerb]],
  [
    "State and what is live:",
    [importVerb, exportVerb, outputVerb, graphVerb, historyVerb, forceUnlockVerb, stateVerbs, stageVerbs],
  ],
  ["In CI, and many manifests:", [ciVerbs, fleetVerbs, policyVerbs, testVerb]],
  ["Running services:", [...runtimeVerbs, promoteVerb]],
  ["Getting started and tools:", [initVerb, loginVerb, ...toolVerbs]],
];

/** The command line of DESIGN section 8, wired to `run`: every verb, or the one that `first` names; completion needs all. */
export function createProgram(run: VerbRun, terminal: Terminal, first?: string, listsAll = false): Command {
  const program = new Command("rnv")
    .description("Plans and applies projects, services, variables and deployments from files in git.")
    .usage("[-chdir=DIR] <verb> [options]")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .option("--chdir <dir>", "work in this folder")
    .option("--no-color", "no colour (also NO_COLOR)")
    .option("--profile <name>", "workspace and key that `rnv login` saved under this name (RNV_PROFILE)")
    .configureHelp({
      get showGlobalOptions() {
        return listsAll;
      },
      helpWidth: terminal.width ?? 100,
      minWidthToWrap: 20,
      visibleCommands: (command) =>
        shownVerbs(command).filter((verb) => command.parent || listsAll || daily.has(verb.name())),
      visibleOptions(command) {
        const shown = Help.prototype.visibleOptions.call(this as Help, command);
        return shown.filter((option) => listsAll || !folded.get(command)?.has(option));
      },
    })
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: () => {},
      getOutHasColors: () => terminal.color.out,
      getErrHasColors: () => terminal.color.err,
    })
    .addHelpText("after", () => (listsAll ? closing : shortClosing))
    .addHelpText("afterAll", ({ command }) =>
      command.parent && !listsAll ? `\nAll options: rnv help${wordsOf(command).slice(3)} -a` : "",
    );
  const isMeant = ({ name }: Verb | VerbFamily): boolean => name === first;
  const isNamed = first !== "complete" && groups.some(([, verbs]) => verbs.some(isMeant));
  for (const [heading, verbs] of groups)
    addVerbs(program.commandsGroup(heading), isNamed ? verbs.filter(isMeant) : verbs, run);
  addVerbs(program, isNamed ? [] : [completeVerb(program)], run);
  program
    .command("help [verb...]")
    .summary("Show help of a verb")
    .description("Show help of a verb. With -a: all verbs, or all options of the verb.")
    .option("-a, --all", "all verbs, the environment and the exit codes; of a verb, all options")
    .addHelpText("after", "\nExamples:\n  $ rnv help -a\n  $ rnv help state mv\n  $ rnv help plan -a\n")
    .action((words: readonly string[], { all }: { readonly all?: true }) => {
      listsAll = all === true;
      let command = program;
      for (const word of words) {
        const found = command.commands.find((verb) => verb.name() === word);
        if (!found) throw unknownVerb(command, word);
        command = found;
      }
      command.outputHelp();
    });
  for (const command of allCommands(program)) {
    command.exitOverride((cause) => {
      throw cause.exitCode === 0 || cause.code === "commander.help" ? cause : mistakeIn(command, cause);
    });
    command.on("beforeHelp", () => {
      const [word = "help"] = command.args;
      if (command.commands.length > 0 && /^(?!help$)\w/.test(word)) throw unknownVerb(command, word);
    });
  }
  return program;
}

/** Returns what the verb among the words prints for programs where the command line was refused. */
export function failedJson(outcome: Outcome, words: readonly string[]): string {
  const verbs = groups.flatMap(([, all]) => all);
  const [verb] = words.flatMap((word) => verbs.find(({ name }) => name === word) ?? []);
  return (verb && "failedJson" in verb && verb.failedJson?.(outcome, `rnv ${words.join(" ")}`)) || "";
}

const shortClosing = `
All verbs: rnv help -a. A verb and its options: rnv help plan. Documentation: docs/cli in the package.

Settings: RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY, or "embedded" to try rnv without an account:
  $ export RNV_BASE_URL=embedded
  $ rnv init && rnv apply
`;

const closing = `
Environment:
  RNV_BASE_URL       address of the platform's API, ending in /api/v1; "embedded" tries rnv without an account
  RNV_WORKSPACE_ID   UUID of the workspace
  RNV_API_KEY        API key of the workspace, or RNV_API_KEY_FILE: a file that holds it
  RNV_PROFILE        a profile of \`rnv login\` instead of these three, which win where they are set
  RNV_STATE          state file, https://… or s3://bucket/key, else .rnv/state.json; \${stack} in it is
                     the name of the stack (without it, stacks of an app have .rnv/STACK/state.json)
  RNV_STAGE          the stage: staging, preview/12; each has .rnv/STAGE/state.json
  RNV_STATE_KEY      key of the fingerprints of secrets, else the file beside the state
  RNV_STATE_ENCRYPTION   1 encrypts the state with RNV_STATE_KEY

Exit codes:
  0 done, no changes    3 partly applied        6 lock held                  130 interrupted
  1 error               4 refused by a guard    7 deploy failed, timed out
  2 changes             5 stale saved plan      8 saved, awaiting checkout

Options may be written with one dash or two: -auto-approve, --auto-approve.
`;
