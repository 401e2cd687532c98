import { resolve } from "node:path";
import { runTargets } from "../commands/targets";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { CrossValue, CrossValues } from "../manifest/context";
import { isHiddenOutput } from "../model/desired";
import { worstExitCode } from "../model/exit-code";
import { stageText } from "../model/stage";
import { readSavedPlan, type SavedRequest } from "../plan/saved-plan";
import { escapeJson, escapeText } from "../report/escape-text";
import { chooseStacks, isStackPath, type StackFile } from "../stack/files";
import { listStacks } from "../stack/load-desired";
import { givenAddress, settingsOf, stateOf } from "./context";
import { isFile, readText } from "./files";
import { formatOf, type Handler, type Invocation, listOf, type StackRun, stackRun } from "./invocation";
import { exitCodes, outStyle, report } from "./report";
import { stackPlace } from "./settings";
import { askedStage, inDeclaredStage, inStageOfState, undeclaredStage } from "./stages";
import { withStack } from "./synthesize";
import { stacksWithState, warnOfLeftStacks } from "./undeclared-states";

/** How a verb takes an app of several stacks. */
export type StackUse =
  /** One after the other, each after those that it needs. */
  | "each"
  /** One after the other, each before those that it needs. */
  | "each, reversed"
  /** One, which has to be named. */
  | "one"
  /** All as one. */
  | "together";

/** How a verb reads stacks. */
export interface StackReading {
  readonly use: StackUse;
  /**
   * The states of the other stacks: `needed` for what they have made, read where they are there (the default), or not read.
   */
  readonly others?: "needed" | "none";
  /** The word behind it may be a saved plan; `alone`: which is all that is read then. */
  readonly takesPlan?: true | "alone";
  /** Its JSON is a line for each event. */
  readonly streams?: true;
}

/**
 * Runs a verb that reads a manifest or stacks (DESIGN section 11, "Stacks"): once for each stack that is named, or for all.
 * Returns the exit code that says most.
 */
export async function runOnStacks(
  given: Invocation,
  reading: StackReading,
  handler: Handler,
): Promise<number> {
  const { use, takesPlan = false } = reading;
  const isStackVerb = use !== "one";
  const words = isStackVerb ? listOf(given.positional[0]) : [];
  const planFile =
    takesPlan && words.length === 1 && isFile(resolve(given.cwd, words[0] as string)) ? words[0] : undefined;
  if (planFile !== undefined && takesPlan === "alone") return handler({ ...given, positional: [planFile] });
  const named = planFile === undefined ? [...words, ...listOf(given.options.stack)] : [];
  const asked = askedStage(given);
  const synthesized = await withStack(
    {
      ...(isStackVerb ? { ...given, positional: planFile === undefined ? [] : [planFile] } : given),
      ...(asked && { stage: { ...asked, takesUnnamed: true } }),
    },
    planFile !== undefined,
  );
  if (planFile !== undefined) return runSaved(synthesized, planFile, handler);
  const files = listOf(synthesized.options.file);
  const stacks = await listStacks(files, synthesized.cwd);
  if (stacks.length === 0) return handler(await inStageOf(synthesized, files, reading, named));
  const invocation = { ...synthesized, stage: undeclaredStage(asked) };
  const chosen = chooseStacks(stacks, named);
  if (use === "together") {
    const [first = "", ...together] = chosen.map(({ unit }) => unit);
    return handler({ ...invocation, stack: { ...stackRun(first, { isOneOfSeveral: true }), together } });
  }
  if (use === "one" && chosen.length > 1)
    throw new DiagnosticsError([
      error("command.usage", `${chosen.length} stacks are read, and this is about one`, {
        hint: `name it: ${chosen.map(({ unit }) => `--stack ${unit}`).join(", ")}`,
      }),
    ]);
  if (invocation.options.json !== true) tellNotes(chosen, invocation.terminal);
  if (named.length === 0 && stacks.length > 1 && use === "each" && reading.others !== "none")
    report(invocation, await warnOfLeftStacks(invocation, stacks));
  const ordered = use === "each, reversed" ? [...chosen].reverse() : chosen;
  return runInOrder(
    invocation,
    targetsOf(invocation, { stacks, chosen: ordered, reading }),
    reading,
    handler,
  );
}

/** A manifest in its stage; stacks that cannot be read have none. */
async function inStageOf(
  invocation: Invocation,
  files: readonly string[],
  { use, others, streams, takesPlan }: StackReading,
  named: readonly string[] = [],
): Promise<Invocation> {
  const areStacks = await Promise.all(files.map((file) => file !== "-" && isStackPath(file, invocation.cwd)));
  // Stacks that cannot be read are reported where they are read.
  if (areStacks.includes(true)) return { ...invocation, stage: undeclaredStage(askedStage(invocation)) };
  refuseWords(named, takesPlan !== undefined);
  return inDeclaredStage(invocation, files, {
    checksItself: others === "none",
    streams: streams === true,
    destroys: use === "each, reversed",
  });
}

