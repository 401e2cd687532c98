import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Option } from "commander";
import { createHttpTransport } from "../api/http-transport";
import { areStackPaths } from "../commands/load-desired";
import { isEmptied } from "../commands/state-verbs";
import { runTargets } from "../commands/targets";
import { type Diagnostic, DiagnosticsError, failure, hasErrors, warning } from "../diagnostics/diagnostic";
import { manifestIn } from "../manifest/find-files";
import { findStages } from "../manifest/load-manifest";
import { findStage, type StageDeclaration, stageMissing } from "../manifest/stages";
import { isStageWord, type StageName, splitStage, stageText, stageWordRule } from "../model/stage";
import type { State } from "../model/state";
import { shortList } from "../model/text";
import { systemClock } from "../model/time";
import { compareNatural } from "../report/order";
import { resourceTypes } from "../resources";
import { instancePlace, listInstances } from "../state/list-instances";
import { givenAddress, settingsOf, stateOf, targetOf } from "./context";
import { readStandardInput } from "./files";
import { type Invocation, listOf, type StageRun } from "./invocation";
import { list, options } from "./options";
import { report } from "./report";
import { workspaceOf } from "./settings";

export function askedStage({ options, environment }: Invocation): StageName | undefined {
  const text = typeof options.stage === "string" ? options.stage : (environment.RNV_STAGE ?? "");
  return text.trim() === "" ? undefined : splitStage(text.trim());
}

/** A stage that nothing declares: that of an app of constructs, which gets it from RNV_STAGE. */
function undeclaredStage(asked: StageName): StageRun {
  const wrong = [asked.name, asked.id].find((word) => word !== undefined && !isStageWord(word));
  if (wrong === undefined) return { ...asked, takesUnnamed: true };
  throw failure("command.usage", `${JSON.stringify(wrong)} cannot name a stage, nor an instance of one`, {
    hint: `each holds ${stageWordRule}: --stage staging, --stage preview/12`,
  });
}

export async function stagesOf(invocation: Invocation, files: readonly string[]) {
  const { cwd, environment, options, terminal } = invocation;
  const standardInput = files.includes("-") ? await readStandardInput(terminal) : undefined;
  const untrusted = options.untrusted === true;
  const found = findStages({ files, cwd, types: resourceTypes, environment, untrusted, standardInput });
  /** Returns the invocation in a stage, whatever workspace this run is in; throws at mistakes in where the stage is. */
  const at = (asked: StageName) => {
    const { diagnostics, place } = found.place(asked);
    if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics);
    return { ...invocation, stage: { ...asked, ...place } };
  };
  /** Returns a stage, or its instances in order: those of `--ids`, else those that have a state; undefined where these cannot be listed. */
  const namesOf = async ({ name, each }: StageDeclaration): Promise<readonly StageName[] | undefined> => {
    if (!each) return [{ name }];
    const named = options.ids as readonly string[] | undefined;
    const ids = named ?? (await listIds(at({ name, id: instancePlace })));
    return ids && [...new Set(ids)].sort(compareNatural).map((id) => ({ name, id }));
  };
  return {
    ...found,
    at,
    /** Returns the invocation in a stage; throws where it is not declared so, or this run is in another workspace. */
    enter: (asked: StageName): Invocation => {
      const one = findStage(found.stages, asked);
      if (one.stage === undefined) throw new DiagnosticsError([one.mistake]);
      const { disposable, each, written } = one.stage;
      const { stage } = at(asked);
      const own = workspaceOf(environment).toLowerCase();
      if (stage.workspace !== undefined && own !== "" && own !== stage.workspace)
        throw failure(
          "guard.workspace",
          `stage ${stageText(asked)} belongs to workspace ${stage.workspace}, and this run is in ${own}`,
          {
            range: written.get("workspace")?.value.range,
            hint: "set RNV_WORKSPACE_ID and the key to those of the stage, or name another stage",
          },
        );
      const takesUnnamed = !disposable && !each;
      return { ...invocation, stage: { ...stage, takesUnnamed }, declaredStages: [...found.stages.keys()] };
    },
    namesOf,
    /** Returns the same with their states, among them such that own nothing. */
    instancesOf: async (declared: StageDeclaration): Promise<readonly StageInstance[] | undefined> => {
      const names = await namesOf(declared);
      const placed = (name: StageName) => ({ ...invocation, stage: { ...name, ...found.place(name).place } });
      return names && runTargets(names, (name) => recordedIn(placed(name), () => at(name)));
    },
  };
}

