import type { StageDeclaration } from "../../manifest/stages";
import { stageText } from "../../model/stage";
import { isoTime } from "../../model/time";
import { jsonText } from "../../report/escape-text";
import { type StageRow, stageJson, stageRowsText } from "../../report/status-text";
import { stagesOptions } from "../options";
import { resultsOf, tellFindings } from "../run-targets";
import { exitCodes, outStyle, quiet, type Screen } from "../screen";
import { askedStage, foundIn, isEmpty, type StageInstance, undeclaredStates } from "../stages";
import type { Request } from "../target";
import { defineVerb, flag, type VerbFamily } from "../verb";
import { driftOf, readAccepted } from "./drift";
import { stageSweepVerb } from "./sweep";

const stageListVerb = defineVerb({
  name: "list",
  scope: "none",
  summary: "List the stages of the manifest, with their instances and states",
  options: {
    ...stagesOptions,
    drift: flag("--drift", "ask the service whether each is as it is recorded; exit 2 when one is not"),
  },
  examples: [
    ["rnv stage list", "each stage and instance: its state, its resources, its last run"],
    ["rnv stage list --drift", "and whether anything was changed outside rnv"],
  ],
  run: async (given, { target, screen }) => {
    const found = await foundIn(target, screen, true);
    const asked = askedStage(target);
    const rows: StageRow[] = [];
    for (const declared of found.stages.values()) {
      if (asked !== undefined && asked.name !== declared.name) continue;
      const known = await found.instancesOf(declared);
      const all = declared.each ? known?.filter((one) => !isEmpty(one)) : known;
      if (all === undefined || (declared.each && all.length === 0)) {
        const name = { name: declared.name, id: "ID" };
        const row = rowOf({ name, location: found.at(name).state }, declared);
        rows.push({ ...row, unlisted: all === undefined || undefined });
      }
      for (const one of all ?? []) {
        if (asked?.id !== undefined && asked.id !== one.name.id) continue;
        const drift = given.drift ? await driftStatus(one, target, screen) : undefined;
        rows.push({ ...rowOf(one, declared), drift });
      }
    }
    const undeclared = await undeclaredStates(target, screen, [...found.stages.keys()]);
    for (const one of undeclared)
      if (asked === undefined || stageText(asked) === stageText(one.name))
        rows.push({ ...rowOf(one), undeclared: true });
    if (rows.length === 0) await foundIn(target, screen);
    if (rows.length === 0 && asked !== undefined && !found.stages.has(asked.name)) found.enter(asked);
    const shown = given.json ? jsonText(stageJson(rows)) : stageRowsText(rows, Date.now(), outStyle(screen));
    screen.terminal.out(shown);
    if (rows.some(({ problem }) => problem !== undefined)) return exitCodes.error;
    return rows.some((row) => row.drift === "drift") ? exitCodes.changes : exitCodes.done;
  },
});

export const stageVerbs: VerbFamily = {
  name: "stage",
  summary: "List stages, and sweep instances that are not needed any more",
  verbs: [stageListVerb, stageSweepVerb],
};

function rowOf({ name, location, state, problem }: StageInstance, declared?: StageDeclaration): StageRow {
  const { protect = false, disposable = false, expiresMs } = declared ?? {};
  const { resources = {}, workspaceId, lastRunAt } = state ?? {};
  const expires = expiresMs !== undefined && lastRunAt ? Date.parse(lastRunAt) + expiresMs : undefined;
  return {
    stage: stageText(name),
    state: location,
    ...{ protect, disposable },
    resources: Object.keys(resources).length,
    ...{ workspaceId, lastRunAt },
    expiresAt: isoTime(expires),
    problem: problem?.summary,
  };
}

async function driftStatus(
  instance: StageInstance,
  request: Request,
  screen: Screen,
): Promise<StageRow["drift"]> {
  if (isEmpty(instance) || instance.problem !== undefined) return undefined;
  const [result] = await resultsOf(request, {
    ...{ stages: [stageText(instance.name)], rules: { scope: "one" }, screen: quiet(screen) },
    run: async (run) => driftOf(run, {}, readAccepted(request)),
    onResult: tellFindings,
  });
  const { exitCode } = result?.outcome ?? {};
  return exitCode === 0 ? "none" : exitCode === 2 ? "drift" : "unchecked";
}
