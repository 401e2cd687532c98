import { existsSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { createHttpTransport } from "../api/http-transport";
import { areStackPaths } from "../commands/load";
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
import { givenAddress, type Request, type StageOfTarget, type Target, targetAt } from "./target";

export function requestedStage({ givenStage, environment }: Request): StageName | undefined {
  const text = (givenStage ?? environment.RNV_STAGE ?? "").trim();
  return text === "" ? undefined : splitStage(text);
}

/** Returns the stage of an app of constructs, which gets RNV_STAGE and declares no stages. */
function undeclaredStage(name: StageName): StageOfTarget {
  const wrong = [name.name, name.id].find((word) => word !== undefined && !isStageWord(word));
  if (wrong === undefined) return { ...name, takesUnnamed: true };
  throw usage(
    `${JSON.stringify(wrong)} cannot name a stage, nor an instance of one`,
    `each holds ${stageWordRule}: --stage staging, --stage preview/12`,
  );
}

export async function stagesOf(request: Request, screen: Screen) {
  const { cwd, environment, files, untrusted, runProgram } = request;
  const standardInput = files.includes("-") ? await readStandardInput(screen.terminal) : undefined;
  const sources = { files, cwd, environment, untrusted, runProgram, standardInput };
  const found = await findStages({ ...sources, types: resourceTypes, stage: requestedStage(request) });
  const settingsOf = (name: StageName) => {
    const { diagnostics, settings } = found.settingsOf(name);
    if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics);
    return settings;
  };
  /** Returns the target in a stage of any workspace; throws at mistakes in the settings of the stage. */
  const at = (name: StageName, { state } = settingsOf(name)): Target =>
    targetAt(request, { stage: { ...name, state } });
  /** Returns a stage, or its instances in order: from `--ids`, else by their states; undefined if not listable. */
  const namesOf = async ({ name, each }: StageDeclaration): Promise<readonly StageName[] | undefined> => {
    if (!each) return [{ name }];
    const ids = request.ids ?? (await listIds(at({ name, id: instanceMarker })));
    return ids && [...new Set(ids)].sort(compareNatural).map((id) => ({ name, id }));
  };
  return {
    ...found,
    at,
    /** Returns the target in a declared stage. Throws for another stage, and in another workspace than the stage's. */
    enter: (name: StageName): Target => {
      const declared = findStage(found.stages, name);
      if (declared.stage === undefined) throw new DiagnosticsError([declared.mistake]);
      const { disposable, each, written } = declared.stage;
      const settings = settingsOf(name);
      const own = workspaceOf(environment).toLowerCase();
      if (settings.workspace !== undefined && own !== "" && own !== settings.workspace)
        throw failure(
          "guard.workspace",
          `stage ${stageText(name)} belongs to workspace ${settings.workspace}, and this run is in ${own}`,
          {
            range: written.get("workspace")?.value.range,
            hint: "set RNV_WORKSPACE_ID and the key to those of the stage, or name another stage",
          },
        );
      const stage = { ...name, state: settings.state, takesUnnamed: !disposable && !each };
      return targetAt(request, { stage, declaredStages: [...found.stages.keys()] });
    },
    namesOf,
    /** Returns the same stage or instances with their states, even empty states. */
    instancesOf: async (declared: StageDeclaration): Promise<readonly StageInstance[] | undefined> => {
      const names = await namesOf(declared);
      const read = async (name: StageName): Promise<StageInstance> => {
        const { settings, diagnostics } = found.settingsOf(name);
        const target = at(name, settings);
        if (!hasErrors(diagnostics)) return readInstance(name, target, screen);
        return { name, location: target.state, problem: diagnostics[0] };
      };
      return names && runTargets(names, read);
    },
  };
}

/** Reads the stages of a manifest, if it has any. Throws `DiagnosticsError` at mistakes in it. */
export async function readStages(request: Request, screen: Screen) {
  const found = await stagesOf(request, screen);
  if (hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1);
  return found;
}

/** Reads the stages of a manifest; throws if it has none. */
export async function requireStages(request: Request, screen: Screen) {
  const found = await readStages(request, screen);
  if (found.stages.size > 0) return found;
  throw usage("the manifest declares no stages", "stages: { production: {}, preview: { each: true } }");
}

/** Replaces the ID in the address of a state, to find the states of all instances. */
const instanceMarker = "0rnv-instance-id0";

/** Lists the IDs of the states of a target, sorted; undefined over HTTP. Throws for a partial list. */
async function listIds(target: Target): Promise<readonly string[] | undefined> {
  const { environment } = target;
  const { state: address } = readSettings(target);
  if (address.kind === "http") return undefined;
  if (address.kind === "file") return unique(inFolders(resolve(address.path)));
  const { settings, transport, server } = openS3(address, {
    environment,
    clock: systemClock,
    openTransport: (limits) => createHttpTransport({ environment, ...limits }),
  });
  const [prefix = ""] = address.key.split(instanceMarker);
  const name = settings.location.replace(instanceMarker, "…");
  try {
    const keys = await listS3Keys(settings, { prefix, name }, server);
    return unique(keys.flatMap((found) => idIn(found, address.key) ?? []));
  } finally {
    await transport.close();
  }
}

const unique = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort();

/** Returns the ID in `text` at the marker of `pattern`, if the texts match. */
function idIn(text: string, pattern: string): string | undefined {
  const [before = "", ...rest] = pattern
    .split(instanceMarker)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const id = new RegExp(`^${before}(.+?)${rest.join("\\1")}$`, "s").exec(text)?.[1];
  return id !== undefined && rest.length > 0 && isStageWord(id) ? id : undefined;
}

