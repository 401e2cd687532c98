import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { areStackPaths, listStacks } from "../commands/load-desired";
import { chooseNamed, joinResults, runTargets, type TargetOutcome } from "../commands/targets";
import type { CrossValue } from "../declaration/load-request";
import { stackPlace } from "../declaration/state-place";
import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { parseAddress, typeOf } from "../model/address";
import { isHiddenOutput } from "../model/desired";
import { splitStage, stageText } from "../model/stage";
import { systemClock } from "../model/time";
import { readSavedPlan } from "../plan/saved-plan";
import { escapeJson, escapeText, jsonText } from "../report/escape-text";
import { typesByName } from "../resources";
import type { StackFile } from "../stack/files";
import { givenAddress, stateOf } from "./context";
import { isFile, readText } from "./files";
import { exitCodeAfter, formatOf, type Handler, type Invocation, listOf, type StackRun } from "./invocation";
import { wordsOf } from "./options";
import { errorDocument, exitCodes, failureOf, outStyle, report } from "./report";
import { askedStage, inAskedStage, type Reading, usage } from "./stages";
import { withStack } from "./synthesize";

interface ReachedTarget {
  readonly stack: string;
  /** Stacks that come before it. */
  readonly waitsFor: readonly string[];
  /** Returns the invocation in the stack, once those before it have ended. */
  readonly enter: () => Promise<Invocation>;
}

const reach = (invocation: Invocation): ReachedTarget => ({
  ...{ stack: invocation.stack?.name ?? "", waitsFor: [], enter: async () => invocation },
});

/** Runs a verb on its targets; returns the exit code that says most (DESIGN section 11, "Stacks"). */
export async function runVerb(given: Invocation, reading: Reading, handler: Handler): Promise<number> {
  const runOne = async (one: Invocation): Promise<TargetOutcome> => ({
    diagnostics: [],
    exitCode: await exitCodeAfter(handler, one),
  });
  const stage = given.options.stage as string | undefined;
  const results = await resultsOf(given, [stage], reading, runOne, tellFindings);
  return joinResults(results.map(({ outcome }) => outcome)).exitCode;
}

export const tellFindings = ({ run, outcome: { diagnostics } }: TargetResult): void =>
  report(run, diagnostics);

export interface TargetResult {
  /** In its stage and its stack; `stage` is undefined where it failed before its stage was known. */
  readonly run: Invocation;
  readonly outcome: TargetOutcome;
  readonly seconds: number;
}

/**
 * Runs stages, undefined for the one that RNV_STAGE names or for none, and each stack of a stage, until the run is
 * interrupted. None is stopped by another: what is thrown becomes the outcome of its target. `onResult` gets each result at
 * its end.
 */
export async function resultsOf(
  invocation: Invocation,
  stages: readonly (string | undefined)[],
  reading: Reading,
  run: (one: Invocation) => Promise<TargetOutcome>,
  onResult: (result: TargetResult) => void = () => {},
): Promise<readonly TargetResult[]> {
  const results: TargetResult[] = [];
  const runOne = async (one: Invocation, work = run): Promise<TargetOutcome> => {
    const start = systemClock.elapsed();
    const outcome = await work(one).catch((cause: unknown) => failureOf(cause, one.signal.aborted));
    const seconds = Math.round(systemClock.elapsed() - start) / 1000;
    const result = { run: one, outcome, seconds };
    results.push(result);
    onResult(result);
    return outcome;
  };
  const runStage = async (stage: string | undefined): Promise<void> => {
    const staged = { ...invocation, options: { ...invocation.options, stage } };
    if (stages.length > 1)
      invocation.terminal.out(
        `${results.length === 0 ? "" : "\n"}${heading(invocation, `Stage ${stage ?? ""}`)}`,
      );
    try {
      await runStacks(staged, reading, await targetsOf(staged, reading), runOne);
    } catch (cause) {
      const isDocument = formatOf(invocation.options) === "json" && !reading.readsState && !reading.writes;
      if (isDocument && cause instanceof DiagnosticsError)
        invocation.terminal.out(errorDocument(cause.diagnostics));
      const named = stage === undefined ? invocation : { ...invocation, stage: splitStage(stage) };
      await runOne(named, () => Promise.reject(cause));
    }
  };
  await runTargets(stages, runStage, { signal: invocation.signal });
  return results;
}

/**
 * Runs a manifest, or stacks one after the other: under a heading each, or as one JSON document. None is written, nor has a
 * result, where one that it waits for is not done.
 */
