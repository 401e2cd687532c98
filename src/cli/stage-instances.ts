import { Option } from "commander";
import { isEmptied } from "../commands/erase-state";
import { runTargets } from "../commands/targets";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import type { FoundStages } from "../manifest/load-manifest";
import type { StageDeclaration } from "../manifest/stages";
import { isStageWord, type StageName, stageWordRule } from "../model/stage";
import type { State } from "../model/state";
import { stateOf } from "./context";
import type { Invocation, StageRun } from "./invocation";
import { options } from "./options";
import { type DeclaredStages, inNumbers, stagesOf } from "./stages";

export const reading = [options.file, options.untrusted, options.stage, options.json];

export const ids = new Option(
  "--ids <ids>",
  "the instances to look at, with commas between them, where a state over https cannot list them",
).argParser(idList);

/** Parses `12,15`; may be given more than once. */
export function idList(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...text.split(/[\s,]+/).filter((word) => word !== "")];
}

export const usage = (summary: string, hint?: string): DiagnosticsError =>
  new DiagnosticsError([error("command.usage", summary, { hint })]);

/** Reads the stages of a manifest that declares some; throws where it has none. */
export async function foundIn(invocation: Invocation): Promise<DeclaredStages> {
  const found = await stagesOf(invocation);
  if (hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1, found.sources);
  if (found.stages.size > 0) return found;
  throw usage("the manifest declares no stages", "stages: { production: {}, preview: { each: true } }");
}

/** A stage that stands, or may stand, with what its state says. */
export interface StageInstance {
  readonly name: StageName;
  readonly declared: StageDeclaration;
  readonly run: StageRun;
  readonly state?: State | undefined;
  readonly problem?: Diagnostic;
}

export const isEmpty = ({ state, problem }: StageInstance): boolean =>
  problem === undefined && isEmptied(state);

/** A stage or an instance with its state; states are read whatever workspace they belong to. */
export async function standingOf(
  invocation: Invocation,
  { place, sources }: FoundStages,
  declared: StageDeclaration,
  name: StageName,
): Promise<StageInstance> {
  const { environment } = invocation;
  const anyWorkspace = { ...environment, RNV_WORKSPACE_ID: undefined, RNV_BASE_URL: undefined };
  const placed = place(name);
  const { state } = placed.place;
  const run = { ...name, takesUnnamed: false, ...(state !== undefined && { state }) };
  const of = { name, declared, run };
  const [wrong] = placed.diagnostics;
  if (wrong !== undefined) return { ...of, problem: wrong };
  try {
    const reading = { ...invocation, stage: run, environment: anyWorkspace, sources };
    return { ...of, state: (await stateOf(reading)).state };
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return { ...of, problem: cause.diagnostics[0] as Diagnostic };
  }
}

/** The instances of an `each` stage that have a state, or those that are named; states that own nothing among them. */
export async function standings(
  invocation: Invocation,
  found: DeclaredStages,
  declared: StageDeclaration,
): Promise<readonly StageInstance[] | undefined> {
  const { name, each } = declared;
  const ids = each ? (invocation.options.ids as readonly string[] | undefined) : undefined;
  const named = ids && [...new Set(checkedIds(ids))].sort(inNumbers).map((id) => ({ name, id }));
  const names = named ?? (await found.namesOf(declared));
  if (names === undefined) return undefined;
  const standing = (one: StageName) => standingOf(invocation, found, declared, one);
  return runTargets(names, standing);
}

export function checkedIds(listed: readonly string[]): readonly string[] {
  const wrong = listed.find((id) => !isStageWord(id));
  if (wrong === undefined) return listed;
  throw usage(
    `${JSON.stringify(wrong.slice(0, 80))} is no id of an instance`,
    `an id holds ${stageWordRule}`,
  );
}
