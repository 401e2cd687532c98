import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { longestTimer, parseDuration } from "../model/time";

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

  /** Returns its value on the command line of a command; a command without this option has the absent one. */
  valueIn(command: Command): Value {
    if (!command.options.includes(this)) return this.absent;
    return command.opts()[this.attributeName()] ?? this.absent;
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

/** A value that is made of the text. `parse` gets the value so far, and throws `InvalidArgumentError`. */
export function parsed<Value>(
  flags: string,
  description: string,
  parse: (word: string, before?: Value) => Value,
): TypedOption<Value | undefined>;
export function parsed<Value>(
  flags: string,
  description: string,
  parse: (word: string, before?: Value) => Value,
  absent: Value,
  absentText?: string,
): TypedOption<Value>;
export function parsed<Value>(
  flags: string,
  description: string,
  parse: (word: string, before?: Value) => Value,
  absent?: Value,
  absentText?: string,
): TypedOption<Value | undefined> {
  const option = new TypedOption(flags, description, absent).argParser(parse);
  return absentText === undefined ? option : option.default(absent, absentText);
}

/** An argument of a verb, with the type that its form says. */
export class TypedArgument<Value> extends Argument {
  /** Returns its value on the command line of a command. */
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