async function runStacks(
  invocation: Invocation,
  reading: Reading,
  targets: readonly ReachedTarget[],
  run: (one: Invocation) => Promise<TargetOutcome>,
): Promise<void> {
  const { signal, terminal, options } = invocation;
  const areMany = targets.length > 1;
  const isDocument = areMany && formatOf(options) === "json" && !reading.writes;
  const documents: Record<string, unknown> = {};
  const failed = new Set<string>();
  let gap = "";
  const runOne = async ({ stack, waitsFor, enter }: ReachedTarget): Promise<void> => {
    const because = waitsFor.find((other) => failed.has(other));
    if (reading.writes && because !== undefined) {
      failed.add(stack);
      terminal.err(
        `The stack ${escapeText(stack)} is left out: ${escapeText(because)} comes first, and is not done.\n`,
      );
      return;
    }
    const one = await enter();
    if (areMany && !isDocument) terminal.out(stackHeading(one, stack, gap));
    gap = "\n";
    let text = "";
    const out = (part: string): void => {
      text += part;
    };
    const { exitCode } = await run(isDocument ? { ...one, terminal: { ...terminal, out } } : one);
    if (isDocument) documents[stack] = JSON.parse(text === "" ? "null" : text);
    if (exitCode !== exitCodes.done && exitCode !== exitCodes.changes) failed.add(stack);
  };
  await runTargets(targets, runOne, { signal });
  if (isDocument) terminal.out(jsonText({ format_version: "1.0", stacks: documents }));
}

/** Returns what is above the output of a stack, where several are on one standard output. */
function stackHeading(invocation: Invocation, stack: string, gap: string): string {
  const format = formatOf(invocation.options);
  if (format === "json") return `${escapeJson({ type: "stack", stack })}\n`;
  if (format === "markdown") return `${gap}## Stack ${escapeText(stack)}\n\n`;
  return `${gap}${heading(invocation, `Stack ${stack}`)}`;
}

const heading = (invocation: Invocation, title: string): string =>
  `${outStyle(invocation).colors.bold(escapeText(title))}\n\n`;

/** Returns what a command line names: a manifest, or its stacks, in the stage that is asked for. */
async function targetsOf(given: Invocation, reading: Reading): Promise<readonly ReachedTarget[]> {
  const { use, takesPlan } = reading;
  if (reading.readsState) return targetsOfState(given, reading);
  const takesWords = use !== "one" || takesPlan === true;
  const words = takesWords ? listOf(given.positional[0]) : [];
  const mayBePlan = takesPlan && words.length === 1;
  const planFile = mayBePlan ? words.find((word) => isFile(resolve(given.cwd, word))) : undefined;
  const saved = planFile === undefined ? undefined : readSavedPlan(readText(planFile)).document?.request;
  const positional = planFile !== undefined ? [planFile] : takesWords ? [] : given.positional;
  const unplaced = { ...given, positional };
  const verb = wordsOf(given.command);
  const isTargeting = given.command.options.some(({ long }) => long === "--target");
  const refuse = (word: string): void =>
    refuseMisplaced(word, `${verb} -f`, isTargeting && `${verb} -target`);
  if (planFile !== undefined && saved === undefined) refuse(planFile);
  // A verb about one stack reads a saved plan alone, and each reports a damaged one.
  if (planFile !== undefined && (use === "one" || saved === undefined)) return [reach(unplaced)];
  const synthesized = saved ? inSavedStage(unplaced, saved.stage) : await withStack(unplaced);
  const files = saved?.files ?? listOf(synthesized.options.file);
  const named = saved ? listOf(saved.stack && [saved.stack]) : [...words, ...listOf(given.options.stack)];
  const stacks = await listStacks(files, given.cwd);
  if (!saved) words.filter((word) => stacks.every(({ unit }) => unit !== word)).forEach(refuse);
  if (!(await areStackPaths(files, given.cwd)).includes(true)) refuseWords(named, takesPlan);
  const invocation = await inAskedStage(synthesized, files, reading);
  if (stacks.length === 0) return [reach(invocation)];
  const chosen = chooseNamed(stacks, ({ unit }) => unit, named, "stack");
  if (use === "one" && chosen.length > 1)
    throw failure("command.usage", `${chosen.length} stacks are read, and this is about one`, {
      hint: `name it: ${chosen.map(({ unit }) => `--stack ${unit}`).join(", ")}`,
    });
  // What a program notes of its constructs, besides its warnings and errors.
  const notes = chosen.flatMap(({ annotations }) => annotations.filter(({ level }) => level === "info"));
  for (const { constructPath, message } of invocation.options.json === true ? [] : notes)
    invocation.terminal.err(`Info: ${escapeText(constructPath)}: ${escapeText(message)}\n`);
  return stackTargets(invocation, reading, stacks, chosen);
}

/** Returns the invocation in the stage that a plan was saved for; another stage that is asked for is refused. */
function inSavedStage(given: Invocation, stage: string | undefined): Invocation {
  const asked = askedStage(given);
  if (asked === undefined || stageText(asked) === stage)
    return { ...given, options: { ...given.options, stage } };
  const planned = stage === undefined ? "no stage" : `the stage ${stage}`;
  const summary = `${given.positional[0]} was planned for ${planned}, not for ${stageText(asked)}`;
  const hint = "leave --stage and RNV_STAGE out: a saved plan names its stage itself";
  throw failure("guard.stage", summary, { hint });
}