/**
 * Runs a verb that works on a state alone; `--stack` and `--stage` name the stack and the stage that the state belongs to.
 */
export async function runOnState(
  given: Invocation,
  { takesPlan, others, use }: Partial<StackReading>,
  handler: Handler,
): Promise<number> {
  // It reads the state for what it knows, and continues without.
  if (others === "none")
    return handler(askedStage(given) === undefined ? given : await inStageOfState(given));
  if (takesPlan && given.positional[0] !== undefined) return handler(given);
  const invocation = await inStageOfState(given);
  const [name, another] = listOf(invocation.options.stack);
  if (another !== undefined)
    throw new DiagnosticsError([
      error("command.usage", "--stack is given twice, and this is about one stack"),
    ]);
  if (name !== undefined) return handler({ ...invocation, stack: stackRun(name, { isOneOfSeveral: true }) });
  const names = stacksWithState(invocation);
  if (names.length === 0) return handler(invocation);
  if (use === "each" && given.positional[0] === undefined) {
    const targets = names.map((one) => ({
      ...{ name: one, waitsFor: [] },
      open: async () => stackRun(one, { isOneOfSeveral: true }),
    }));
    return runInOrder(invocation, targets, {}, handler);
  }
  throw new DiagnosticsError([
    error("command.usage", "each stack has a state of its own here, and none is named", {
      hint: `name one: ${names.map((one) => `--stack ${escapeText(one)}`).join(", ")}`,
    }),
  ]);
}

/** Shows what a program notes of its constructs, besides its warnings and errors. */
function tellNotes(stacks: readonly StackFile[], terminal: Invocation["terminal"]): void {
  for (const { annotations } of stacks)
    for (const { level, constructPath, message } of annotations)
      if (level === "info") terminal.err(`Info: ${escapeText(constructPath)}: ${escapeText(message)}\n`);
}

function refuseWords([word]: readonly string[], takesPlan: boolean): void {
  if (word === undefined) return;
  const isFileName = takesPlan && /[./\\]/.test(word);
  if (isFileName) throw new DiagnosticsError([error("command.usage", `${word}: no such file`)]);
  throw new DiagnosticsError([
    error("command.usage", `there is no stack ${JSON.stringify(word)}`, {
      hint: "a manifest has no stacks; those of an app are read by --app, by a cdktf.json here, or by -f cdktf.out",
    }),
  ]);
}

interface StacksRun {
  /** All stacks of the app. */
  readonly stacks: readonly StackFile[];
  /** Those to run, in their order. */
  readonly chosen: readonly StackFile[];
  readonly reading: StackReading;
}

/** Returns stacks as targets, each opened once those before it have ended. */
function targetsOf(invocation: Invocation, { stacks, chosen, reading }: StacksRun): readonly StackTarget[] {
  const planned = new Map<string, ReadonlyMap<string, CrossValue>>();
  return chosen.map(({ unit: name, dependencies }) => ({
    name,
    waitsFor: reading.use === "each" ? dependencies : dependents(name, stacks),
    open: async () => {
      // Throws where it is not clear which state is that of the stack.
      settingsOf({ ...invocation, stack: stackRun(name, { isOneOfSeveral: stacks.length > 1 }) });
      return stackRun(name, {
        ...(await aroundStack(invocation, name, { stacks, planned, reading })),
        sharesRun: chosen.length > 1,
        tellOutputs: (outputs) => planned.set(name, outputs),
      });
    },
  }));
}

/** A stack to run, after those that it waits for. */
interface StackTarget {
  readonly name: string;
  readonly waitsFor: readonly string[];
  readonly open: () => Promise<StackRun>;
}

/** Runs a verb for stacks, one after the other. A stack is left out where one that it waits for is not done. */
async function runInOrder(
  invocation: Invocation,
  targets: readonly StackTarget[],
  { streams }: Pick<StackReading, "streams">,
  handler: Handler,
): Promise<number> {
  const screen = targets.length > 1 ? sharedScreen(invocation, streams === true) : undefined;
  const failed = new Set<string>();
  const run = async ({ name, waitsFor, open }: StackTarget): Promise<number> => {
    const because = waitsFor.find((other) => failed.has(other));
    if (because !== undefined) {
      failed.add(name);
      invocation.terminal.err(
        `The stack ${escapeText(name)} is left out: ${escapeText(because)} comes first, and is not done.\n`,
      );
      return exitCodes.done;
    }
    const one = { ...invocation, stack: await open() };
    const code = await (screen === undefined ? handler(one) : screen.show(one, handler));
    if (code !== exitCodes.done && code !== exitCodes.changes) failed.add(name);
    return code;
  };
  const codes = await runTargets(targets, run, { signal: invocation.signal });
  screen?.end();
  return worstExitCode(codes);
}

