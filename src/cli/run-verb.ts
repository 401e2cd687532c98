import type { Command } from "commander";
import { joinExitCodes } from "../commands/targets";
import { checkWritable } from "./files";
import { type Run, runOn } from "./open-target";
import { resultsOf, tellFindings } from "./run-targets";
import type { Screen } from "./screen";
import { type Request, type TargetRules, targetAt } from "./target";
import { type FailedJson, type Verb, type VerbEnd, valuesIn } from "./verb";

/** Options that name what a verb writes; `report` is a folder. */
const written = ["out", "html", "jsonInto", "metrics", "junit", "report"];

/** Runs a verb on what the command line names; resolves to the exit code that says most. */
export async function runVerb(
  verb: Verb,
  command: Command,
  request: Request,
  screen: Screen,
): Promise<number> {
  for (const name of written) checkWritable(command.opts()[name], name === "report");
  const given = valuesIn(command, verb);
  if (verb.scope !== "none") return runOnTargets(request, { given, rules: verb, screen, ...verb });
  const once = targetAt(request, { stage: "any" });
  const ended = (await runOn(once, screen, (run) => verb.run(given, run))) ?? 0;
  return typeof ended === "number" ? ended : ended.exitCode;
}

interface GivenRun<Given> {
  readonly given: Given;
  readonly rules: TargetRules;
  readonly screen: Screen;
  readonly failedJson?: FailedJson | undefined;
  readonly run: (given: Given, run: Run) => Promise<VerbEnd>;
}

/** Runs a verb on each target of a request; resolves to the exit code that says most. */
export async function runOnTargets<Given>(
  request: Request,
  { given, rules, screen, failedJson, run: work }: GivenRun<Given>,
): Promise<number> {
  const results = await resultsOf(request, {
    ...{ stages: [request.givenStage], rules, screen },
    run: async (run) => {
      const ended = (await work(given, run)) ?? 0;
      if (typeof ended === "number") return { diagnostics: [], exitCode: ended };
      return { diagnostics: [], exitCode: ended.exitCode, toldOutputs: ended.toldOutputs };
    },
    onResult: (result, on) => {
      tellFindings(result, on);
      if (on.format === "json" && !result.hasPrinted)
        on.terminal.out(failedJson?.(result.outcome, request.commandLine) ?? "");
    },
  });
  return joinExitCodes(results.map(({ outcome }) => outcome.exitCode));
}