/** Lists IDs by the names of the folders or files that hold the first marker. */
function inFolders(path: string): readonly string[] {
  const [before = ""] = path.split(instanceMarker);
  const folder = dirname(`${before}x`);
  if (!existsSync(folder)) return [];
  const [named = ""] = relative(folder, path).split(sep);
  return readdirSync(folder).flatMap((name) => {
    const id = idIn(name, named);
    return id !== undefined && existsSync(path.replaceAll(instanceMarker, id)) ? [id] : [];
  });
}

/** Returns the target of a request in its stage. Throws for an unknown or a missing stage. */
export async function inRequestedStage(request: Request, screen: Screen): Promise<Target> {
  const { cwd, files, givenState, rules } = request;
  const { worksOn, others, order } = rules;
  const stage = requestedStage(request);
  const isOfState = worksOn === "state";
  const unstaged = isOfState ? ("any" as const) : undefined;
  const at = (named: StageOfTarget | undefined): Target => targetAt(request, { stage: named ?? unstaged });
  const isGiven = others === "none" || (isOfState && givenAddress(request) !== "");
  if (stage === undefined && isGiven) return at(undefined);
  const hasNone = isOfState && files.length === 0 && manifestIn(cwd) === undefined;
  // Apps declare no stages. Loading reports unreadable stacks.
  if (hasNone || (await areStackPaths(request)).includes(true)) return at(stage && undeclaredStage(stage));
  // Such a verb opens no state, and reports an unknown stage itself.
  if (others === "none" && !isOfState) return at(stage);
  const found = await (isOfState ? readStages : stagesOf)(request, screen);
  const isRead = found.diagnostics.every(({ code }) => code === "manifest.not_found");
  const isNowhere = isRead && stage !== undefined && !found.stages.has(stage.name);
  // `destroy` also deletes the records of a stage that is no longer declared.
  if (order === "dependents first" && isNowhere && givenState !== undefined)
    return at({ ...stage, isUndeclared: true });
  if (hasErrors(found.diagnostics)) return at(stage);
  if (stage !== undefined) return found.enter(stage);
  if (found.stages.size === 0) return targetAt(request, { stage: unstaged, declaredStages: [] });
  throw new DiagnosticsError([stageMissing(found.stages)], 1);
}

/**
 * Returns the `names` of the stages of a command line: undefined for the stage of RNV_STAGE, or for a manifest without
 * stages. `areAll` is true if the names cover the manifest; `declared` has its stages for `--all-stages`. Warns of
 * instances that cannot be listed. Throws `DiagnosticsError` for a manifest without stages.
 */
export async function requestedStages(
  request: Request,
  screen: Screen,
  { stages: named, allStages }: { readonly stages: readonly string[]; readonly allStages: boolean },
  { withInstances } = { withInstances: true },
) {
  if (!allStages && named.length > 0) return { names: [...new Set(named)], areAll: false };
  // A manifest that is read without a stage has none.
  if (!allStages) return { names: [undefined], areAll: requestedStage(request) === undefined };
  if (named.length > 0) throw usage("--stage and --all-stages exclude each other");
  const { stages, namesOf } = await requireStages(request, screen);
  const names: string[] = [];
  for (const declared of [...stages.values()].filter(({ each }) => withInstances || !each)) {
    const { name, range } = declared;
    const instances = await namesOf(declared);
    names.push(...(instances ?? []).map(stageText));
    if (instances !== undefined) continue;
    const hint = `name them: --stage ${name}/ID`;
    report(screen, [warning("live.unchecked", notListed(declared), { range, hint })]);
  }
  return { names, areAll: true, declared: [...stages.keys()] };
}

export const notListed = ({ name }: StageDeclaration): string =>
  `the instances of stage ${name} cannot be listed: its state is at https://`;

export interface StageInstance {
  readonly name: StageName;
  readonly location: string;
  readonly state?: State | undefined;
  readonly problem?: Diagnostic | undefined;
}

export const isEmpty = ({ state, problem }: StageInstance): boolean =>
  problem === undefined && isEmptied(state);

/** Reads the state of a stage of any workspace, or the error that prevents it. */
async function readInstance(name: StageName, target: Target, screen: Screen): Promise<StageInstance> {
  const { environment, state: location } = target;
  const anywhere = { ...environment, RNV_WORKSPACE_ID: undefined, RNV_BASE_URL: undefined };
  try {
    return { name, location, state: await stateOf({ ...target, environment: anywhere }, screen) };
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return { name, location, problem: cause.diagnostics[0] };
  }
}

/**
 * Finds states of stages that are not `declared`: in `.rnv`, or at RNV_STATE with `${stage.name}`. Leaves out states
 * that cannot be listed or read.
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
  const names = [...(await list({ name: instanceMarker })), ...folders].filter(isStageWord);
  const found: StageInstance[] = [];
  for (const name of [...new Set(names)].sort()) {
    if (declared.includes(name)) continue;
    const ids = await list({ name, id: instanceMarker });
    for (const stage of [{ name }, ...ids.map((id) => ({ name, id }))]) {
      const instance = await readInstance(stage, targetAt(request, { stage }), screen);
      if (instance.state?.stage === stageText(stage) && !isEmpty(instance)) found.push(instance);
    }
  }
  return found;
}

/** Returns a warning for each state of an undeclared stage, with its addresses. */
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
