import type { Argument, Command, Option } from "commander";
import { flagOf, type Handler, type Invocation, type VerbRun } from "../invocation";
import { options as shared } from "../options";
import { type Reading, usage } from "../stages";
import { runVerb } from "../targets";

export interface Verb {
  /** Name and arguments: `show [planfile]`. */
  readonly usage: string;
  /** Arguments that need more words than `usage` has. */
  readonly arguments?: readonly Argument[];
  /** One line, for the list of verbs. */
  readonly summary: string;
  /** More lines, for its help. */
  readonly detail?: string;
  readonly options?: readonly Option[];
  /** Names of the options that its help shows first: those of most days. */
  readonly daily?: readonly string[];
  /** It may change before it is stable; its help says so. */
  readonly status?: "beta";
  /** How it reads stacks; one that has to be named, unless said. */
  readonly stacks?: Reading;
  /** It reads the stages of the manifest by itself: none has to be named. */
  readonly readsStages?: true;
  /** For programs: not in the list of verbs. */
  readonly hidden?: boolean;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly handler: Handler;
  /** Is called with the exit code, once for all stacks. */
  readonly onEnd?: (invocation: Invocation, exitCode: number) => void;
}

/** Verbs behind a word of their own: `rnv state list`. */
export interface VerbFamily {
  readonly name: string;
  readonly summary: string;
  /** For its help: the summary unless said. */
  readonly description?: string;
  readonly status?: "beta";
  readonly verbs: readonly Verb[];
}

export function addVerbs(parent: Command, run: VerbRun, verbs: readonly (Verb | VerbFamily)[]): void {
  for (const verb of verbs) {
    if (!("verbs" in verb)) addVerb(parent, run, verb);
    else {
      const { name, description = `${verb.summary}.` } = verb;
      addVerbs(parent.command(name).summary(summaryOf(verb)).description(description), run, verb.verbs);
    }
  }
}

const summaryOf = ({ summary, status }: Verb | VerbFamily): string =>
  status === undefined ? summary : `${summary} (${status})`;

function addVerb(parent: Command, run: VerbRun, verb: Verb): void {
  const { usage, detail, examples, hidden = false, arguments: given = [] } = verb;
  const summary = summaryOf(verb);
  const command = parent
    .command(usage, { hidden })
    .summary(summary)
    .description(detail === undefined ? `${summary}.` : `${summary}.\n\n${detail}`)
    .addHelpText("after", examplesText(examples))
    .action(
      run(async (invocation) => {
        const reading = readingOf(verb);
        if (!reading) return verb.handler(invocation);
        const exitCode = await runVerb(invocation, reading, handlerOf(verb));
        verb.onEnd?.(invocation, exitCode);
        return exitCode;
      }),
    );
  for (const argument of given) command.addArgument(argument);
  for (const option of optionsOf(verb)) command.addOption(option);
}

/** Options that name a file of one stack, its plan, or what ends in it: several may have the same address. */
const perStack = ["out", "html", "jsonInto", "expectDigest", "confirmDelete", "confirmConsumers", "replace"];

/** The handler of a verb, which refuses such options where several stacks are read. */
const handlerOf =
  ({ handler }: Verb): Handler =>
  async (invocation) => {
    const { options, stack } = invocation;
    const name = stack?.sharesRun ? perStack.find((one) => options[one] !== undefined) : undefined;
    if (name === undefined) return handler(invocation);
    throw usage(`${flagOf(name)} is about one stack, and several are read`, "name one of them");
  };

/** Returns how a verb reads what it runs on; undefined where it is run once, whatever there is. */
function readingOf(verb: Verb): Reading | undefined {
  const reading = verb.stacks ?? { use: "one" };
  if (verb.readsStages) return undefined;
  if (takes(verb, "file")) return reading;
  return takes(verb, "state") || takes(verb, "stage") ? { ...reading, readsState: true } : undefined;
}

/** The options of a verb, the daily ones first. */
function optionsOf(verb: Verb): readonly Option[] {
  const { options = [], daily = [] } = verb;
  // A verb with a state has a state for each stage.
  const ofStages = [
    ...(takes(verb, "stack") && !takes(verb, "stage") ? [shared.stage] : []),
    ...(takes(verb, "stack") && !takes(verb, "file") ? [shared.stagesOf] : []),
  ];
  const rank = (option: Option): number => {
    const place = daily.indexOf(option.attributeName());
    return place === -1 ? daily.length : place;
  };
  return [...options, ...ofStages].sort((a, b) => rank(a) - rank(b));
}

export const shownVerbs = (command: Command): readonly Command[] =>
  // The parser keeps what `hidden` was to itself.
  command.commands.filter((verb) => (verb as unknown as { readonly _hidden?: boolean })._hidden !== true);

const takes = ({ options = [] }: Verb, name: string): boolean =>
  options.some((option) => option.attributeName() === name);

function examplesText(examples: Verb["examples"]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}   ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}\n`;
}
