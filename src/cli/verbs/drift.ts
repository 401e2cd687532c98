import { type DriftOutcome, drift } from "../../commands/drift";
import { DiagnosticsError, hasErrors } from "../../diagnostics/diagnostic";
import { readAcceptances } from "../../manifest/beside/drift-file";
import type { Acceptance } from "../../model/acceptance";
import { warnOfUnused } from "../../plan/accepted-drift";
import { driftJson, driftMarkdown, driftText } from "../../report/drift-report";
import { writeWholeFile } from "../files";
import type { Run } from "../open-target";
import { argument, driftOptions, pick, readingOptions, type SharedValues, scopeOptions } from "../options";
import { scopeOf, writePage } from "../output-files";
import { outcomeOf, report } from "../screen";
import type { Request } from "../target";
import { defineVerb } from "../verb";

export const driftVerb = defineVerb({
  name: "drift",
  arguments: { words: argument("[stack...]") },
  scope: "each",
  summary: "Show what changed outside rnv",
  detail:
    "Exit 0 when nothing was changed or deleted, 2 when something was, 1 on an error. What is not applied " +
    "yet or not managed here is said too, and counts with --fail-on or --strict. What rnv.drift.yaml beside the " +
    "manifest accepts does not count until its date; an expired entry is an error. " +
    "Needs no value of any variable: no source of a secret is read, no command is run. What changed shows by its " +
    "time. Needs no RNV_STATE_KEY, unless the state is encrypted.",
  failed: { json: driftJson, markdown: (outcome) => driftMarkdown(outcome) },
  options: { ...scopeOptions, ...driftOptions, ...readingOptions, ...pick("jsonInto", "html", "stage") },
  examples: [
    ["rnv drift", "for people"],
    ["rnv drift -json", "for a scheduled job"],
    ["rnv drift -fail-on pending", "exit 2 also when the manifest is not applied"],
  ],
  run: async (given, run) => {
    const { target, screen } = run;
    const { terminal, format } = screen;
    const outcome = await driftOf(run, given);
    const { report: found, plan, diagnostics, judged, exitCode } = outcome;
    // Another stack may need an entry that this stack does not use; `rnv ci drift` checks all stacks.
    const hasOthers = (target.unit?.crossValues?.size ?? 0) > 0;
    const complete = judged && !hasOthers ? [judged] : [];
    if (given.jsonInto !== undefined) writeWholeFile(given.jsonInto, driftJson(outcome));
    if (!found) throw new DiagnosticsError(diagnostics, exitCode);
    report(screen, [...diagnostics, ...warnOfUnused(complete, target.stage === undefined)]);
    if (format === "json") terminal.out(driftJson(outcome));
    else if (format === "markdown") terminal.out(driftMarkdown({ report: found, diagnostics }));
    else terminal.out(driftText(found, terminal.style));
    if (plan)
      writePage(screen, given.html, (make) => make.driftPage(found, { plan, diagnostics }, scopeOf(target)));
    return exitCode;
  },
});

export async function driftOf(
  run: Run,
  given: SharedValues,
  acceptances = readAccepted(run.target),
): Promise<DriftOutcome> {
  const { target: targets = [], exclude: excludes = [], failOn, strict, verifyValues } = given;
  const request = { files: run.target.files, targets, excludes, acceptances, failOn, strict, verifyValues };
  return outcomeOf(run.screen, () => drift(run.context, request));
}

/** Reads accepted drift; throws `DiagnosticsError` at a mistake in the file. */
export function readAccepted({ cwd, files }: Request): readonly Acceptance[] {
  const { acceptances, diagnostics } = readAcceptances(cwd, files);
  if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics, 1);
  return acceptances;
}
