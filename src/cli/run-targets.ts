import { joinExitCodes, runTargets } from "../commands/targets";
import type { CrossValue, OtherStack, StackUnit } from "../declaration/load-request";
import { failure } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { isHiddenOutput } from "../model/desired";
import { splitStage } from "../model/stage";
import type { RecordedResource } from "../model/state";
import { systemClock } from "../model/time";
import { capitalized } from "../model/wording";
import { escapeJson, escapeText, jsonText } from "../report/escape-text";
import { type Run, runOn, type SharedOutputs, stateOf, type TargetEnd } from "./open-target";
import { resolveTargets } from "./resolve";
import { exitCodes, outcomeOf, report, type Screen, usage } from "./screen";
import { type Request, type Target, type TargetRules, targetAt } from "./target";
import { withOut } from "./terminal";
import type { VerbEnd } from "./verb";

export interface TargetResult {
  /** `readStage` is `any` if the stage could not be resolved. */
  readonly target: Target;
  readonly outcome: TargetEnd;
  readonly seconds: number;
  readonly hasPrinted: boolean;
}

interface TargetsRun {
  readonly request: Request;
  /** Undefined for the stage of RNV_STAGE, or for no stage. */
  readonly stages: readonly (string | undefined)[];
  readonly screen: Screen;
  readonly run: (run: Run) => Promise<TargetEnd>;
  readonly onResult?: (result: TargetResult, screen: Screen) => void;
}

export const reportFindings = ({ outcome }: TargetResult, screen: Screen): void =>
  report(screen, outcome.diagnostics);

/**
 * Runs stages, and each stack of a stage, until Ctrl-C. A failure, thrown or not, becomes the outcome of its target; it
 * stops the next targets only if the verb writes. `joinExitCodes` joins their exit codes (DESIGN section 11, "Stacks").
 */
export async function resultsOf(run: TargetsRun): Promise<readonly TargetResult[]> {
  const { request, stages, screen, onResult = () => {} } = run;
  const { rules } = request;
  const results: TargetResult[] = [];
  const runOne = async (target: Target, on: Screen, work = run.run): Promise<TargetEnd> => {
    const start = systemClock.elapsed();
    let hasPrinted = false;
    const terminal = withOut(on.terminal, (text) => {
      hasPrinted = true;
      on.terminal.out(text);
    });
    const outcome = await outcomeOf(on, () => runOn(target, { ...on, terminal }, work));
    const seconds = Math.round(systemClock.elapsed() - start) / 1000;
    const result = { target, outcome, seconds, hasPrinted };
    results.push(result);
    onResult(result, on);
    return outcome;
  };
  const runStage = async (stage: string | undefined): Promise<void> => {
    const failed = rules.writes && results.find(({ outcome }) => outcome.exitCode !== exitCodes.done);
    if (failed) {
      screen.terminal.note(
        `Stage ${stage} is left out: ${failed.target.stage} comes first, and is not done.\n`,
      );
      return;
    }
    if (stages.length > 1)
      screen.terminal.out(titleOf(screen, "stage", stage ?? "", results.length === 0 ? "" : "\n"));
    const inStage = { ...request, givenStage: stage };
    try {
      const targets = await resolveTargets(inStage, screen);
      await runStacks(await shareAddresses(targets, screen), rules, screen, runOne);
    } catch (cause) {
      const named = stage === undefined ? "any" : splitStage(stage);
      await runOne(targetAt(inStage, { stage: named }), screen, () => Promise.reject(cause));
    }
  };
  await runTargets(stages, runStage, { signal: screen.signal });
  return results;
}

/**
 * Returns stacks with their recorded addresses. Throws unless exactly one stack records each address of the command
 * line, and for options about the plan of a single stack.
 */
async function shareAddresses(targets: readonly Target[], screen: Screen): Promise<readonly Target[]> {
  const { addresses = [], singleStackOption } = targets[0] ?? {};
  if (targets.length < 2) return targets;
  if (singleStackOption)
    throw usage(`${singleStackOption} is about one stack, and several are read`, "name one of them");
  if (addresses.length === 0) return targets;
  const owning = targets.map(async (target) => {
    const { resources = {} } = (await stateOf(target, screen)) ?? {};
    return { ...target, recorded: new Set(Object.keys(resources)) };
  });
  const shared = await Promise.all(owning);
  for (const address of addresses) {
    const names = shared.flatMap(({ recorded, stack = [] }) => (recorded.has(address) ? stack : []));
    const owners = names.length === 0 ? "no stack records" : `${names.join(" and ")} record`;
    if (names.length !== 1)
      throw usage(`${owners} ${address}`, "name the stack that is meant: --stack STACK");
  }
  return shared;
}

const stillRead = (stack: string, reading: readonly string[]) =>
  failure(
    "guard.consumers",
    `${reading.join(", ")} ${reading.length === 1 ? "reads" : "read"} values of the stack ${stack}`,
    {
      hint: `destroy that too, before it: rnv destroy ${[stack, ...reading].join(" ")}`,
    },
  );