/** Reads the stages of a manifest; throws where it has none, unless `mayHaveNone`. */
export async function foundIn(invocation: Invocation, mayHaveNone = false) {
  const found = await stagesOf(invocation, listOf(invocation.options.file));
  if (hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1);
  if (found.stages.size > 0 || mayHaveNone) return found;
  throw usage("the manifest declares no stages", "stages: { production: {}, preview: { each: true } }");
}

async function listIds(invocation: Invocation): Promise<readonly string[] | undefined> {
  const { environment } = invocation;
  return listInstances(settingsOf(invocation).state, {
    ...{ environment, clock: systemClock },
    openTransport: (limits) => createHttpTransport({ environment, ...limits }),
  });
}

export interface Reading {
  /**
   * Of an app of several stacks `each`, after those that it needs, or before them (`reversed`); `one`, which `--stack` has to
   * name, or a word in place of a saved plan.
   */
  readonly use: "each" | "each, reversed" | "one";
  /**
   * The states of the other stacks: `needed` for what they have made, read where they are there (the default), or not read.
   * A verb that reads `none` reports mistakes in the manifest, and a missing stage, itself.
   */
  readonly others?: "needed" | "none";
  /** It works on a state alone; `--stack` and `--stage` name those that the state belongs to, else that of any stage is taken. */
  readonly readsState?: true;
  readonly takesPlan?: true;
  /** Its JSON is a line for each event, and no stack is written before those that it needs. */
  readonly writes?: true;
}

/** The invocation of a verb in the stage that was asked for. Throws where that is not clear. */
export async function inAskedStage(
  invocation: Invocation,
  files: readonly string[],
  { readsState, others, use }: Reading,
): Promise<Invocation> {
  const { options, cwd } = invocation;
  const asked = askedStage(invocation);
  const isGiven = others === "none" || (readsState && givenAddress(invocation) !== "");
  const unstaged = readsState ? invocation : { ...invocation, stage: null };
  if (asked === undefined && isGiven) return unstaged;
  const hasNone = readsState && files.length === 0 && manifestIn(cwd) === undefined;
  // Stacks have no stages that are declared; those that cannot be read are reported where they are read.
  if (hasNone || (await areStackPaths(files, cwd)).includes(true))
    return asked === undefined ? unstaged : { ...invocation, stage: undeclaredStage(asked) };
  const found = await stagesOf(invocation, files);
  if (readsState && hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1);
  const isRead = found.diagnostics.every(({ code }) => code === "manifest.not_found");
  const isNowhere = isRead && asked !== undefined && !found.stages.has(asked.name);
  // `destroy` also deletes what the state of a stage records that is no longer declared.
  if (use === "each, reversed" && isNowhere && typeof options.state === "string")
    return { ...invocation, stage: { ...asked, isUndeclared: true } };
  if (hasErrors(found.diagnostics)) return asked === undefined ? unstaged : { ...invocation, stage: asked };
  if (asked !== undefined) return found.enter(asked);
  if (found.stages.size === 0) return { ...unstaged, declaredStages: [] };
  throw new DiagnosticsError([stageMissing(found.stages)], 1);
}

export const usage = (summary: string, hint?: string): DiagnosticsError =>
  failure("command.usage", summary, { hint });

export const stagesOptions = [
  list("--stage <stage>", "a stage, or an instance of one: staging, preview/12 (RNV_STAGE)"),
  new Option("--all-stages", "every stage of the manifest, and every instance that has a state"),
];

/**
 * Returns the stages that a command line names, undefined for the one of RNV_STAGE or for what has none, whether the
 * manifest has no other, and where all are meant those that it declares. Reports which cannot be listed. Throws `DiagnosticsError` where there are none.
 */
