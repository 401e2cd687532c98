import { existsSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { createHttpTransport } from "../api/http-transport";
import { areStackPaths } from "../commands/load-desired";
import { isEmptied } from "../commands/state-verbs";
import { runTargets } from "../commands/targets";
import { type Diagnostic, DiagnosticsError, failure, hasErrors, warning } from "../diagnostics/diagnostic";
import { manifestIn } from "../manifest/find-files";
import { findStages } from "../manifest/load-manifest";
import { findStage, type StageDeclaration, stageMissing } from "../manifest/stage-declarations";
import { isStageWord, type StageName, splitStage, stageText, stageWordRule } from "../model/stage";
import type { State } from "../model/state";
import { systemClock } from "../model/time";
import { shortList } from "../model/wording";
import { compareNatural } from "../report/order";
import { resourceTypes } from "../resources";
import { openS3 } from "../state/open-backend";
import { listS3Keys } from "../state/stores/s3-objects";
import { readStandardInput } from "./files";
import { stateOf } from "./open-target";
import { report, type Screen, usage } from "./screen";
import { readSettings, workspaceOf } from "./settings";
import {
  givenAddress,
  type Request,
  type StageOfTarget,
  type Target,
  type TargetRules,
  targetAt,
} from "./target";

export function askedStage({ givenStage, environment }: Request): StageName | undefined {
  const text = (givenStage ?? environment.RNV_STAGE ?? "").trim();
  return text === "" ? undefined : splitStage(text);
}

/** A stage that nothing declares: that of an app of constructs, which gets it from RNV_STAGE. */
function undeclaredStage(asked: StageName): StageOfTarget {
  const wrong = [asked.name, asked.id].find((word) => word !== undefined && !isStageWord(word));
  if (wrong === undefined) return { ...asked, takesUnnamed: true };
  throw usage(
    `${JSON.stringify(wrong)} cannot name a stage, nor an instance of one`,
    `each holds ${stageWordRule}: --stage staging, --stage preview/12`,
  );
}

export async function stagesOf(request: Request, screen: Screen) {
  const { cwd, environment, files, untrusted, runProgram } = request;
  const standardInput = files.includes("-") ? await readStandardInput(screen.terminal) : undefined;
  const sources = { files, cwd, environment, untrusted, runProgram, standardInput };
  const found = await findStages({ ...sources, types: resourceTypes, stage: askedStage(request) });
  const settingsOf = (asked: StageName) => {
    const { diagnostics, settings } = found.settingsOf(asked);
    if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics);
    return settings;
  };
  /** Returns the target in a stage, whatever workspace this run is in; throws at mistakes in where the stage is. */
  const at = (asked: StageName, { state } = settingsOf(asked)): Target =>
    targetAt(request, { stage: { ...asked, state } });
  /** Returns a stage, or its instances in order: those of `--ids`, else those that have a state; undefined where these cannot be listed. */
  const namesOf = async ({ name, each }: StageDeclaration): Promise<readonly StageName[] | undefined> => {
    if (!each) return [{ name }];
    const ids = request.ids ?? (await listIds(at({ name, id: instancePlace })));
    return ids && [...new Set(ids)].sort(compareNatural).map((id) => ({ name, id }));
  };
  return {
    ...found,
    at,
    /** Returns the target in a stage; throws where it is not declared so, or this run is in another workspace. */
    enter: (asked: StageName): Target => {
      const one = findStage(found.stages, asked);
      if (one.stage === undefined) throw new DiagnosticsError([one.mistake]);
      const { disposable, each, written } = one.stage;
      const place = settingsOf(asked);
      const own = workspaceOf(environment).toLowerCase();
      if (place.workspace !== undefined && own !== "" && own !== place.workspace)
        throw failure(
          "guard.workspace",
          `stage ${stageText(asked)} belongs to workspace ${place.workspace}, and this run is in ${own}`,
          {
            range: written.get("workspace")?.value.range,
            hint: "set RNV_WORKSPACE_ID and the key to those of the stage, or name another stage",
          },
        );
      const stage = { ...asked, state: place.state, takesUnnamed: !disposable && !each };
      return targetAt(request, { stage, declaredStages: [...found.stages.keys()] });
    },
    namesOf,
    /** Returns the same with their states, among them such that own nothing. */
    instancesOf: async (declared: StageDeclaration): Promise<readonly StageInstance[] | undefined> => {
      const names = await namesOf(declared);
      const read = (name: StageName) =>
        recordedIn(name, at(name, found.settingsOf(name).settings), screen, () => at(name));
      return names && runTargets(names, read);
    },
  };
}

