import { createHttpTransport } from "../api/http-transport";
import { exitCodeOf } from "../commands/context";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import { type FoundStages, findStages } from "../manifest/load-manifest";
import { findStage, type StageDeclaration, stageMissing } from "../manifest/stages";
import { isStageWord, type StageName, splitStage, stageText, stageWordRule } from "../model/stage";
import { systemClock } from "../model/time";
import { resourceTypes } from "../resources";
import { isStackPath } from "../stack/files";
import { instancePlace, listInstances } from "../state/list-instances";
import { settingsOf } from "./context";
import { readStandardInput } from "./files";
import { formatOf, type Invocation, listOf, type StageRun } from "./invocation";
import { errorDocument, exitCodes } from "./report";
import { workspaceOf } from "./settings";
import { manifestIn } from "./synthesize";

/** The stage that the command line or RNV_STAGE names, unchecked. */
export function askedStage({ options, environment }: Invocation): StageName | undefined {
  const text = typeof options.stage === "string" ? options.stage : (environment.RNV_STAGE ?? "");
  return text.trim() === "" ? undefined : splitStage(text.trim());
}

/** A stage that nothing declares: that of an app of constructs, which gets it from RNV_STAGE. */
export function undeclaredStage(asked: StageName | undefined): StageRun | null {
  if (asked === undefined) return null;
  const wrong = [asked.name, ...(asked.id === undefined ? [] : [asked.id])].find(
    (word) => !isStageWord(word),
  );
  if (wrong === undefined) return { ...asked, takesUnnamed: true };
  throw new DiagnosticsError([
    error("command.usage", `${JSON.stringify(wrong)} cannot name a stage, nor an instance of one`, {
      hint: `each holds ${stageWordRule}: --stage staging, --stage preview/12`,
    }),
  ]);
}

/** The stages that a manifest declares, for an invocation. */
export interface DeclaredStages extends FoundStages {
  /** Returns the invocation in a stage; throws where it is not declared so, or this run is in another workspace. */
  readonly enter: (asked: StageName) => Invocation;
  /** Returns a stage, or its instances that have a state, in order; undefined where these cannot be listed. */
  readonly namesOf: (declared: StageDeclaration) => Promise<readonly StageName[] | undefined>;
}

/** Reads the stages that a manifest declares. */
export async function stagesOf(
  invocation: Invocation,
  files: readonly string[] = listOf(invocation.options.file),
): Promise<DeclaredStages> {
  const { cwd, environment, options, terminal } = invocation;
  const standardInput = files.includes("-") ? await readStandardInput(terminal) : undefined;
  const untrusted = options.untrusted === true;
  const found = findStages({ files, cwd, types: resourceTypes, environment, untrusted, standardInput });
  return {
    ...found,
    enter: (asked) => ({ ...invocation, stage: enter(invocation, found, asked) }),
    namesOf: async ({ name, each }) => {
      if (!each) return [{ name }];
      const ids = await listIds(placed(invocation, found, { name, id: instancePlace }));
      return ids && [...ids].sort(inNumbers).map((id) => ({ name, id }));
    },
  };
}

/** Compares ids: 9 comes before 12. */
export const inNumbers = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

/** Returns the invocation in a stage, whatever workspace this run is in. */
function placed(invocation: Invocation, { place, sources }: FoundStages, asked: StageName): Invocation {
  const { diagnostics, place: at } = place(asked);
  if (hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics, 1, sources);
  const { state } = at;
  return { ...invocation, stage: { ...asked, takesUnnamed: false, ...(state !== undefined && { state }) } };
}

/** Lists the states at the address of an invocation, by what is there in place of `instancePlace`. */
export function listIds(invocation: Invocation): Promise<readonly string[] | undefined> {
  const { environment } = invocation;
  return listInstances(settingsOf(invocation).state, {
    ...{ environment, clock: systemClock },
    openTransport: (limits) => createHttpTransport({ environment, ...limits }),
  });
}

/** How a verb reads the manifest. */
interface ManifestUse {
  /** It reports mistakes in the manifest, and a missing stage, itself. */
  readonly checksItself: boolean;
  readonly streams: boolean;
  /** It deletes what a state records: with `--state` also that of a stage which is no longer declared. */
  readonly destroys: boolean;
}

