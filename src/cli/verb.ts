import { type Command, Help, type Option } from "commander";
import type { Run, TargetEnd } from "./open-target";
import { type Arguments, type Options, options, pick, type ValuesOf, variant } from "./options";
import type { TargetRules } from "./target";

/** The exit code, or an outcome with an exit code; undefined for success. */
export type VerbEnd = number | Pick<TargetEnd, "exitCode" | "sharedOutputs"> | undefined;

export interface Verb<O extends Options = Options, A extends Arguments = Arguments> extends TargetRules {
  readonly name: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly summary: string;
  readonly detail?: string;
  readonly status?: "beta";
  /** For programs: help does not list it. */
  readonly hidden?: boolean;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  run(given: ValuesOf<O> & ValuesOf<A>, run: Run): Promise<VerbEnd>;
}

/** Declares a verb: `run` gets the values of its options and arguments with the types of their declarations. */
// biome-ignore lint/complexity/noBannedTypes: a verb without options has no values.
export const defineVerb = <O extends Options = {}, A extends Arguments = {}>(verb: Verb<O, A>): Verb => verb;

const filesOfStages = variant(options.files, {
  description: "the manifest that declares the stages, where it is not the default one (repeatable)",
});

/** Declares a verb that works on a state alone; its scope is one stack and stage unless it declares another. */
// biome-ignore lint/complexity/noBannedTypes: a verb may have no arguments.
export const stateVerb = <O extends Options = {}, A extends Arguments = {}>(verb: Verb<O, A>): Verb => ({
  scope: "one",
  worksOn: "state",
  ...verb,
  options: { ...pick("state", "stacks"), ...verb.options, ...pick("stage"), files: filesOfStages },
});

/** Verbs behind a common word: `rnv state list`. */
export interface VerbFamily {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly status?: "beta";
  readonly verbs: readonly Verb[];
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
