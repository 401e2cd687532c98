import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { CrossValue, CrossValues } from "../manifest/context";
import { isHiddenOutput } from "../model/desired";
import { stageText } from "../model/stage";
import { counted } from "../report/plan-wording";
import type { StackFile } from "../stack/files";
import { givenAddress, stateOf } from "./context";
import { isFile } from "./files";
import { type Invocation, type StackRun, stackRun } from "./invocation";
import { stackPlace } from "./settings";

const folderOfStates = ({ cwd, stage }: Invocation): string =>
  resolve(cwd, ".rnv", stage ? stageText(stage) : "");

/** The stacks with a state in the folder of a stage, by their names. */
function statesOfStacks(invocation: Invocation) {
  const folder = folderOfStates(invocation);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .map((name) => ({ name, path: join(folder, name, "state.json") }))
    .filter(({ path }) => isFile(path));
}

/** The folders of states of stacks in a stage; none where there is a state without a stack, or its address is given. */
export function stacksWithState(invocation: Invocation): readonly string[] {
  const isOne = givenAddress(invocation) !== "" || isFile(join(folderOfStates(invocation), "state.json"));
  return isOne ? [] : statesOfStacks(invocation).map(({ name }) => name);
}

/**
 * Returns a warning for each state whose stack the app does not declare any more: where it was renamed, all that it holds
 * would be created a second time under the new name; where it was removed, nothing deletes it.
 */
export async function warnOfLeftStacks(
  invocation: Invocation,
  stacks: readonly StackFile[],
): Promise<readonly Diagnostic[]> {
  if (givenAddress(invocation) !== "") return [];
  const units = new Set(stacks.map(({ unit }) => unit));
  const found = statesOfStacks(invocation);
  // The state without a folder is that of an app of one stack: refused where it is read for another.
  const isAlone = !found.some(({ name }) => units.has(name));
  const one = { name: undefined, path: join(folderOfStates(invocation), "state.json") };
  const warnings: Diagnostic[] = [];
  for (const { name: folder, path } of [...(isAlone ? [] : [one]), ...found]) {
    if (folder !== undefined && units.has(folder)) continue;
    const stack = folder === undefined ? undefined : stackRun(folder, { isOneOfSeveral: true });
    // One that cannot be read says nothing of the stacks that are there.
    const read = await stateOf({ ...invocation, stack }).catch(() => undefined);
    const state = read?.state;
    const name = state?.stack;
    const count = Object.keys(state?.resources ?? {}).length;
    if (count === 0 || name === undefined || units.has(name) || (folder ?? name) !== name) continue;
    const summary = `the app has no stack ${JSON.stringify(name)}, whose state holds ${counted(count, "resource")}`;
    warnings.push(
      warning("guard.stack", summary, {
        detail: `They stay as they are: no plan reads ${relative(invocation.cwd, path)}.`,
        hint: "To change or destroy them, declare it again. If it was renamed, rename the folder of its state too: the next plan says how to write the new name into it.",
      }),
    );
  }
  return warnings;
}

/** What the states of the other stacks of an app say, each read when it is needed. */
interface OtherStacks {
  readonly stacks: readonly StackFile[];
  /** Outputs of stacks that were planned in this run: they count more than those of the states. */
  readonly planned: CrossValues;
  readonly others?: "needed" | "none" | undefined;
}

/** Returns what a stack is given of the other stacks of its app. */
export async function aroundStack(
  invocation: Invocation,
  unit: string,
  { stacks, planned, others }: OtherStacks,
): Promise<Omit<StackRun, "name" | "sharesRun" | "tellOutputs">> {
  const isOneOfSeveral = stacks.length > 1;
  const needsValues = others === "needed";
  const crossValues = new Map<string, ReadonlyMap<string, CrossValue>>();
  const ownedElsewhere = new Set<string>();
  const areRead = others !== "none" && hasStateByStack(invocation);
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
