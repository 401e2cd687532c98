import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError, warning } from "../diagnostics/diagnostic";
import { shownPath } from "../manifest/files";
import { isStageWord, type StageName, stageText } from "../model/stage";
import type { State } from "../model/state";
import { shortList } from "../model/text";
import { counted } from "../report/plan-wording";
import type { StackFile } from "../stack/files";
import { instancePlace } from "../state/list-instances";
import { givenAddress, stateOf } from "./context";
import { isFile } from "./files";
import { type Invocation, stackRun } from "./invocation";
import { listIds } from "./stages";

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

/** A state of a stage that the manifest does not declare: the stage was removed from it, or renamed. */
interface UndeclaredState {
  readonly stage: StageName;
  readonly location: string;
  readonly state: State;
}

/**
 * Finds states of stages that are not among `declared`: in `.rnv`, or where RNV_STATE holds `${stage.name}`. What cannot be
 * listed or read is left out.
 */
export async function undeclaredStates(
  invocation: Invocation,
  declared: readonly string[],
): Promise<readonly UndeclaredState[]> {
  const { cwd, environment, options } = invocation;
  if (typeof options.state === "string") return [];
  const inStage = (stage: StageName): Invocation => ({
    ...invocation,
    environment: { ...environment, RNV_WORKSPACE_ID: undefined, RNV_BASE_URL: undefined },
    stage: { ...stage, takesUnnamed: false },
  });
  const none = (cause: unknown): readonly never[] => {
    if (cause instanceof DiagnosticsError) return [];
    throw cause;
  };
  const list = async (stage: StageName): Promise<readonly string[]> => (await listIds(inStage(stage))) ?? [];
  const read = async (stage: StageName): Promise<readonly UndeclaredState[]> => {
    const { state, location: at } = await stateOf(inStage(stage));
    const isOwn = state?.stage === stageText(stage) && Object.keys(state.resources).length > 0;
    return isOwn ? [{ stage, location: at.includes("://") ? at : shownPath(at, cwd), state }] : [];
  };
  const folder = join(cwd, ".rnv");
  const folders = existsSync(folder) ? readdirSync(folder) : [];
  const listed = await list({ name: instancePlace }).catch(none);
  const found: UndeclaredState[] = [];
  for (const name of [...new Set([...listed, ...folders].filter(isStageWord))].sort()) {
    if (declared.includes(name)) continue;
    const ids = await list({ name, id: instancePlace }).catch(none);
    for (const stage of [{ name }, ...ids.map((id) => ({ name, id }))])
      found.push(...(await read(stage).catch(none)));
  }
  return found;
}

/** Returns a warning for each state of a stage that is not declared any more, with what it records. */
export async function warnOfUndeclared(invocation: Invocation): Promise<readonly Diagnostic[]> {
  const { declared } = invocation.stage ?? {};
  if (declared === undefined) return [];
  return (await undeclaredStates(invocation, declared)).map(({ stage, location, state }) => {
    const addresses = Object.keys(state.resources);
    const name = stageText(stage);
    return warning("guard.stage", `stage ${name} is not declared, and its resources still exist`, {
      detail: `Recorded: ${shortList(addresses.sort(), 10)}`,
      hint: `To destroy them: rnv destroy --stage ${name} --state ${location}`,
    });
  });
}