/** Reads the stages of a manifest; throws where it has none, unless `mayHaveNone`. */
export async function foundIn(request: Request, screen: Screen, mayHaveNone = false) {
  const found = await stagesOf(request, screen);
  if (hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1);
  if (found.stages.size > 0 || mayHaveNone) return found;
  throw usage("the manifest declares no stages", "stages: { production: {}, preview: { each: true } }");
}

/** Stands for the id in the address of a state whose instances are looked for. */
const instancePlace = "0rnv-instance-id0";

/** Lists the ids of the states of a target, sorted; undefined over HTTP, where they cannot be listed. Throws for half a list. */
async function listIds(target: Target): Promise<readonly string[] | undefined> {
  const { environment } = target;
  const { state: address } = readSettings(target);
  if (address.kind === "http") return undefined;
  if (address.kind === "file") return unique(inFolders(resolve(address.path)));
  const { settings, transport, server } = openS3(address, {
    ...{ environment, clock: systemClock },
    openTransport: (limits) => createHttpTransport({ environment, ...limits }),
  });
  const [prefix = ""] = address.key.split(instancePlace);
  const name = settings.location.replace(instancePlace, "…");
  try {
    const keys = await listS3Keys(settings, { prefix, name }, server);
    return unique(keys.flatMap((found) => idIn(found, address.key) ?? []));
  } finally {
    await transport.close();
  }
}

const unique = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort();

/** Returns the id that makes `text` out of `pattern`; undefined for another text. */
function idIn(text: string, pattern: string): string | undefined {
  const [before = "", ...rest] = pattern
    .split(instancePlace)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const id = new RegExp(`^${before}(.+?)${rest.join("\\1")}$`, "s").exec(text)?.[1];
  return id !== undefined && rest.length > 0 && isStageWord(id) ? id : undefined;
}

/** Ids by the folder or the file whose name holds the first of them. */
function inFolders(path: string): readonly string[] {
  const [before = ""] = path.split(instancePlace);
  const folder = dirname(`${before}x`);
  if (!existsSync(folder)) return [];
  const [named = ""] = relative(folder, path).split(sep);
  return readdirSync(folder).flatMap((name) => {
    const id = idIn(name, named);
    return id !== undefined && existsSync(path.replaceAll(instancePlace, id)) ? [id] : [];
  });
}

/** Returns the target of a request in the stage that was asked for. Throws where that is not clear. */
export async function inAskedStage(
  request: Request,
  screen: Screen,
  { worksOn, others, order }: TargetRules,
): Promise<Target> {
  const { cwd, files, givenState } = request;
  const asked = askedStage(request);
  const isOfState = worksOn === "state";
  const unstaged = isOfState ? ("any" as const) : undefined;
  const at = (stage: StageOfTarget | undefined): Target => targetAt(request, { stage: stage ?? unstaged });
  const isGiven = others === "none" || (isOfState && givenAddress(request) !== "");
  if (asked === undefined && isGiven) return at(undefined);
  const hasNone = isOfState && files.length === 0 && manifestIn(cwd) === undefined;
  // Stacks have no stages that are declared; those that cannot be read are reported where they are read.
  if (hasNone || (await areStackPaths(request)).includes(true)) return at(asked && undeclaredStage(asked));
  // It opens no state, and finds mistakes in the name of a stage itself.
  if (others === "none" && !isOfState) return at(asked);
  const found = await stagesOf(request, screen);
  if (isOfState && hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1);
  const isRead = found.diagnostics.every(({ code }) => code === "manifest.not_found");
  const isNowhere = isRead && asked !== undefined && !found.stages.has(asked.name);
  // `destroy` also deletes what the state of a stage records that is no longer declared.
  if (order === "dependents first" && isNowhere && givenState !== undefined)
    return at({ ...asked, isUndeclared: true });
  if (hasErrors(found.diagnostics)) return at(asked);
  if (asked !== undefined) return found.enter(asked);
  if (found.stages.size === 0) return targetAt(request, { stage: unstaged, declaredStages: [] });
  throw new DiagnosticsError([stageMissing(found.stages)], 1);
}

