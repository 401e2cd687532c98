import { Command, type CommanderError, Help, type Option } from "commander";
import type { Outcome } from "../commands/context";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { suggest } from "../diagnostics/suggest";
import { version } from "../model/tool-version";
import { ciVerbs } from "./ci/family";
import { fleetVerbs } from "./fleet/verbs";
import { dailyOptions, foldedOptions, text } from "./options";
import { usage } from "./screen";
import type { Terminal } from "./terminal";
import { allCommands, shownOptions, shownVerbs, type Verb, type VerbFamily, wordsOf } from "./verb";
import { applyVerb, destroyVerb } from "./verbs/apply";
import { completeVerb } from "./verbs/completion";
import { driftVerb } from "./verbs/drift";
import { exportVerb, importVerb } from "./verbs/import-export";
import { initVerb } from "./verbs/init";
import { loginVerb } from "./verbs/login";
import { planVerb, policyVerbs, validateVerb } from "./verbs/plan";
import { promoteVerb } from "./verbs/promote";
import { runtimeVerbs } from "./verbs/runtime";
import { historyVerb, outputVerb, showVerb } from "./verbs/show";
import { stageVerbs } from "./verbs/stage";
import { forceUnlockVerb, stateVerbs } from "./verbs/state";
import { testVerb } from "./verbs/test";
import { graphVerb, toolVerbs } from "./verbs/tools";

/** Verbs in the help of `rnv`; `rnv help -a` shows all. */
const dailyVerbs = new Set("init login validate plan apply destroy drift show status import".split(" "));

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

const daily = new Map<Option, number>(Object.values(dailyOptions).map((option, at) => [option, at]));
const folded = new Set<Option>(Object.values(foldedOptions));

const isFolded = (option: Option): boolean => folded.has(option) || folded.has(Object.getPrototypeOf(option));

/** Daily options stand first and folded ones last, with the options of the verb alone between them. */
const placeOf = (option: Option): number =>
  daily.get(option) ?? daily.get(Object.getPrototypeOf(option)) ?? daily.size + Number(isFolded(option));

type VerbRun = (verb: Verb, command: Command) => Promise<void>;

/** Builds the command line of DESIGN section 8. */
export function createProgram(run: VerbRun, terminal: Terminal, { listsAll = false } = {}): Command {
  const program = new Command("rnv")
    .description("Plans and applies projects, services, variables and deployments from files in git.")
    .usage("[-chdir=DIR] <verb> [options]")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .addOption(text("--chdir <dir>", "work in this folder"))
    .option("--no-color", "no colour (also NO_COLOR)")
    .option("--profile <name>", "workspace and key that `rnv login` saved under this name (RNV_PROFILE)")
    .configureHelp({
      get showGlobalOptions() {
        return listsAll;
      },
      helpWidth: terminal.width ?? 100,
      minWidthToWrap: 20,
      visibleCommands: (command) =>
        shownVerbs(command).filter((verb) => command.parent || listsAll || dailyVerbs.has(verb.name())),
      visibleOptions(command) {
        const shown = Help.prototype.visibleOptions.call(this as Help, command);
        return shown.filter((option) => listsAll || !isFolded(option));
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
  for (const [heading, verbs] of groups) addVerbs(program.commandsGroup(heading), verbs, run);
  addVerbs(program, [completeVerb(program)], run);
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

function addVerbs(parent: Command, verbs: readonly (Verb | VerbFamily)[], run: VerbRun): void {
  for (const verb of verbs) {
    const { name, summary, status } = verb;
    const shown = status === undefined ? summary : `${summary} (${status})`;
    const command = parent.command(name, { hidden: "hidden" in verb && verb.hidden === true }).summary(shown);
    if ("verbs" in verb) addVerbs(command.description(verb.description ?? `${summary}.`), verb.verbs, run);
    else addVerb(command.description(`${shown}.${verb.detail ? `\n\n${verb.detail}` : ""}`), verb, run);
  }
}

function addVerb(command: Command, verb: Verb, run: VerbRun): void {
  const { options: own = {}, arguments: positionals = {}, examples } = verb;
  for (const argument of Object.values(positionals)) command.addArgument(argument);
  for (const option of Object.values(own).sort((a, b) => placeOf(a) - placeOf(b))) command.addOption(option);
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}   ${meaning}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`).action(() => run(verb, command));
}

/** Returns the JSON of the verb among the words for a refused command line. */
export function failedJson(outcome: Outcome, words: readonly string[]): string {
  const verbs = groups.flatMap(([, all]) => all);
  const [verb] = words.flatMap((word) => verbs.find(({ name }) => name === word) ?? []);
  return (verb && "failed" in verb && verb.failed?.json?.(outcome, `rnv ${words.join(" ")}`)) || "";
}

function mistakeIn(command: Command, { code, message }: CommanderError): DiagnosticsError {
  if (code === "commander.unknownCommand") return unknownVerb(command, command.args[0] ?? "");
  // Omit the value of the option, which may be secret.
  const [, option, name = ""] = /^error: (unknown option '--?([^=']*))/.exec(message) ?? [];
  if (Object.hasOwn(terraformOptions, name))
    return failure("command.usage", terraformOptions[name] as string);
  const known = ["help", ...shownOptions(command).map((shown) => shown.name())];
  const similar = option && suggest(name, known);
  const hint = similar ? `did you mean "--${similar}"?` : `${wordsOf(command)} --help`;
  return failure("command.usage", option ? `${option}'` : message.replace(/^error: /, ""), { hint });
}

/** Returns the error for a verb that does not exist. No hint leads to `destroy`. */
function unknownVerb(command: Command, word: string): DiagnosticsError {
  if (!command.parent && Object.hasOwn(terraformVerbs, word))
    return failure("command.usage", terraformVerbs[word] as string);
  const verbs = shownVerbs(command).map((verb) => verb.name());
  const similar = suggest(word, verbs);
  const help = command.parent ? `${wordsOf(command)} --help` : "rnv help -a";
  const hint = similar === undefined || similar === "destroy" ? help : `did you mean "${similar}"?`;
  return usage(`${wordsOf(command)} has no verb "${word}"`, hint);
}

/** Terraform's verbs that rnv lacks, and rnv's way. */
const terraformVerbs: Readonly<Record<string, string>> = {
  workspace: "rnv has stages instead of workspaces: declare `stages`, then pass --stage NAME",
  fmt: "rnv does not format manifests: any YAML formatter does",
  taint: "to create a resource again: rnv apply -replace=ADDRESS",
  untaint: "rnv marks no resource as tainted: nothing has to be undone",
  refresh: "to record what is live: rnv apply -refresh-only",
  console: "rnv has no console: rnv output and rnv show print values",
  get: "rnv has no modules to download: pass several files with -f",
  providers: "rnv has one provider, itself: rnv version",
  up: "to create or change resources: rnv apply",
  down: "to destroy everything that the state records: rnv destroy",
};

/** Terraform's options that rnv lacks, and rnv's way. */
const terraformOptions: Readonly<Record<string, string>> = {
  var: "rnv has no -var: use ${env.NAME} in the manifest, or { fromEnv: NAME } for a secret",
  "var-file":
    "rnv has no -var-file: pass an overlay as a later -f FILE, or use variablesFrom: [{ dotenv: FILE }]",
  lock: "rnv always locks a state that it writes: -lock-timeout=5m waits for another run",
  refresh: "rnv always reads what is live: a plan needs three requests",
  "compact-warnings": "rnv prints each warning once: -json is for programs",
};

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
