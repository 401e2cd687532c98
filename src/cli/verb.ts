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

/** The exit code, or an outcome that has it; nothing where all went well. */
export type VerbEnd = number | Pick<TargetEnd, "exitCode" | "toldOutputs"> | undefined;

export interface VerbOf<O extends Options, A extends Arguments> {
  readonly name: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly summary: string;
  readonly detail?: string;
  /** Names of the options of most days: its help shows no others without -a. All where there are none. */
  readonly daily?: readonly string[];
  /** It may change before it is stable; its help says so. */
  readonly status?: "beta";
  /** For programs: not in the list of verbs. */
  readonly hidden?: boolean;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** Returns what `-json` prints of a command line that ended before it printed anything. */
  readonly failedJson?: (outcome: Outcome, commandLine: string) => string;
  run(given: ValuesOf<O> & ValuesOf<A>, run: Run): Promise<VerbEnd>;
}

export interface Verb extends VerbOf<Options, Arguments>, TargetRules {}

/** Declares a verb: `run` gets the values of its options and arguments with the types of their declarations. */
// biome-ignore lint/complexity/noBannedTypes: a verb without options has no values.
export const defineVerb = <O extends Options = {}, A extends Arguments = {}>(
  verb: VerbOf<O, A> & TargetRules,
): Verb => verb;

/** Verbs behind a word of their own: `rnv state list`. */
export interface VerbFamily {
  readonly name: string;
  readonly summary: string;
  /** For its help: the summary unless said. */
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

/** The options of a verb that help shows only with -a. */
export const folded = new WeakMap<Command, ReadonlySet<Option>>();

function addVerb(command: Command, verb: Verb, run: VerbRun): void {
  const { options = {}, arguments: taken = {}, daily = [], examples } = verb;
  const rank = (name: string): number => (daily.includes(name) ? daily.indexOf(name) : daily.length);
  const sorted = Object.entries(options).sort(([a], [b]) => rank(a) - rank(b));
  for (const argument of Object.values(taken)) command.addArgument(argument);
  for (const [, option] of sorted) command.addOption(option);
  if (daily.length > 0) folded.set(command, new Set(sorted.slice(daily.length).map(([, option]) => option)));
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}   ${meaning}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`).action(() => run(verb, command));
}

export const valuesIn = (command: Command, { options, arguments: taken }: Verb): ValuesOf<Options> =>
  Object.fromEntries(
    Object.entries({ ...options, ...taken }).map(([name, one]) => [name, one.valueIn(command)]),
  );

export const shownVerbs = (command: Command): readonly Command[] =>
  new Help().visibleCommands(command).filter((verb) => command.commands.includes(verb));

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

/** An option of a verb. Its value has the type that the declaration says: `options.timeout` is a number. */
export class TypedOption<Value> extends Option {
  /** `absent` is the value where the command line does not have the option. */
  constructor(
    flags: string,
    description: string,
    readonly absent: Value,
  ) {
    super(flags, description);
  }

  /** Returns true if a command has it, shown or hidden. */
  isIn(command: Command): boolean {
    return command.options.some((option) => option === this || Object.getPrototypeOf(option) === this);
  }

  /** Returns its value on the command line of a command; a command without this option has the absent one. */
  valueIn(command: Command): Value {
    return (this.isIn(command) ? command.opts()[this.attributeName()] : undefined) ?? this.absent;
  }
}

/** `--json`: true where it is given. */
export const flag = (flags: string, description: string) =>
  new TypedOption<boolean>(flags, description, false);

/** `--no-input`: false where it is given. */
export const negation = (flags: string, description: string) =>
  new TypedOption<boolean>(flags, description, true);

/** `--out <file>`: the text as it was typed. */
export const text = (flags: string, description: string) =>
  new TypedOption<string | undefined>(flags, description, undefined);

/** `--target <address>`, which may be given several times. */
export const list = (flags: string, description: string) =>
  parsed(
    flags,
    `${description} (repeatable)`,
    (word, before: readonly string[] = []) => [...before, word],
    [],
  );

/** A word of a list; `initial` where the option is not given. */
export const choice = <const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
  initial: Word,
): TypedOption<Word> => new TypedOption(flags, description, initial).choices(words).default(initial);

/**
 * A value that is made of the text. `parse` gets the value so far, and throws `InvalidArgumentError`. `absent` is shown in help
 * as `shown`.
 */
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

/** An argument of a verb, with the type that its form says. */
class TypedArgument<Value> extends Argument {
  valueIn(command: Command): Value {
    const value = command.processedArgs[command.registeredArguments.indexOf(this)];
    return value ?? (this.variadic ? [] : undefined);
  }
}

type ArgumentOf<Form extends string, Word extends string> = TypedArgument<
  Form extends `${string}...${string}` ? readonly Word[] : Form extends `<${string}` ? Word : Word | undefined
>;

/** `<address>` is a text, `[address]` may be absent, with `...` it is a list; of `words` if there are some. */
export function argument<const Form extends string, const Word extends string = string>(
  form: Form,
  description = "",
  words: readonly Word[] = [],
): ArgumentOf<Form, Word> {
  const made: ArgumentOf<Form, Word> = new TypedArgument(form, description);
  return words.length > 0 ? made.choices(words) : made;
}

/** Returns true for the value of an option that the command line has. */
export const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("Not a duration such as 30s, 5m or 1h.");
  return Math.min(milliseconds, longestTimer);
}

/** Parses a duration option above zero to milliseconds: what may take no time at all never ends well. */
export function positiveDuration(text: string): number {
  const milliseconds = duration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("Not a duration above zero, such as 30s, 5m or 1h.");
  return milliseconds;
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Not a whole number above zero.");
  return Number(text);
}
