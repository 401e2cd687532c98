import { setMaxListeners } from "node:events";
import { Command, CommanderError } from "commander";
import { type DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { suggest } from "../diagnostics/suggest";
import type { ProcessEnvironment } from "../model/text";
import { version } from "../model/version";
import { fleetVerbs } from "./fleet/verbs";
import { exitCodeAfter, type Handler, type OptionValues, type VerbRun } from "./invocation";
import { strangersJob } from "./job";
import { allCommands, normalizeArgv, optionShapes, shownOptions, wordsOf } from "./options";
import { connectionIn, withProfile } from "./profile";
import { exitCodes, report, reportFailure, type Screen } from "./report";
import { createTerminal, type Terminal } from "./terminal";
import { applyVerb, destroyVerb } from "./verbs/apply";
import { ciVerbs } from "./verbs/ci";
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
import { addVerbs, shownVerbs, type Verb, type VerbFamily } from "./verbs/verb";

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
export function createProgram(run: VerbRun, terminal: Terminal, first?: string): Command {
  let listsAll = false;
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
      showGlobalOptions: true,
      helpWidth: terminal.width ?? 100,
      visibleCommands: (command) =>
        shownVerbs(command).filter((verb) => command.parent || listsAll || daily.has(verb.name())),
    })
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: () => {},
      getOutHasColors: () => terminal.color.out,
      getErrHasColors: () => terminal.color.err,
    })
    .addHelpText("after", () => (listsAll ? closing : shortClosing));
  const isMeant = (verb: Verb | VerbFamily): boolean => nameOf(verb) === first;
  const isNamed = first !== "complete" && groups.some(([, verbs]) => verbs.some(isMeant));
  for (const [heading, verbs] of groups)
    addVerbs(program.commandsGroup(heading), run, isNamed ? verbs.filter(isMeant) : verbs);
  program
    .command("help [verb...]")
    .summary("Show help of a verb")
    .description("Show help of a verb, or with -a all verbs.")
    .option("-a, --all", "all verbs, the environment and the exit codes")
    .addHelpText("after", "\nExamples:\n  $ rnv help -a\n  $ rnv help state mv\n")
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

const nameOf = (verb: Verb | VerbFamily): string =>
  "verbs" in verb ? verb.name : (verb.usage.split(" ")[0] ?? "");

function mistakeIn(command: Command, { code, message }: CommanderError): DiagnosticsError {
  if (code === "commander.unknownCommand") return unknownVerb(command, command.args[0] ?? "");
  // Without the value after it, which may be secret.
  const [, option, name = ""] = /^error: (unknown option '--?([^=']*))/.exec(message) ?? [];
  if (Object.hasOwn(terraformOptions, name))
    return failure("command.usage", terraformOptions[name] as string);
  const known = ["help", ...shownOptions(command).map((shown) => shown.name())];
  const meant = option && suggest(name, known);
  const hint = meant ? `did you mean "--${meant}"?` : `${wordsOf(command)} --help`;
  return failure("command.usage", option ? `${option}'` : message.replace(/^error: /, ""), { hint });
}

/** Returns the error for a verb that does not exist. No hint leads to `destroy`. */
function unknownVerb(command: Command, word: string): DiagnosticsError {
  if (!command.parent && Object.hasOwn(terraformVerbs, word))
    return failure("command.usage", terraformVerbs[word] as string);
  const verbs = shownVerbs(command).map((verb) => verb.name());
  const meant = suggest(word, verbs);
  const help = command.parent ? `${wordsOf(command)} --help` : "rnv help -a";
  const hint = meant === undefined || meant === "destroy" ? help : `did you mean "${meant}"?`;
  return failure("command.usage", `${wordsOf(command)} has no verb "${word}"`, { hint });
}

const shortClosing = `
All verbs: rnv help -a. A verb and its options: rnv help plan. Documentation: docs/cli in the package.

Settings: RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY, or "embedded" to try rnv without an account:
  $ export RNV_BASE_URL=embedded
  $ rnv init && rnv apply
`;

const closing = `
Environment:
  RNV_BASE_URL       address of the service, ending in /api/v1; "embedded" tries rnv without an account
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

The first minute:
  $ export RNV_BASE_URL=embedded
  $ rnv init && rnv apply
`;

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

export interface Host extends Pick<NodeJS.EventEmitter, "on" | "off"> {
  readonly argv: readonly string[];
  readonly env: ProcessEnvironment;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  exit(code: number): void;
}

