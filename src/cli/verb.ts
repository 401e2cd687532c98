import { Argument, type Command, Help, InvalidArgumentError, Option } from "commander";
import type { Outcome } from "../commands/context";
import { longestTimer, parseDuration } from "../model/time";
import type { Run, TargetEnd } from "./open-target";
import type { TargetRules } from "./target";

export type Options = Readonly<Record<string, TypedOption<unknown>>>;
export type Arguments = Readonly<Record<string, TypedArgument<unknown>>>;

/** The values of options or arguments, each with the type of its declaration. */
export type ValuesOf<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends { valueIn(command: Command): infer Value }
    ? Value
    : never;
};

/** The exit code, or an outcome with an exit code; undefined for success. */
export type VerbEnd = number | Pick<TargetEnd, "exitCode" | "sharedOutputs"> | undefined;

export interface VerbOf<O extends Options, A extends Arguments> {
  readonly name: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly summary: string;
  readonly detail?: string;
  /** Names of the options that help shows without -a; all if absent. */
  readonly daily?: readonly string[];
  readonly status?: "beta";
  /** For programs: help does not list it. */
  readonly hidden?: boolean;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** Returns the JSON of a command line that failed before it printed. */
  readonly failedJson?: (outcome: Outcome, commandLine: string) => string;
  run(given: ValuesOf<O> & ValuesOf<A>, run: Run): Promise<VerbEnd>;
}

export interface Verb extends VerbOf<Options, Arguments>, TargetRules {}

/** Declares a verb: `run` gets the values of its options and arguments with the types of their declarations. */
// biome-ignore lint/complexity/noBannedTypes: a verb without options has no values.
export const defineVerb = <O extends Options = {}, A extends Arguments = {}>(
  verb: VerbOf<O, A> & TargetRules,
): Verb => verb;

/** Verbs behind a common word: `rnv state list`. */
export interface VerbFamily {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly status?: "beta";
  readonly verbs: readonly Verb[];
}

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

/** Options of a verb that help shows only with -a. */
export const folded = new WeakMap<Command, ReadonlySet<Option>>();

function addVerb(command: Command, verb: Verb, run: VerbRun): void {
  const { options = {}, arguments: positionals = {}, daily = [], examples } = verb;
  const rank = (name: string): number => (daily.includes(name) ? daily.indexOf(name) : daily.length);
  const sorted = Object.entries(options).sort(([a], [b]) => rank(a) - rank(b));
  for (const argument of Object.values(positionals)) command.addArgument(argument);
  for (const [, option] of sorted) command.addOption(option);
  if (daily.length > 0) folded.set(command, new Set(sorted.slice(daily.length).map(([, option]) => option)));
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}   ${meaning}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`).action(() => run(verb, command));
}

export const valuesIn = (command: Command, verb: Verb): ValuesOf<Options> => {
  const declared = Object.entries({ ...verb.options, ...verb.arguments });
  return Object.fromEntries(declared.map(([name, option]) => [name, option.valueIn(command)]));
};

export const shownVerbs = (command: Command): readonly Command[] =>
  new Help().visibleCommands(command).filter((verb) => command.commands.includes(verb));

export function* allCommands(command: Command): Generator<Command> {
  yield command;
  for (const inner of command.commands) yield* allCommands(inner);
}

/** Returns the words that run a verb: `rnv state list`. */
export const wordsOf = (command: Command): string =>
  command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

/** Returns the options that a command and its parents show. */
export const shownOptions = (command: Command | null): readonly Option[] =>
  command === null
    ? []
    : [...command.options.filter(({ long, hidden }) => long && !hidden), ...shownOptions(command.parent)];

/** An option of a verb, with the type of its value. */
export class TypedOption<Value> extends Option {
  /** `absent` is the value if the command line lacks the option. */
  constructor(
    flags: string,
    description: string,
    readonly absent: Value,
  ) {
    super(flags, description);
  }

  /** Returns true if a command has this option, shown or hidden. */
  isIn(command: Command): boolean {
    return command.options.some((option) => option === this || Object.getPrototypeOf(option) === this);
  }

  valueIn(command: Command): Value {
    return (this.isIn(command) ? command.opts()[this.attributeName()] : undefined) ?? this.absent;
  }
}

/** Declares `--json`, which is true if present. */
export const flag = (flags: string, description: string) =>
  new TypedOption<boolean>(flags, description, false);

/** Declares `--no-input`, which is false if present. */
export const negation = (flags: string, description: string) =>
  new TypedOption<boolean>(flags, description, true);

/** Declares `--out <file>`. */
export const text = (flags: string, description: string) =>
  new TypedOption<string | undefined>(flags, description, undefined);

/** Declares `--target <address>`, which is repeatable. */
export const list = (flags: string, description: string) =>
  parsed(
    flags,
    `${description} (repeatable)`,
    (word, before: readonly string[] = []) => [...before, word],
    [],
  );

/** Declares an option with a word of a list; `initial` if absent. */
export const choice = <const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
  initial: Word,
): TypedOption<Word> => new TypedOption(flags, description, initial).choices(words).default(initial);

/** Declares an option. `parse` gets its earlier value, and throws `InvalidArgumentError`. Help prints `shown`. */
export function parsed<Value, Absent extends Value | undefined = undefined>(
  flags: string,
  description: string,
  parse: (word: string, before?: Value) => Value,
  absent?: Absent,
  shown?: string,
): TypedOption<Value | Absent> {
  const option = new TypedOption<Value | Absent>(flags, description, absent as Absent).argParser(parse);
  return shown === undefined ? option : option.default(absent, shown);
}

/** An argument of a verb, with the type of its form. */
class TypedArgument<Value> extends Argument {
  valueIn(command: Command): Value {
    const value = command.processedArgs[command.registeredArguments.indexOf(this)];
    return value ?? (this.variadic ? [] : undefined);
  }
}

type ArgumentOf<Form extends string, Word extends string> = TypedArgument<
  Form extends `${string}...${string}` ? readonly Word[] : Form extends `<${string}` ? Word : Word | undefined
>;

/** Declares an argument: `<address>` is required, `[address]` optional, `...` a list. `words` limits its values. */
export function argument<const Form extends string, const Word extends string = string>(
  form: Form,
  description = "",
  words: readonly Word[] = [],
): ArgumentOf<Form, Word> {
  const made: ArgumentOf<Form, Word> = new TypedArgument(form, description);
  return words.length > 0 ? made.choices(words) : made;
}

/** Returns true for the value of an option on the command line. */
export const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("Not a duration such as 30s, 5m or 1h.");
  return Math.min(milliseconds, longestTimer);
}

/** Parses a duration above zero to milliseconds. */
export function positiveDuration(text: string): number {
  const milliseconds = duration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("Not a duration above zero, such as 30s, 5m or 1h.");
  return milliseconds;
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Not a whole number above zero.");
  return Number(text);
}