/** The invocation of a verb that reads a manifest, in the stage that was asked for. Throws where that is not clear. */
export async function inDeclaredStage(
  invocation: Invocation,
  files: readonly string[],
  { checksItself, streams, destroys }: ManifestUse,
): Promise<Invocation> {
  const { options, terminal } = invocation;
  const asked = askedStage(invocation);
  const found = await stagesOf(invocation, files);
  const isRead = found.diagnostics.every(({ code }) => code === "manifest.not_found");
  const isNowhere = isRead && asked !== undefined && !found.stages.has(asked.name);
  if (destroys && isNowhere && typeof options.state === "string")
    return { ...invocation, stage: { ...asked, takesUnnamed: false, isUndeclared: true } };
  if (hasErrors(found.diagnostics) || (checksItself && asked === undefined))
    return { ...invocation, stage: asked === undefined ? null : { ...asked, takesUnnamed: false } };
  try {
    return enterAsked(found, asked) ?? { ...invocation, stage: null };
  } catch (cause) {
    if (cause instanceof DiagnosticsError && formatOf(options) === "json" && !streams)
      terminal.out(errorDocument(cause.diagnostics, found.sources));
    throw cause;
  }
}

/** The invocation of a verb that works on a state alone, in the stage that was asked for. */
export async function inStageOfState(invocation: Invocation): Promise<Invocation> {
  const { cwd, options, environment } = invocation;
  const asked = askedStage(invocation);
  const isSet = typeof options.state === "string" || (environment.RNV_STATE ?? "").trim() !== "";
  const files = listOf(options.file);
  const areStacks = await Promise.all(files.map((file) => file !== "-" && isStackPath(file, cwd)));
  if (files.length === 0 ? manifestIn(cwd) === undefined : areStacks.includes(true))
    return asked === undefined ? invocation : { ...invocation, stage: undeclaredStage(asked) };
  if (asked === undefined && isSet) return invocation;
  const found = await stagesOf(invocation, files);
  if (hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1, found.sources);
  return enterAsked(found, asked) ?? invocation;
}

/** Enters the stage that was asked for; undefined where there are no stages, and throws where there are and none was. */
function enterAsked({ enter, stages, sources }: DeclaredStages, asked: StageName | undefined) {
  if (asked !== undefined) return enter(asked);
  if (stages.size > 0) throw new DiagnosticsError([stageMissing(stages)], 1, sources);
  return undefined;
}

/** Checks a stage that was asked for against what is declared, and against the workspace of the run. */
function enter(
  { environment }: Invocation,
  { stages, place, sources }: FoundStages,
  asked: StageName,
): StageRun {
  const fail = (diagnostics: readonly Diagnostic[], exitCode = 1): never => {
    throw new DiagnosticsError(diagnostics, exitCode, sources);
  };
  const declared = findStage(stages, asked);
  if (declared.stage === undefined) return fail([declared.mistake]);
  const { diagnostics, place: at } = place(asked);
  if (hasErrors(diagnostics)) fail(diagnostics, exitCodeOf(diagnostics));
  const { workspace, state } = at;
  const own = workspaceOf(environment).toLowerCase();
  if (workspace !== undefined && own !== "" && own !== workspace)
    fail(
      [wrongWorkspace(stageText(asked), workspace, own, declared.stage.workspace?.range)],
      exitCodes.refused,
    );
  const takesUnnamed = !declared.stage.disposable && !declared.stage.each;
  return { ...asked, takesUnnamed, declared: [...stages.keys()], ...(state !== undefined && { state }) };
}

const wrongWorkspace = (stage: string, wanted: string, own: string, range: Diagnostic["range"]): Diagnostic =>
  error("guard.workspace", `stage ${stage} belongs to workspace ${wanted}, and this run is in ${own}`, {
    range,
    hint: "set RNV_WORKSPACE_ID and the key to those of the stage, or name another stage",
  });

/** Returns the instances of a stage as far as that needs no request: none where the states are not files. */
export const localNames = async (
  invocation: Invocation,
  found: DeclaredStages,
  declared: StageDeclaration,
): Promise<readonly StageName[]> => {
  const pattern = placed(invocation, found, { name: declared.name, id: instancePlace });
  return settingsOf(pattern).state.kind === "file" ? ((await found.namesOf(declared)) ?? []) : [];
};
