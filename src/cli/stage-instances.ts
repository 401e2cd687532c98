import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { isEmptied } from "../commands/state-verbs";
import { runTargets } from "../commands/targets";
import { type Diagnostic, DiagnosticsError, warning } from "../diagnostics/diagnostic";
import { shownPath } from "../manifest/files";
import type { FoundStages } from "../manifest/load-manifest";
import type { StageDeclaration } from "../manifest/stages";
import { isStageWord, type StageName, stageText, stageWordRule } from "../model/stage";
import type { State } from "../model/state";
import { shortList } from "../model/text";
import { instancePlace } from "../state/list-instances";
import { stateOf } from "./context";
import type { Invocation } from "./invocation";
import { options } from "./options";
import { type DeclaredStages, inNumbers, listIds, usage } from "./stages";

export const reading = [options.file, options.untrusted, options.stage, options.json];

export const ids = new Option(
  "--ids <ids>",
  "the instances to look at, with commas between them, where a state over https cannot list them",
).argParser(idList);

/** Parses `12,15`; may be given more than once. */
export function idList(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...text.split(/[\s,]+/).filter((word) => word !== "")];
}

export function checkedIds(listed: readonly string[]): readonly string[] {
  const wrong = listed.find((id) => !isStageWord(id));
  if (wrong === undefined) return listed;
  throw usage(
    `${JSON.stringify(wrong.slice(0, 80))} is no id of an instance`,
    `an id holds ${stageWordRule}`,
  );
}

/** A stage, or an instance of one, with the state that it has or may have. */
export interface StageInstance {
  readonly name: StageName;
  /** Absent where the manifest does not declare it: it was removed from there, or renamed. */
  readonly declared?: StageDeclaration;
  /** Where its state is, as the manifest says, else the default path. */
  readonly location: string;
  readonly state?: State | undefined;
  readonly problem?: Diagnostic;
}

export const isEmpty = ({ state, problem }: StageInstance): boolean =>
  problem === undefined && isEmptied(state);

/** Returns a stage or an instance without its state, which is not read. */
export const unreadInstance = (
  { place }: FoundStages,
  declared: StageDeclaration,
  name: StageName,
): StageInstance => ({
  name,
  declared,
  location: place(name).place.state ?? `.rnv/${stageText(name)}/state.json`,
});

/** Reads the state of an invocation, whatever workspace it belongs to; what keeps it from being read is the problem. */
async function recordedIn(
  enter: () => Invocation,
): Promise<Partial<Omit<StageInstance, "name" | "declared">>> {
  try {
    const invocation = enter();
    const environment = { ...invocation.environment, RNV_WORKSPACE_ID: undefined, RNV_BASE_URL: undefined };
    return await stateOf({ ...invocation, environment });
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return { problem: cause.diagnostics[0] as Diagnostic };
  }
}

/** Reads the state of a stage or an instance. */
export async function standingOf(
  found: DeclaredStages,
  declared: StageDeclaration,
  name: StageName,
): Promise<StageInstance> {
  const { location: _, ...read } = await recordedIn(() => found.at(name));
  return { ...unreadInstance(found, declared, name), ...read };
}

/** The instances of an `each` stage that have a state, or those of `--ids`; states that own nothing among them. */
export async function standings(
  { options }: Invocation,
  found: DeclaredStages,
  declared: StageDeclaration,
): Promise<readonly StageInstance[] | undefined> {
  const { name, each } = declared;
  const ids = each ? (options.ids as readonly string[] | undefined) : undefined;
  const named = ids && [...new Set(checkedIds(ids))].sort(inNumbers).map((id) => ({ name, id }));
  const names = named ?? (await found.namesOf(declared));
  return names && runTargets(names, (one) => standingOf(found, declared, one));
}

/**
 * Finds states of stages that are not among `declared`: in `.rnv`, or where RNV_STATE holds `${stage.name}`. What cannot be
 * listed or read is left out.
 */
export async function undeclaredStates(
  invocation: Invocation,
  declared: readonly string[],
): Promise<readonly (StageInstance & { readonly state: State })[]> {
  const { cwd, options } = invocation;
  if (typeof options.state === "string") return [];
  const inStage = (stage: StageName) => ({ ...invocation, stage: { ...stage, takesUnnamed: false } });
  const list = async (stage: StageName): Promise<readonly string[]> => {
    const none = (cause: unknown) => (cause instanceof DiagnosticsError ? [] : Promise.reject(cause));
    return (await listIds(inStage(stage)).catch(none)) ?? [];
  };
  const folder = join(cwd, ".rnv");
  const folders = existsSync(folder) ? readdirSync(folder) : [];
  const listed = await list({ name: instancePlace });
  const found = [];
  for (const name of [...new Set([...listed, ...folders].filter(isStageWord))].sort()) {
    if (declared.includes(name)) continue;
    const ids = await list({ name, id: instancePlace });
    for (const stage of [{ name }, ...ids.map((id) => ({ name, id }))]) {
      const { state, location = "" } = await recordedIn(() => inStage(stage));
      if (state?.stage !== stageText(stage) || Object.keys(state.resources).length === 0) continue;
      const shown = location.includes("://") ? location : shownPath(location, cwd);
      found.push({ name: stage, location: shown, state });
    }
  }
  return found;
}

/** Returns a warning for each state of a stage that is not declared any more, with what it records. */
export async function warnOfUndeclared(invocation: Invocation): Promise<readonly Diagnostic[]> {
  const { declared } = invocation.stage ?? {};
  if (declared === undefined) return [];
  return (await undeclaredStates(invocation, declared)).map(({ name: stage, location, state }) => {
    const name = stageText(stage);
    return warning("guard.stage", `stage ${name} is not declared, and its resources still exist`, {
      detail: `Recorded: ${shortList(Object.keys(state.resources).sort(), 10)}`,
      hint: `To destroy them: rnv destroy --stage ${name} --state ${location}`,
    });
  });
}
