import { InvalidArgumentError, Option } from "commander";
import { type DriftOutcome, drift } from "../../commands/drift";
import { DiagnosticsError, hasErrors } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { readAcceptances } from "../../manifest/beside/drift-file";
import type { Acceptance } from "../../model/acceptance";
import { acceptanceUnused, isOfOneStage } from "../../plan/accepted-drift";
import { type DriftClass, driftClasses } from "../../plan/drift";
import { driftJson, driftMarkdown, driftText } from "../../report/drift-report";
import { withContext } from "../context";
import { formatOf, type Invocation, listOf } from "../invocation";
import { options, readingOptions, scopeOptions } from "../options";
import { writeJsonInto, writePage } from "../page-file";
import { errorDocument, failureOf, outStyle, report } from "../report";
import { planRequestOf } from "./plan";
import type { Verb } from "./verb";

export const driftOptions = [failOn(), options.strict, options.verifyValues];

export const driftVerb: Verb = {
  usage: "drift [stack...]",
  stacks: { use: "each" },
  summary: "Show what changed outside rnv",
  detail:
    "Exit 0 when nothing was changed or deleted, 2 when something was, 1 on an error. What is not applied " +
    "yet or not managed here is said too, and counts with --fail-on or --strict. What rnv.drift.yaml beside the " +
    "manifest accepts does not count until its date; an expired entry is an error. " +
    "Needs no value of any variable and no RNV_STATE_KEY: no source of a secret is read, no command is " +
    "run. What changed shows by its time.",
  options: [...scopeOptions, ...driftOptions, ...readingOptions, options.jsonInto, options.html],
  examples: [
    ["rnv drift", "for people"],
    ["rnv drift -json", "for a scheduled job"],
    ["rnv drift -fail-on pending", "exit 2 also when the manifest is not applied"],
    ["rnv drift -strict", "exit 2 also for what is not in the manifest"],
  ],
  handler: async (invocation) => {
    const { options, terminal } = invocation;
    const accepted = readAccepted(invocation);
    const { report: found, plan, diagnostics, judged, exitCode } = await driftOf(invocation, accepted);
    // What this stack does not need another one may: a job that looks at all of them tells.
    const isOneOfMany = (invocation.stack?.crossValues?.size ?? 0) > 0;
    const unlisted = isOneOfMany ? [] : (judged?.unused ?? []);
    const unused = unlisted.filter((entry) => !invocation.stage || isOfOneStage(entry));
    report(invocation, [...diagnostics, ...unused.map(acceptanceUnused)]);
    const format = formatOf(options);
    const json = (): string => (found ? driftJson(found) : errorDocument(diagnostics));
    writeJsonInto(invocation, json);
    if (format === "json") terminal.out(json());
    else if (found && format === "markdown") terminal.out(driftMarkdown({ report: found, diagnostics }));
    else if (found) terminal.out(driftText(found, outStyle(invocation)));
    writePage(
      invocation,
      (make, scope) => found && plan && make.driftPage(found, { plan, diagnostics }, scope),
    );
    return exitCode;
  },
};

/** Looks for drift in the invocation's stage and stack. */
export async function driftOf(
  invocation: Invocation,
  acceptances: readonly Acceptance[],
): Promise<DriftOutcome> {
  const { options } = invocation;
  const failOn = (options.failOn as readonly DriftClass[] | undefined) ?? [];
  const request = { ...planRequestOf(options), acceptances, failOn, strict: options.strict === true };
  return withContext(invocation, (context) => drift(context, request)).catch(
    (cause: unknown): DriftOutcome => failureOf(cause, invocation.signal.aborted),
  );
}

/** Reads the drift that is accepted; throws `DiagnosticsError` at a mistake in the file. */
export function readAccepted({ cwd, options }: Invocation): readonly Acceptance[] {
  const { acceptances, diagnostics } = readAcceptances(cwd, listOf(options.file));
  if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics, 1);
  return acceptances;
}

export function failOn(): Option {
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