/** Returns the `chosen` ones of all stacks as targets: in their order, or from the last one. */
function stackTargets(
  invocation: Invocation,
  { use, others }: Reading,
  stacks: readonly StackFile[],
  chosen: readonly StackFile[],
): readonly ReachedTarget[] {
  // Outputs of the stacks that were planned in this run: they count more than those of the states.
  const planned = new Map<string, ReadonlyMap<string, CrossValue>>();
  const address = givenAddress(invocation);
  // Each stack has a state of its own: the address is the default one, or holds the name of the stack.
  const areRead = others !== "none" && (address === "" || address.includes(stackPlace));
  const enter = async (name: string): Promise<Invocation> => {
    const crossValues = new Map<string, ReadonlyMap<string, CrossValue>>();
    const ownedElsewhere = new Set<string>();
    for (const { unit: other } of areRead ? stacks.filter(({ unit }) => unit !== name) : []) {
      const state = await stateOf({ ...invocation, stack: { name: other } });
      const outputs = Object.entries(state?.outputs ?? {}).filter(([, value]) => !isHiddenOutput(value));
      const recorded = outputs.map(([key, value]): [string, CrossValue] => [key, { kind: "value", value }]);
      crossValues.set(other, planned.get(other) ?? new Map(recorded));
      for (const { id } of Object.values(state?.resources ?? {})) ownedElsewhere.add(id);
    }
    const stack: StackRun = {
      ...{ name, crossValues, ownedElsewhere, needsValues: others === "needed" },
      sharesRun: chosen.length > 1,
      tellOutputs: (outputs) => planned.set(name, outputs),
    };
    return { ...invocation, stack };
  };
  const isReversed = use === "each, reversed";
  const needing = (unit: string): readonly string[] =>
    stacks.flatMap((other) => (other.dependencies.includes(unit) ? other.unit : []));
  return (isReversed ? [...chosen].reverse() : chosen).map(({ unit: stack, dependencies }) => ({
    stack,
    waitsFor: isReversed ? needing(stack) : dependencies,
    enter: () => enter(stack),
  }));
}

async function targetsOfState(given: Invocation, reading: Reading): Promise<readonly ReachedTarget[]> {
  const { takesPlan, others, use } = reading;
  if (takesPlan && given.positional[0] !== undefined) return [reach(given)];
  const invocation = await inAskedStage(given, listOf(given.options.file), reading);
  // It reads the state for what it knows, and continues without.
  if (others === "none") return [reach(invocation)];
  const folder = resolve(invocation.cwd, ".rnv", invocation.stage ? stageText(invocation.stage) : "");
  const hasState = (name: string): boolean => isFile(join(folder, name, "state.json"));
  // One that is in no folder of its own is that of all.
  const isOne = givenAddress(invocation) !== "" || hasState("") || !existsSync(folder);
  const named = listOf(invocation.options.stack);
  const names = isOne || named.length > 0 ? named : readdirSync(folder).filter(hasState);
  if (names.length === 0) return [reach(invocation)];
  if (names.length === 1 || (use === "each" && given.positional[0] === undefined))
    return names.map((name) => reach({ ...invocation, stack: { name } }));
  throw failure("command.usage", "each stack has a state of its own here, and this is about one", {
    hint: `name one: ${names.map((one) => `--stack ${escapeText(one)}`).join(", ")}`,
  });
}

/** Refuses a word that names a manifest or an address. The verbs end with the option that the word belongs to. */
export function refuseMisplaced(word: string, manifestVerb: string, addressVerb?: string | false): void {
  const isFolder = statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder || (isFile(word) && manifestName.test(word)))
    throw usage(`${word} is a ${isFolder ? "folder" : "manifest"}: ${manifestVerb} ${word}`);
  const address = existsSync(word) ? undefined : parseAddress(word.replace(/^rnv_/, ""));
  if (addressVerb && address && typesByName.has(typeOf(address)))
    throw usage(`${word} is an address: ${addressVerb} ${address}`);
}

const manifestName = /\.(ya?ml|tf\.json)$/;

function refuseWords([word]: readonly string[], takesPlan?: true): void {
  if (word === undefined) return;
  if (takesPlan) throw usage(`${word}: no such file`, `rnv plan -out ${word} saves a plan`);
  if (manifestName.test(word)) throw usage(`${word}: no such file`);
  throw usage(
    `there is no stack ${JSON.stringify(word)}`,
    "a manifest has no stacks; those of an app are read by --app, by a cdktf.json here, or by -f cdktf.out",
  );
}
