import { InvalidArgumentError } from "commander";
import { type DriftOutcome, drift } from "../../commands/drift";
import { DiagnosticsError, hasErrors } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { readAcceptances } from "../../manifest/beside/drift-file";
import type { Acceptance } from "../../model/acceptance";
import { warnOfUnused } from "../../plan/accepted-drift";
import { type DriftClass, driftClasses } from "../../plan/drift";
import { driftJson, driftMarkdown, driftText } from "../../report/drift-report";
import { writeWholeFile } from "../files";
import type { Run } from "../open-target";
import { options, pick, readingOptions, scopeOptions } from "../options";
import { scopeOf, writePage } from "../output-files";
import { outcomeOf, outStyle, report } from "../screen";
import type { Request } from "../target";
import { argument, defineVerb, TypedOption, type ValuesOf } from "../verb";
import { planRequestOf } from "./plan";

export const failOn = new TypedOption<readonly DriftClass[]>(
  "--fail-on <classes>",
  "exit 2 for these too, with commas between them; the first two always count",
  [],
)
  .choices(driftClasses)
  // `choices` alone allows a single class.
  .argParser(classesOfDrift);

export const driftOptions = { failOn, strict: options.strict, verifyValues: options.verifyValues };

export const driftRules = { scope: "each" } as const;

export const driftVerb = defineVerb({
  name: "drift",
  arguments: { words: argument("[stack...]") },
  ...driftRules,
  summary: "Show what changed outside rnv",
  detail:
    "Exit 0 when nothing was changed or deleted, 2 when something was, 1 on an error. What is not applied " +
    "yet or not managed here is said too, and counts with --fail-on or --strict. What rnv.drift.yaml beside the " +
    "manifest accepts does not count until its date; an expired entry is an error. " +
    "Needs no value of any variable and no RNV_STATE_KEY: no source of a secret is read, no command is " +
    "run. What changed shows by its time.",
  daily: ["files", "stage", "target", "strict", "failOn", "json"],
  failedJson: driftJson,
  options: {
    ...scopeOptions,
    ...driftOptions,
    ...readingOptions,
    ...pick("jsonInto", "html", "stage"),
  },
  examples: [
    ["rnv drift", "for people"],
    ["rnv drift -json", "for a scheduled job"],
    ["rnv drift -fail-on pending", "exit 2 also when the manifest is not applied"],
    ["rnv drift -strict", "exit 2 also for what is not in the manifest"],
  ],
  run: async (given, run) => {
    const { target, screen } = run;
    const { terminal, format } = screen;
    const outcome = await driftOf(run, given);
    const { report: found, plan, diagnostics, judged, exitCode } = outcome;
    // Another stack may need an entry that this stack does not use; `rnv ci drift` checks all stacks.
    const hasOthers = (target.unit?.crossValues?.size ?? 0) > 0;
    const complete = judged && !hasOthers ? [judged] : [];
    report(screen, [...diagnostics, ...warnOfUnused(complete, target.stage === undefined)]);
    if (given.jsonInto !== undefined) writeWholeFile(given.jsonInto, driftJson(outcome));
    if (format === "json") terminal.out(driftJson(outcome));
    else if (found && format === "markdown") terminal.out(driftMarkdown({ report: found, diagnostics }));
    else if (found) terminal.out(driftText(found, outStyle(screen)));
    if (found && plan)
      writePage(screen, given.html, (make) => make.driftPage(found, { plan, diagnostics }, scopeOf(target)));
    return exitCode;
  },
});

type DriftValues = Partial<ValuesOf<typeof scopeOptions & typeof driftOptions>>;

export async function driftOf(
  run: Run,
  given: DriftValues,
  acceptances = readAccepted(run.target),
): Promise<DriftOutcome> {
  const { failOn = [], strict = false } = given;
  const request = { ...planRequestOf(given, run.target), acceptances, failOn, strict };
  return outcomeOf(run.screen, () => drift(run.context, request));
}

/** Reads accepted drift; throws `DiagnosticsError` at a mistake in the file. */
export function readAccepted({ cwd, files }: Request): readonly Acceptance[] {
  const { acceptances, diagnostics } = readAcceptances(cwd, files);
  if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics, 1);
  return acceptances;
}

/** Parses `drifted,pending`, and appends it to `previous`. */
function classesOfDrift(text: string, previous: readonly DriftClass[] = []): readonly DriftClass[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(driftClasses as readonly string[]).includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, driftClasses) ?? `there are: ${driftClasses.join(", ")}`;
    throw new InvalidArgumentError(`"${unknown}" is no class of drift; ${hint}`);
  }
  return [...previous, ...(words as DriftClass[])];
}
