import type { Command, Option } from "commander";
import type { Run } from "./open-target";
import type { TypedArgument, TypedOption } from "./option";
import type { TargetEnd } from "./run-targets";

type Options = Readonly<Record<string, TypedOption<unknown>>>;
type Arguments = Readonly<Record<string, TypedArgument<unknown>>>;

/** The values of options or arguments, each with the type of its declaration. */
export type ValuesOf<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends { valueIn(command: Command): infer Value }
    ? Value
    : never;
};

/** The exit code, or an outcome that has it; nothing where all went well. */
export type VerbEnd = number | Pick<TargetEnd, "exitCode" | "toldOutputs"> | undefined;

/** How a verb chooses the targets that it runs on. */
export interface TargetRules {
  /**
   * Each stack of an app by itself, or one that has to be named. With `none` the verb runs once, and resolves what it needs
   * by itself.
   */
  readonly scope: "one" | "each" | "none";
  /** Stacks are run after those that they need, unless they are deleted: then before them. */
  readonly order?: "dependents first";
  /**
   * The states of the other stacks: `needed` for what they have made, read where they are there (the default), or not read.
   * A verb that reads `none` reports mistakes in the manifest, and a missing stage, itself.
   */
  readonly others?: "needed" | "none";
  /** It works on a state alone; `--stack` and `--stage` name those that the state belongs to, else that of any stage is taken. */
  readonly worksOn?: "state";
  /** A word may name a saved plan. */
  readonly takesPlan?: true;
  /** Its JSON is a line for each event, and no stack is written before those that it needs. */
  readonly writes?: true;
}

interface VerbTexts {
  /** One line, for the list of verbs. */
  readonly summary: string;
  readonly detail?: string;
  /** Names of the options that its help shows first: those of most days. */
  readonly daily?: readonly string[];
  /** It may change before it is stable; its help says so. */
  readonly status?: "beta";
  /** For programs: not in the list of verbs. */
  readonly hidden?: boolean;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
}

interface VerbOf<O extends Options, A extends Arguments> extends VerbTexts, TargetRules {
  readonly name: string;
  readonly arguments?: A;
  readonly options?: O;
  /** Does what the verb is for, on one target. */
  run(given: ValuesOf<O> & ValuesOf<A>, run: Run): Promise<VerbEnd>;
}

export type Verb = VerbOf<Options, Arguments>;

/** Declares a verb: `run` gets the values of its options and arguments with the types of their declarations. */
// biome-ignore lint/complexity/noBannedTypes: a verb without options has no values.
export const defineVerb = <O extends Options = {}, A extends Arguments = {}>(verb: VerbOf<O, A>): Verb =>
  verb;

/** Verbs behind a word of their own: `rnv state list`. */
export interface VerbFamily {
  readonly name: string;
  readonly summary: string;
  /** For its help: the summary unless said. */
  readonly description?: string;
  readonly status?: "beta";
  readonly verbs: readonly Verb[];
}

/** Runs a verb with the values that the parser found. */
export type VerbRun = (verb: Verb, command: Command) => Promise<void>;

export function addVerbs(parent: Command, verbs: readonly (Verb | VerbFamily)[], run: VerbRun): void {
  for (const verb of verbs) {
    const { name, summary, status } = verb;
    const shown = status === undefined ? summary : `${summary} (${status})`;
    const command = parent.command(name, { hidden: "hidden" in verb && verb.hidden === true }).summary(shown);
    if ("verbs" in verb) addVerbs(command.description(verb.description ?? `${summary}.`), verb.verbs, run);
    else addVerb(command.description(`${shown}.${verb.detail ? `\n\n${verb.detail}` : ""}`), verb, run);
  }
}

function addVerb(command: Command, verb: Verb, run: VerbRun): void {
  const { options = {}, arguments: taken = {}, daily = [], examples } = verb;
  const rank = (name: string): number => (daily.includes(name) ? daily.indexOf(name) : daily.length);
  const sorted = Object.entries(options).sort(([a], [b]) => rank(a) - rank(b));
  for (const argument of Object.values(taken)) command.addArgument(argument);
  for (const [, option] of sorted) command.addOption(option);
  command.addHelpText("after", examplesText(examples)).action(() => run(verb, command));
}

/** Returns the values that the parser found for a verb. */
export const valuesIn = (command: Command, { options, arguments: taken }: Verb): ValuesOf<Options> =>
  Object.fromEntries(
    Object.entries({ ...options, ...taken }).map(([name, one]) => [name, one.valueIn(command)]),
  );

function examplesText(examples: VerbTexts["examples"]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}   ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}\n`;
}

export const shownVerbs = (command: Command): readonly Command[] =>
  // The parser keeps what `hidden` was to itself.
  command.commands.filter((verb) => (verb as unknown as { readonly _hidden?: boolean })._hidden !== true);

export function* allCommands(command: Command): Generator<Command> {
  yield command;
  for (const inner of command.commands) yield* allCommands(inner);
}

/** Returns the words that run a verb: `rnv state list`. */
export const wordsOf = (command: Command): string =>
  command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

/** The options that a command shows, those of the commands above it included. */
export const shownOptions = (command: Command | null): readonly Option[] =>
  command === null
    ? []
    : [...command.options.filter(({ long, hidden }) => long && !hidden), ...shownOptions(command.parent)];