export async function stagesAsked(invocation: Invocation) {
  const { options } = invocation;
  const named = listOf(options.stage);
  if (options.allStages !== true && named.length > 0) return { asked: [...new Set(named)], areAll: false };
  // Without a name the manifest has no stages, and all of it is looked at.
  if (options.allStages !== true) return { asked: [undefined], areAll: askedStage(invocation) === undefined };
  if (named.length > 0) throw usage("--stage and --all-stages exclude each other");
  const { stages, namesOf } = await foundIn(invocation);
  const asked: string[] = [];
  for (const declared of stages.values()) {
    const { name, range } = declared;
    const names = await namesOf(declared);
    asked.push(...(names ?? []).map(stageText));
    if (names !== undefined) continue;
    const hint = `name them: --stage ${name}/ID`;
    report(invocation, [warning("live.unchecked", notListed(declared), { range, hint })]);
  }
  return { asked, areAll: true, declared: [...stages.keys()] };
}

export const notListed = ({ name }: StageDeclaration): string =>
  `the instances of stage ${name} cannot be listed: its state is at https://`;

export const reading = [options.file, options.untrusted, options.stage, options.json];

export const ids = new Option(
  "--ids <ids>",
  "the instances to look at, with commas between them, where a state over https cannot list them",
).argParser(idList);

/** Parses `12,15`; may be given more than once. Throws `DiagnosticsError` for what is no id. */
export function idList(text: string, previous: readonly string[] = []): readonly string[] {
  const listed = text.split(/[\s,]+/).filter((word) => word !== "");
  const wrong = listed.find((id) => !isStageWord(id));
  if (wrong === undefined) return [...previous, ...listed];
  const hint = `an id holds ${stageWordRule}`;
  throw usage(`${JSON.stringify(wrong.slice(0, 80))} is no id of an instance`, hint);
}

export interface StageInstance {
  readonly name: StageName;
  readonly location: string;
  readonly state?: State | undefined;
  readonly problem?: Diagnostic;
}

export const isEmpty = ({ state, problem }: StageInstance): boolean =>
  problem === undefined && isEmptied(state);

/** Reads the state of a stage, whatever workspace it belongs to; what keeps it from being read is the problem. */
async function recordedIn(
  placed: Invocation & { readonly stage: StageName },
  enter = (): Invocation => placed,
): Promise<StageInstance> {
  const { environment, stage: name } = placed;
  const { state: location } = targetOf(placed);
  const anywhere = { ...environment, RNV_WORKSPACE_ID: undefined, RNV_BASE_URL: undefined };
  try {
    return { name, location, state: await stateOf({ ...enter(), environment: anywhere }) };
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return { name, location, problem: cause.diagnostics[0] as Diagnostic };
  }
}

/**
 * Finds states of stages that are not among `declared`: in `.rnv`, or where RNV_STATE holds `${stage.name}`. What cannot be
 * listed or read is left out.
 */
export async function undeclaredStates(
  invocation: Invocation,
  declared: readonly string[],
): Promise<readonly StageInstance[]> {
  const { cwd, options } = invocation;
  if (typeof options.state === "string") return [];
  const list = async (stage: StageName): Promise<readonly string[]> =>
    (await listIds({ ...invocation, stage }).catch(() => undefined)) ?? [];
  const folders = await readdir(join(cwd, ".rnv")).catch(() => []);
  const names = [...(await list({ name: instancePlace })), ...folders].filter(isStageWord);
  const found: StageInstance[] = [];
  for (const name of [...new Set(names)].sort()) {
    if (declared.includes(name)) continue;
    const ids = await list({ name, id: instancePlace });
    for (const stage of [{ name }, ...ids.map((id) => ({ name, id }))]) {
      const one = await recordedIn({ ...invocation, stage });
      if (one.state?.stage === stageText(stage) && !isEmpty(one)) found.push(one);
    }
  }
  return found;
}

/** Returns a warning for each state of a stage that is not declared any more, with what it records. */
export async function warnOfUndeclared(invocation: Invocation): Promise<readonly Diagnostic[]> {
  const { declaredStages } = invocation;
  if (declaredStages === undefined) return [];
  return (await undeclaredStates(invocation, declaredStages)).map(({ name: stage, location, state }) => {
    const name = stageText(stage);
    return warning("guard.stage", `stage ${name} is not declared, and its resources still exist`, {
      detail: `Recorded: ${shortList(Object.keys(state?.resources ?? {}).sort(), 10)}`,
      hint: `To destroy them: rnv destroy --stage ${name} --state ${location}`,
    });
  });
}