/**
 * Runs a manifest, or stacks in turn with a heading each or as one JSON document. If a dependency of a stack failed, a
 * verb that writes skips the stack, which then has no result.
 */
async function runStacks(
  targets: readonly Target[],
  { writes, order, others: need }: TargetRules,
  screen: Screen,
  run: (target: Target, screen: Screen) => Promise<TargetEnd>,
): Promise<void> {
  const { signal, terminal, format } = screen;
  const areMany = targets.length > 1;
  const isDocument = areMany && format === "json" && !writes;
  const documents: Record<string, unknown> = {};
  const failed = new Set<string>();
  const outputsOf = new Map<string, SharedOutputs>();
  const managing = new Set<string>();
  /** Returns a stack with the outputs of the other stacks: from this run, else from their states. */
  const withOthers = async (unit: StackUnit, others: readonly Target[]): Promise<StackUnit> => {
    const crossValues = new Map<string, SharedOutputs>();
    const known = new Map<string, OtherStack>();
    for (const other of others) {
      const { stack = "" } = other;
      const state = await stateOf(other, screen);
      const records = Object.entries(state?.resources ?? {}) as [Address, RecordedResource][];
      known.set(stack, { state: other.state, ids: new Map(records.map(([at, { id }]) => [at, id])) });
      if (records.some(([, { retained }]) => !retained)) managing.add(stack);
      else managing.delete(stack);
      const outputs = Object.entries(state?.outputs ?? {}).filter(([, value]) => !isHiddenOutput(value));
      const recorded = outputs.map(([key, value]): [string, CrossValue] => [key, { kind: "value", value }]);
      crossValues.set(stack, outputsOf.get(stack) ?? new Map(recorded));
    }
    return { ...unit, crossValues, others: known };
  };
  let gap = "";
  const runOne = async (target: Target): Promise<void> => {
    const { stack = "", waitsFor = [], others = [] } = target;
    const because = waitsFor.find((other) => failed.has(other));
    if (writes && because !== undefined) {
      failed.add(stack);
      terminal.note(
        `The stack ${escapeText(stack)} is left out: ${escapeText(because)} comes first, and is not done.\n`,
      );
      return;
    }
    const unit = target.unit && { ...target.unit, state: target.state, needsValues: need === "needed" };
    const complete = unit ? { ...target, unit: await withOthers(unit, others) } : target;
    const reading = order === "dependents first" ? waitsFor.filter((other) => managing.has(other)) : [];
    if (reading.length > 0) throw stillRead(stack, reading);
    if (areMany && !isDocument) terminal.out(titleOf(screen, "stack", stack, gap));
    gap = "\n";
    let text = "";
    const out = (part: string): void => {
      text += part;
    };
    const { exitCode, sharedOutputs } = await run(
      complete,
      isDocument ? { ...screen, terminal: withOut(terminal, out) } : screen,
    );
    if (sharedOutputs) outputsOf.set(stack, sharedOutputs);
    if (isDocument) documents[stack] = JSON.parse(text === "" ? "null" : text);
    if (exitCode !== exitCodes.done && exitCode !== exitCodes.changes) failed.add(stack);
  };
  await runTargets(targets, runOne, { signal });
  if (isDocument) terminal.out(jsonText({ format_version: "1.0", stacks: documents }));
}

/** Runs a verb on each target of a request in each of `stages`; resolves to their joined exit code. */
export async function runOnTargets(
  request: Request,
  screen: Screen,
  run: (run: Run) => Promise<VerbEnd>,
  stages: readonly (string | undefined)[] = [request.givenStage],
): Promise<number> {
  const results = await resultsOf({
    request,
    stages,
    screen,
    run: async (targetRun) => {
      const { exitCode, sharedOutputs } = endOf(await run(targetRun));
      return { diagnostics: [], exitCode, sharedOutputs };
    },
    onResult: (result, on) => {
      reportFindings(result, on);
      if (!result.hasPrinted)
        on.terminal.out(request.rules.failed?.[on.format]?.(result.outcome, request.commandLine) ?? "");
    },
  });
  return joinExitCodes(results.map(({ outcome }) => outcome.exitCode));
}

export const endOf = (end: VerbEnd): Exclude<VerbEnd, number | undefined> =>
  typeof end === "object" ? end : { exitCode: end ?? exitCodes.done };

function titleOf(screen: Screen, kind: "stage" | "stack", name: string, gap: string): string {
  if (screen.format === "json") return `${escapeJson({ type: kind, [kind]: name })}\n`;
  const title = escapeText(`${capitalized(kind)} ${name}`);
  if (screen.format === "markdown") return `${gap}## ${title}\n\n`;
  return `${gap}${screen.terminal.style.colors.bold(title)}\n\n`;
}
