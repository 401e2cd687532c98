import { setMaxListeners } from "node:events";
import { type Command, CommanderError } from "commander";
import { mostRequests, RateLimiter } from "../api/rate-limiter";
import { isMissing } from "../declaration/project-files";
import { error } from "../diagnostics/diagnostic";
import { programRunner } from "../manifest/text/run-program";
import { reasonOf } from "../model/file-error";
import type { ProcessEnvironment } from "../model/target-location";
import { systemClock } from "../model/time";
import { normalizeArgv, optionShapes } from "./argv";
import { untrustedJob } from "./ci/job";
import { checkWritable } from "./files";
import { type Run, runOn } from "./open-target";
import { firstGiven, options } from "./options";
import { connectionIn, withProfile } from "./profile";
import { createProgram, failedJson } from "./program";
import { endOf, runOnTargets } from "./run-targets";
import { exitCodes, failureOf, report, type Screen, usage } from "./screen";
import { type Request, targetAt } from "./target";
import { createTerminal, type TerminalStreams } from "./terminal";
import { type Verb, valuesIn, wordsOf } from "./verb";

export interface Host extends TerminalStreams, Pick<NodeJS.EventEmitter, "on" | "off"> {
  readonly argv: readonly string[];
  readonly env: ProcessEnvironment;
  exit(code: number): void;
}

/** A screen before the command line is read. */
type HostScreen = Pick<Screen, "terminal" | "environment" | "signal">;

/** Runs a command line; resolves to the exit code of DESIGN section 8. Never rejects. */
async function run(argv: readonly string[], host: HostScreen): Promise<number> {
  const { terminal, signal } = host;
  let exitCode = 0;
  const program: Command = createProgram(async (verb, command) => {
    const { chdir } = command.optsWithGlobals();
    if (typeof chdir === "string") changeFolder(chdir);
    const request = requestOf(verb, command, host, argv);
    const { environment, cwd } = request;
    const { format: shown, json, input: asks } = options;
    const format = json.valueIn(command) ? "json" : shown.valueIn(command);
    const screen = { ...host, environment, cwd, format, input: asks.valueIn(command) };
    exitCode = await runVerb(verb, command, request, screen);
  }, terminal);
  const words = normalizeArgv(argv, optionShapes(program));
  try {
    await program.parseAsync([...words], { from: "user" });
    return exitCode;
  } catch (cause) {
    // Help or the version was printed.
    if (cause instanceof CommanderError) return cause.exitCode;
    const outcome = failureOf(cause, signal);
    report({ ...host, cwd: "." }, outcome.diagnostics);
    if (words.includes("--json")) terminal.out(failedJson(outcome, words));
    return outcome.exitCode;
  }
}

/** Options that name output files; `report` is a folder. */
const outputOptions = ["out", "html", "jsonInto", "metrics", "junit", "report"];

async function runVerb(verb: Verb, command: Command, request: Request, screen: Screen): Promise<number> {
  for (const name of outputOptions)
    checkWritable(command.opts()[name], name === "report" ? "folder" : "file");
  const given = valuesIn(command, verb);
  const run = (targetRun: Run) => verb.run(given, targetRun);
  if (verb.scope) return runOnTargets(request, screen, run);
  return endOf(await runOn(targetAt(request, { stage: "any" }), screen, run)).exitCode;
}

function requestOf(verb: Verb, command: Command, host: HostScreen, argv: readonly string[]): Request {
  const { words, ...given } = valuesIn(command, verb);
  const untrusted = isUntrusted(command, host);
  return {
    cwd: process.cwd(),
    ...profiled(command, untrusted, host),
    givenProfile: command.optsWithGlobals().profile,
    commandLine: ["rnv", ...argv].map(quoted).join(" "),
    verb: wordsOf(command),
    rules: verb,
    takesTargets: options.target.isIn(command),
    words: Array.isArray(words) ? words : typeof words === "string" ? [words] : [],
    files: options.files.valueIn(command),
    app: options.app.valueIn(command),
    untrusted,
    runProgram: programRunner({ signal: host.signal, print: host.terminal.err }),
    givenState: options.state.valueIn(command),
    stacks: options.stacks.valueIn(command),
    givenStage: options.stage.valueIn(command),
    addresses: [options.confirmDelete, options.confirmConsumers, options.replace].flatMap((option) =>
      option.valueIn(command),
    ),
    outputs: outputOptions.flatMap((name) => command.opts()[name] ?? []),
    singleStackOption: firstGiven(given, ["out", "html", "jsonInto", "expectDigest"]),
    ids: options.ids.valueIn(command),
    answerTimeoutMs: options.answerTimeoutMs.valueIn(command),
    limiter: new RateLimiter(systemClock, Math.max(mostRequests, options.parallelism.valueIn(command))),
  };
}