/** The stacks that need one. */
const dependents = (unit: string, stacks: readonly StackFile[]): readonly string[] =>
  stacks.filter(({ dependencies }) => dependencies.includes(unit)).map((stack) => stack.unit);

/** What the states of the other stacks of an app say, each read when it is needed. */
interface OtherStacks {
  readonly stacks: readonly StackFile[];
  /** Outputs of stacks that were planned in this run: they count more than those of the states. */
  readonly planned: CrossValues;
  readonly reading: Pick<StackReading, "others">;
}

async function aroundStack(
  invocation: Invocation,
  unit: string,
  { stacks, planned, reading }: OtherStacks,
): Promise<Omit<StackRun, "name" | "sharesRun" | "tellOutputs">> {
  const isOneOfSeveral = stacks.length > 1;
  const needsValues = reading.others === "needed";
  const crossValues = new Map<string, ReadonlyMap<string, CrossValue>>();
  const ownedElsewhere = new Set<string>();
  const areRead = reading.others !== "none" && hasStateByStack(invocation);
  for (const { unit: other } of areRead ? stacks.filter((stack) => stack.unit !== unit) : []) {
    const { state } = await stateOf({ ...invocation, stack: stackRun(other, { isOneOfSeveral }) });
    const outputs = Object.entries(state?.outputs ?? {}).filter(([, value]) => !isHiddenOutput(value));
    const recorded = outputs.map(([name, value]): [string, CrossValue] => [name, { kind: "value", value }]);
    crossValues.set(other, planned.get(other) ?? new Map(recorded));
    for (const { id } of Object.values(state?.resources ?? {})) ownedElsewhere.add(id);
  }
  return { crossValues, needsValues, ownedElsewhere, isOneOfSeveral };
}

/** Whether each stack has a state of its own: the address is the default one, or holds the name of the stack. */
function hasStateByStack(invocation: Invocation): boolean {
  const address = givenAddress(invocation);
  return address === "" || address.includes(stackPlace);
}

/** Runs a saved plan for the stack that it was made for. The verb reports a damaged one. */
async function runSaved(given: Invocation, planFile: string, handler: Handler): Promise<number> {
  const request = readSavedPlan(readText(planFile)).document?.request;
  if (request === undefined) return handler(given);
  const invocation = await inSavedStage(given, planFile, request);
  if (request.stack === undefined) return handler(invocation);
  const stacks = await listStacks(request.files, invocation.cwd);
  const around = await aroundStack(invocation, request.stack, {
    stacks,
    planned: new Map(),
    reading: { others: "needed" },
  });
  return handler({ ...invocation, stack: stackRun(request.stack, around) });
}

/** The stage that a plan was saved for; another one that is asked for is refused. */
async function inSavedStage(
  given: Invocation,
  planFile: string,
  { stage, stack, files }: SavedRequest,
): Promise<Invocation> {
  const asked = askedStage(given);
  if (asked !== undefined && stageText(asked) !== stage)
    throw new DiagnosticsError(
      [
        error(
          "guard.stage",
          `${planFile} was planned for ${stage === undefined ? "no stage" : `the stage ${stage}`}, not for ${stageText(asked)}`,
          {
            hint: "leave --stage and RNV_STAGE out: a saved plan names its stage itself",
          },
        ),
      ],
      exitCodes.refused,
    );
  const invocation = { ...given, options: { ...given.options, ...(stage !== undefined && { stage }) } };
  if (stack === undefined) return inStageOf(invocation, files, { use: "each", streams: true });
  return { ...invocation, stage: undeclaredStage(askedStage(invocation)) };
}

/** Shows several stacks on one standard output: under a heading each, or as one JSON document. */
function sharedScreen({ terminal, options }: Invocation, streams: boolean) {
  const format = formatOf(options);
  const isDocument = format === "json" && !streams;
  const documents: Record<string, unknown> = {};
  let gap = "";
  const showHeading = (invocation: Invocation, name: string): void => {
    if (format === "json") terminal.out(`${escapeJson({ type: "stack", stack: name })}\n`);
    else if (format === "markdown") terminal.out(`${gap}## Stack ${escapeText(name)}\n\n`);
    else terminal.out(`${gap}${outStyle(invocation).colors.bold(`Stack ${escapeText(name)}`)}\n\n`);
    gap = "\n";
  };
  return {
    show: async (invocation: Invocation, handler: Handler): Promise<number> => {
      const name = invocation.stack?.name ?? "";
      if (!isDocument) {
        showHeading(invocation, name);
        return handler(invocation);
      }
      let text = "";
      const out = (part: string): void => {
        text += part;
      };
      const code = await handler({ ...invocation, terminal: { ...terminal, out } });
      documents[name] = JSON.parse(text === "" ? "null" : text);
      return code;
    },
    end: (): void => {
      if (isDocument)
        terminal.out(`${escapeJson({ format_version: "1.0", stacks: documents as never }, 2)}\n`);
    },
  };
}