/** Runs one command line; resolves to the exit code of DESIGN section 8. Never rejects. */
async function run(argv: readonly string[], screen: Screen, signal: AbortSignal): Promise<number> {
  const { terminal, environment } = screen;
  let exitCode = 0;
  const program: Command = createProgram(handle, terminal, argv[0]);
  function handle(handler: Handler): (...parsed: unknown[]) => Promise<void> {
    return async (...parsed) => {
      const command = parsed.at(-1) as Command;
      const given: OptionValues = command.optsWithGlobals();
      if (typeof given.chdir === "string") changeFolder(given.chdir);
      const options = withTrust(given, command, { terminal, environment });
      exitCode = await exitCodeAfter(handler, {
        terminal,
        ...profiled(options, command, { terminal, environment }),
        cwd: process.cwd(),
        signal,
        positional: command.processedArgs,
        options,
        commandLine: ["rnv", ...argv].map(quoted).join(" "),
        command,
      });
    };
  }
  try {
    await program.parseAsync([...normalizeArgv(argv, optionShapes(program))], { from: "user" });
    return exitCode;
  } catch (cause) {
    // Help or the version was printed.
    if (cause instanceof CommanderError) return cause.exitCode;
    return reportFailure(cause, { terminal, environment }, signal.aborted);
  }
}

/** The environment of a run, with the settings of its profile. Members of a fleet read theirs in their own folders. */
function profiled({ profile, untrusted }: OptionValues, command: Command, { terminal, environment }: Screen) {
  const asked = profile as string | undefined;
  if (command.parent?.name() === "fleet")
    return { environment: { ...environment, ...(asked !== undefined && { RNV_PROFILE: asked }) } };
  const used = withProfile(environment, asked, untrusted === true ? undefined : process.cwd());
  const winners = connectionIn(environment).join(" and ");
  if (asked !== undefined && used.profile === undefined && command.name() !== "login")
    terminal.err(`Profile ${asked} is not used: ${winners} in the environment wins.\n`);
  return used;
}

/** A manifest of a stranger is not trusted, whether or not the job says so. */
function withTrust(options: OptionValues, command: Command, { terminal, environment }: Screen): OptionValues {
  const setting = environment.RNV_UNTRUSTED?.trim();
  if (options.untrusted === true || setting === "0") return options;
  const why = setting === "1" ? undefined : strangersJob(environment);
  if (why === undefined && setting !== "1") return options;
  if (why !== undefined && command.options.some((option) => option.attributeName() === "untrusted"))
    terminal.err(
      `${why}: the manifest is not trusted (--untrusted; RNV_UNTRUSTED=0 in the job trusts it).\n`,
    );
  return { ...options, untrusted: true };
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function changeFolder(folder: string): void {
  try {
    process.chdir(folder);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw failure("command.usage", `-chdir: cannot go to ${folder} (${reason})`);
  }
}

/** Runs the command line of a process and ends it with the exit code. Never rejects. */
export async function main(host: Host = process): Promise<void> {
  try {
    await runIn(host);
  } catch (cause) {
    console.error("This is a bug in rnv. Please report it with the lines below.\n", cause);
    host.exit(1);
  }
}

/** Turns a success into exit code 1 when its output did not reach its file. Other failures say more than this one. */
async function exitCodeWith(screen: Screen, exitCode: number): Promise<number> {
  const { terminal } = screen;
  const cause = terminal.lostOutput();
  if (cause === undefined) return exitCode;
  report(screen, [
    error("command.output_lost", `standard output could not be written (${cause.code ?? cause.message})`, {
      detail: "What was printed is not whole. What the command does besides printing was done to its end.",
      hint: "make room where standard output goes, and run it again",
    }),
  ]);
  await terminal.flush();
  return exitCode === 0 || exitCode === 2 ? 1 : exitCode;
}

async function runIn(host: Host): Promise<void> {
  const argv = host.argv.slice(2);
  const terminal = createTerminal(host, {
    environment: host.env,
    // Before parsing, because errors of parsing have colours too.
    noColor: argv.includes("--no-color") || argv.includes("-no-color"),
  });
  const screen = { terminal, environment: host.env };
  const interruption = new AbortController();
  // Every request in flight listens; that many listeners are no leak.
  setMaxListeners(0, interruption.signal);
  // Once: calls in flight finish, none is started. Twice leaves at once.
  const interrupt = (): void => {
    if (interruption.signal.aborted) host.exit(exitCodes.interrupted);
    else interruption.abort(new Error("interrupted"));
  };
  host.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const exitCode = await run(argv, screen, interruption.signal);
  host.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  await terminal.flush();
  host.exit(await exitCodeWith(screen, exitCode));
}
