import type { Command, Option } from "commander";
import type { Handler, Run } from "../invocation";
import { withStack } from "../with-stack";

/** One verb of the command line. */
export interface Verb {
  /** Name and arguments: `show [planfile]`. */
  readonly usage: string;
  /** One line, for the list of verbs. */
  readonly summary: string;
  /** What else is worth knowing. */
  readonly detail?: string;
  readonly options?: readonly Option[];
  /** For programs: not in the list of verbs. */
  readonly hidden?: boolean;
  /** Command lines with a word on each. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly handler: Handler;
}

/** Adds a verb to the program (or to the verb it belongs to). */
export function addVerb(parent: Command, run: Run, verb: Verb): Command {
  const command = parent
    .command(verb.usage, { hidden: verb.hidden === true })
    .summary(verb.summary)
    .description(verb.detail === undefined ? `${verb.summary}.` : `${verb.summary}.\n\n${verb.detail}`)
    .addHelpText("after", examplesText(verb.examples))
    .action(
      run(async (invocation) =>
        verb.handler(readsFiles(verb) ? await withStack(invocation, takesPlan(verb)) : invocation),
      ),
    );
  for (const option of verb.options ?? []) command.addOption(option);
  return command;
}

const takesPlan = ({ usage }: Verb): boolean => usage.includes("[planfile]");

const readsFiles = ({ options = [] }: Verb): boolean =>
  options.some((option) => option.attributeName() === "file");

function examplesText(examples: Verb["examples"]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  $ ${line.padEnd(width)}   ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}\n`;
}