/** Returns the environment with the settings of the profile. Members of a fleet read profiles in their own folders. */
function profiled(command: Command, untrusted: boolean, { terminal, environment }: HostScreen) {
  const { profile: asked } = command.optsWithGlobals();
  if (command.parent?.name() === "fleet")
    return { environment: { ...environment, RNV_PROFILE: asked ?? environment.RNV_PROFILE } };
  const used = withProfile(environment, asked, untrusted ? undefined : process.cwd());
  const winners = connectionIn(environment).join(" and ");
  if (asked !== undefined && used.profile === undefined && command.name() !== "login")
    terminal.note(`The profile is not used: ${winners} in the environment wins.\n`);
  return used;
}

function isUntrusted(command: Command, { terminal, environment }: HostScreen): boolean {
  const setting = environment.RNV_UNTRUSTED?.trim();
  if (options.untrusted.valueIn(command)) return true;
  if (setting === "0" || setting === "1") return setting === "1";
  const why = untrustedJob(environment);
  if (why !== undefined && options.untrusted.isIn(command))
    terminal.note(
      `${why}: the manifest is not trusted (--untrusted; RNV_UNTRUSTED=0 in the job trusts it).\n`,
    );
  return why !== undefined;
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function changeFolder(folder: string): void {
  try {
    process.chdir(folder);
  } catch (cause) {
    const why = isMissing(cause) ? "does not exist" : `cannot be entered: ${reasonOf(cause)}`;
    throw usage(`-chdir: the folder ${folder} ${why}`);
  }
}

/** Runs the command line of a process and ends it with the exit code. Never rejects. */
export async function main(host: Host = process): Promise<void> {
  try {
    host.exit(await runIn(host));
  } catch (cause) {
    console.error("This is a bug in rnv. Please report it with the lines below.\n", cause);
    host.exit(1);
  }
}

async function runIn(host: Host): Promise<number> {
  const argv = host.argv.slice(2);
  const terminal = createTerminal(host, {
    environment: host.env,
    // Errors of the parser have colours: read this first.
    noColor: argv.includes("--no-color") || argv.includes("-no-color"),
  });
  const interruption = new AbortController();
  // Every request in flight listens: no leak.
  setMaxListeners(0, interruption.signal);
  // First: finish requests in flight. Second: exit. A terminal that closes may say so twice.
  const finish = (): void => interruption.abort(new Error("interrupted"));
  const interrupt = (): void => (interruption.signal.aborted ? host.exit(exitCodes.interrupted) : finish());
  host.on("SIGINT", interrupt).on("SIGTERM", interrupt).on("SIGHUP", finish);
  const screen = { terminal, environment: host.env, signal: interruption.signal };
  const exitCode = await run(argv, screen);
  host.off("SIGINT", interrupt).off("SIGTERM", interrupt).off("SIGHUP", finish);
  await terminal.flush();
  const lost = terminal.lostOutput();
  if (lost === undefined) return exitCode;
  const diagnostic = error("command.output_lost", `standard output could not be written: ${reasonOf(lost)}`, {
    detail: "What was printed is not whole. What the command does besides printing was done to its end.",
    hint: "make room where standard output goes, and run it again",
  });
  report({ ...screen, cwd: "." }, [diagnostic]);
  await terminal.flush();
  return exitCode === 0 || exitCode === 2 ? 1 : exitCode;
}
