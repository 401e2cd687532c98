import { InvalidArgumentError, Option } from "commander";
import { drift } from "../../commands/drift";
import { didYouMean } from "../../diagnostics/suggest";
import { type DriftClass, type DriftReport, driftClasses } from "../../plan/drift";
import { driftJson } from "../../render/drift-json";
import { driftMarkdown, driftText } from "../../render/drift-text";
import { withContext } from "../context";
import { type Format, formatOf, type Invocation } from "../invocation";
import { ignoredOptions, options } from "../options";
import { errorDocument, outStyle, report } from "../report";
import { planRequestOf } from "./plan";
import type { Verb } from "./verb";

export const driftVerb: Verb = {
  usage: "drift",
  summary: "Show what changed outside rnv",
  detail:
    "Exit 0 when nothing was changed or deleted, 2 when something was, 1 on an error. What is not applied " +
    "yet or not managed here is said too, and counts with --fail-on or --strict. " +
    "Needs no value of any variable and no RNV_STATE_KEY: no source of a secret is read, no command is " +
    "run. What changed shows by its time.",
  options: [
    options.file,
    options.app,
    options.untrusted,
    options.state,
    options.target,
    options.exclude,
    failOn(),
    new Option(
      "--strict",
      "exit 2 also for what nobody declares: services, projects, variables, settings not at their default",
    ),
    options.verifyValues,
    options.answerTimeout,
    ...ignoredOptions,
    options.format,
    options.json,
  ],
  examples: [
    ["rnv drift", "for people"],
    ["rnv drift -json", "for a scheduled job"],
    ["rnv drift -fail-on pending", "exit 2 also when the manifest is not applied"],
    ["rnv drift -strict", "exit 2 also for what nobody declares"],
  ],
  handler: runDrift,
};

async function runDrift(invocation: Invocation): Promise<number> {
  const { options, terminal } = invocation;
  const request = {
    ...planRequestOf(options),
    failOn: (options.failOn as readonly DriftClass[] | undefined) ?? [],
    strict: options.strict === true,
  };
  const outcome = await withContext(invocation, (context) => drift(context, request));
  report(invocation, outcome.diagnostics, outcome.sources);
  if (outcome.exitCode === 1 && formatOf(options) === "json")
    terminal.out(errorDocument(outcome.diagnostics, outcome.sources));
  // After an error the report would be incomplete: no drift must not be read into it.
  if (outcome.report && outcome.exitCode !== 1)
    terminal.out(textOf(outcome.report, formatOf(options), invocation));
  return outcome.exitCode;
}

function textOf(found: DriftReport, format: Format, invocation: Invocation): string {
  if (format === "json") return driftJson(found);
  return format === "markdown" ? driftMarkdown(found) : driftText(found, outStyle(invocation));
}

function failOn(): Option {
  const option = new Option(
    "--fail-on <classes>",
    "exit 2 for these too, with commas between them; the first two always count",
  ).argParser(classesOfDrift);
  // For help and completion: `choices` would take one alone.
  option.argChoices = [...driftClasses];
  return option;
}

/** Parses `drifted,pending`; may be given more than once. */
function classesOfDrift(text: string, previous: readonly DriftClass[] = []): readonly DriftClass[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(driftClasses as readonly string[]).includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, driftClasses) ?? `there are: ${driftClasses.join(", ")}`;
    throw new InvalidArgumentError(`"${unknown}" is no class of drift; ${hint}`);
  }
  return [...previous, ...(words as DriftClass[])];
}