/**
 * Returns the stages that a command line names, undefined for the one of RNV_STAGE or for what has none, whether the
 * manifest has no other, and where all are meant those that it declares. Reports which cannot be listed. Throws `DiagnosticsError` where there are none.
 */
export async function stagesAsked(
  request: Request,
  screen: Screen,
  { stages: named, allStages }: { readonly stages: readonly string[]; readonly allStages: boolean },
  { withInstances } = { withInstances: true },
) {
  if (!allStages && named.length > 0) return { asked: [...new Set(named)], areAll: false };
  // Without a name the manifest has no stages, and all of it is looked at.
  if (!allStages) return { asked: [undefined], areAll: askedStage(request) === undefined };
  if (named.length > 0) throw usage("--stage and --all-stages exclude each other");
  const { stages, namesOf } = await foundIn(request, screen);
  const asked: string[] = [];
  for (const declared of [...stages.values()].filter(({ each }) => withInstances || !each)) {
    const { name, range } = declared;
    const names = await namesOf(declared);
    asked.push(...(names ?? []).map(stageText));
    if (names !== undefined) continue;
    const hint = `name them: --stage ${name}/ID`;
    report(screen, [warning("live.unchecked", notListed(declared), { range, hint })]);
  }
  return { asked, areAll: true, declared: [...stages.keys()] };
}

export const notListed = ({ name }: StageDeclaration): string =>
  `the instances of stage ${name} cannot be listed: its state is at https://`;

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
  name: StageName,
  placed: Target,
  screen: Screen,
  enter = (): Target => placed,
): Promise<StageInstance> {
  const { environment, state: location } = placed;
  const anywhere = { ...environment, RNV_WORKSPACE_ID: undefined, RNV_BASE_URL: undefined };
  try {
    return { name, location, state: await stateOf({ ...enter(), environment: anywhere }, screen) };
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
  request: Request,
  screen: Screen,
  declared: readonly string[],
): Promise<readonly StageInstance[]> {
  const { cwd, givenState } = request;
  if (givenState !== undefined) return [];
  const list = async (stage: StageName): Promise<readonly string[]> =>
    (await listIds(targetAt(request, { stage })).catch(() => undefined)) ?? [];
  const folders = await readdir(join(cwd, ".rnv")).catch(() => []);
  const names = [...(await list({ name: instancePlace })), ...folders].filter(isStageWord);
  const found: StageInstance[] = [];
  for (const name of [...new Set(names)].sort()) {
    if (declared.includes(name)) continue;
    const ids = await list({ name, id: instancePlace });
    for (const stage of [{ name }, ...ids.map((id) => ({ name, id }))]) {
      const one = await recordedIn(stage, targetAt(request, { stage }), screen);
      if (one.state?.stage === stageText(stage) && !isEmpty(one)) found.push(one);
    }
  }
  return found;
}

/** Returns a warning for each state of a stage that is not declared any more, with what it records. */
export async function warnOfUndeclared(target: Target, screen: Screen): Promise<readonly Diagnostic[]> {
  const { declaredStages } = target;
  if (declaredStages === undefined) return [];
  const undeclared = await undeclaredStates(target, screen, declaredStages);
  return undeclared.map(({ name: stage, location, state }) => {
    const name = stageText(stage);
    return warning("guard.stage", `stage ${name} is not declared, and its resources still exist`, {
      detail: `Recorded: ${shortList(Object.keys(state?.resources ?? {}).sort(), 10)}`,
      hint: `To destroy them: rnv destroy --stage ${name} --state ${location}`,
    });
  });
}
