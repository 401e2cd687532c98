import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError, error, warning } from "../diagnostics/diagnostic";
import type { CrossValue, CrossValues } from "../manifest/context";
import { isHiddenOutput } from "../model/desired";
import { worstExitCode } from "../model/exit-code";
import { stageText } from "../model/stage";
import type { State } from "../model/state";
import { readSavedPlan, type SavedRequest } from "../plan/saved-plan";
import { escapeJson, escapeText } from "../report/escape-text";
import { chooseStacks, isStackPath, type StackFile } from "../stack/files";
import { listStacks } from "../stack/load-desired";
import { openContext, settingsOf } from "./context";
import { readText } from "./files";
import { formatOf, type Handler, type Invocation, listOf, type StackRun } from "./invocation";
import { exitCodes, outStyle, report } from "./report";
import { stackPlace } from "./settings";
import { askedStage, inDeclaredStage, inStageOfState, undeclaredStage } from "./stages";
import { withStack } from "./synthesize";

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
  if (use === "together" && chosen.length > 1) return handler(invocation);
  if (use === "one" && chosen.length > 1)
    throw new DiagnosticsError([
      error("command.usage", `${chosen.length} stacks are read, and this is about one`, {
        hint: `name it: ${chosen.map(({ unit }) => `--stack ${unit}`).join(", ")}`,
      }),
    ]);
  if (invocation.options.json !== true) tellNotes(chosen, invocation.terminal);
  if (named.length === 0 && stacks.length > 1 && use === "each" && reading.others !== "none")
    await tellLeftStates(invocation, stacks);
  const ordered = use === "each, reversed" ? [...chosen].reverse() : chosen;
  return runEach(invocation, { stacks, chosen: ordered, reading }, handler);
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
  const names = givenAddress(invocation) !== "" ? [] : stacksWithState(invocation.cwd, invocation.stage);
  if (names.length === 0) return handler(invocation);
  if (use === "each" && given.positional[0] === undefined) {
    const screen = sharedScreen(invocation, { use });
    const codes: number[] = [];
    for (const one of names)
      codes.push(
        await screen.show({ ...invocation, stack: stackRun(one, { isOneOfSeveral: true }) }, handler),
      );
    screen.end();
    return worstExitCode(codes);
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

/**
 * Warns of states whose stack the app declares no longer: where it was renamed, all that it holds would be made a second
 * time under the new name; where it was removed, nothing deletes it.
 */
async function tellLeftStates(invocation: Invocation, stacks: readonly StackFile[]): Promise<void> {
  const { cwd, stage } = invocation;
  if (givenAddress(invocation) !== "") return;
  const units = new Set(stacks.map(({ unit }) => unit));
  const warnings: Diagnostic[] = [];
  const found = statesOfStacks(cwd, stage);
  // The state without a folder is that of an app of one stack: refused where it is read for another.
  const isAlone = !found.some(({ name }) => units.has(name));
  for (const { name: folder, path } of [...(isAlone ? [] : [stateOfOne(cwd, stage)]), ...found]) {
    if (folder !== undefined && units.has(folder)) continue;
    const stack = folder === undefined ? undefined : stackRun(folder, { isOneOfSeveral: true });
    // One that cannot be read says nothing of the stacks that are there.
    const state = await stateOf({ ...invocation, stack }).catch(() => undefined);
    const name = state?.stack;
    const count = Object.keys(state?.resources ?? {}).length;
    if (count === 0 || name === undefined || units.has(name) || (folder ?? name) !== name) continue;
    const what = `${count} ${count === 1 ? "resource" : "resources"}`;
    warnings.push(
      warning("guard.stack", `the app has no stack ${JSON.stringify(name)}, whose state holds ${what}`, {
        detail: `They stay as they are: no plan reads ${relative(cwd, path)}.`,
        hint: `To change or destroy them, declare it again. If it was renamed, rename the folder of its state too: the next plan says how to write the new name into it.`,
      }),
    );
  }
  report(invocation, warnings);
}

/** Where the state of an app of one stack lies, which may be without a folder of its own. */
const stateOfOne = (cwd: string, stage: Invocation["stage"]) => ({
  name: undefined,
  path: join(folderOfStates(cwd, stage), "state.json"),
});

const folderOfStates = (cwd: string, stage: Invocation["stage"]): string =>
  resolve(cwd, ".rnv", stage ? stageText(stage) : "");

/** The stacks with a state in the folder of a stage, by their names. */
function statesOfStacks(cwd: string, stage: Invocation["stage"]) {
  const folder = folderOfStates(cwd, stage);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .map((name) => ({ name, path: join(folder, name, "state.json") }))
    .filter(({ path }) => isFile(path));
}

/** The folders of states of stacks in a stage; none where there is a state without a stack. */
function stacksWithState(cwd: string, stage: Invocation["stage"]): readonly string[] {
  const folder = folderOfStates(cwd, stage);
  if (isFile(join(folder, "state.json"))) return [];
  return statesOfStacks(cwd, stage).map(({ name }) => name);
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

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

async function runEach(
  invocation: Invocation,
  { stacks, chosen, reading }: StacksRun,
  handler: Handler,
): Promise<number> {
  const planned = new Map<string, ReadonlyMap<string, CrossValue>>();
  const failed = new Set<string>();
  const screen = chosen.length > 1 ? sharedScreen(invocation, reading) : undefined;
  const codes: number[] = [];
  for (const { unit, dependencies } of chosen) {
    const waitsFor = reading.use === "each" ? dependencies : dependents(unit, stacks);
    const because = waitsFor.find((other) => failed.has(other));
    if (because !== undefined) {
      failed.add(unit);
      invocation.terminal.err(
        `The stack ${escapeText(unit)} is left out: ${escapeText(because)} comes first, and is not done.\n`,
      );
      continue;
    }
    // Throws where it is not clear which state is that of the stack.
    settingsOf({ ...invocation, stack: stackRun(unit, { isOneOfSeveral: stacks.length > 1 }) });
    const run = stackRun(unit, {
      ...(await aroundStack(invocation, unit, { stacks, planned, reading })),
      sharesRun: chosen.length > 1,
      tellOutputs: (outputs) => planned.set(unit, outputs),
    });
    const one = { ...invocation, stack: run };
    const code = await (screen === undefined ? handler(one) : screen.show(one, handler));
    codes.push(code);
    if (code !== exitCodes.done && code !== exitCodes.changes) failed.add(unit);
    if (code === exitCodes.interrupted || invocation.signal.aborted) break;
  }
  screen?.end();
  return worstExitCode(codes);
}

/** The stacks that need one. */
const dependents = (unit: string, stacks: readonly StackFile[]): readonly string[] =>
  stacks.filter(({ dependencies }) => dependencies.includes(unit)).map((stack) => stack.unit);

const stackRun = (
  name: string,
  run: Partial<Omit<StackRun, "name">> & Pick<StackRun, "isOneOfSeveral">,
): StackRun => ({
  crossValues: new Map(),
  needsValues: false,
  ownedElsewhere: new Set(),
  sharesRun: false,
  tellOutputs: () => {},
  ...run,
  name,
});

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
    const state = await stateOf({ ...invocation, stack: stackRun(other, { isOneOfSeveral }) });
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

/** The address of the state that was given; empty where it is the default one. */
const givenAddress = ({ options, environment }: Invocation): string =>
  typeof options.state === "string" ? options.state : (environment.RNV_STATE ?? "").trim();

async function stateOf(invocation: Invocation): Promise<State | undefined> {
  const context = openContext(invocation);
  try {
    return await context.backend.read();
  } finally {
    await context.close();
  }
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
function sharedScreen({ terminal, options }: Invocation, { streams }: StackReading) {
  const isDocument = formatOf(options) === "json" && streams === undefined;
  const documents: Record<string, unknown> = {};
  let isFirst = true;
  return {
    show: async (invocation: Invocation, handler: Handler): Promise<number> => {
      const name = invocation.stack?.name ?? "";
      if (!isDocument) {
        if (formatOf(options) === "json") terminal.out(`${escapeJson({ type: "stack", stack: name })}\n`);
        else if (formatOf(options) === "markdown")
          terminal.out(`${isFirst ? "" : "\n"}## Stack ${escapeText(name)}\n\n`);
        else
          terminal.out(
            `${isFirst ? "" : "\n"}${outStyle(invocation).colors.bold(`Stack ${escapeText(name)}`)}\n\n`,
          );
        isFirst = false;
        return handler(invocation);
      }
      let text = "";
      const code = await handler({
        ...invocation,
        terminal: {
          ...terminal,
          out: (part) => {
            text += part;
          },
        },
      });
      documents[name] = JSON.parse(text === "" ? "null" : text);
      return code;
    },
    end: (): void => {
      if (isDocument)
        terminal.out(`${escapeJson({ format_version: "1.0", stacks: documents as never }, 2)}\n`);
    },
  };
}
