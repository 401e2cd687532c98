import { Option } from "commander";
import type { StageDeclaration } from "../../manifest/stages";
import { stageText } from "../../model/stage";
import { jsonText } from "../../report/escape-text";
import { type StageRow, stageJson, stageRowsText } from "../../report/status-text";
import { targetOf } from "../context";
import type { Invocation } from "../invocation";
import { exitCodes, outStyle } from "../report";
import { askedStage, foundIn, ids, isEmpty, reading, type StageInstance, undeclaredStates } from "../stages";
import { resultsOf, tellFindings } from "../targets";
import { driftOf, readAccepted } from "./drift";
import { stageSweepVerb } from "./sweep";
import type { Verb, VerbFamily } from "./verb";

const stageListVerb: Verb = {
  usage: "list",
  summary: "List the stages of the manifest, with their instances and states",
  readsStages: true,
  options: [
    ...reading,
    ids,
    new Option("--drift", "ask the service whether each is as it is recorded; exit 2 when one is not"),
  ],
  examples: [
    ["rnv stage list", "each stage and instance: its state, its resources, its last run"],
    ["rnv stage list --drift", "and whether anything was changed outside rnv"],
  ],
  handler: async (invocation) => {
    const { terminal, options } = invocation;
    const found = await foundIn(invocation, true);
    const asked = askedStage(invocation);
    const rows: StageRow[] = [];
    for (const declared of found.stages.values()) {
      if (asked !== undefined && asked.name !== declared.name) continue;
      const known = await found.instancesOf(declared);
      const all = declared.each ? known?.filter((one) => !isEmpty(one)) : known;
      if (all === undefined || (declared.each && all.length === 0)) {
        const name = { name: declared.name, id: "ID" };
        const row = rowOf({ name, location: targetOf(found.at(name)).state }, declared);
        rows.push({ ...row, unlisted: all === undefined || undefined });
      }
      for (const one of all ?? []) {
        if (asked?.id !== undefined && asked.id !== one.name.id) continue;
        const drift = options.drift === true ? await driftStatus(invocation, one) : undefined;
        rows.push({ ...rowOf(one, declared), drift });
      }
    }
    const undeclared = await undeclaredStates(invocation, [...found.stages.keys()]);
    for (const one of undeclared)
      if (asked === undefined || stageText(asked) === stageText(one.name))
        rows.push({ ...rowOf(one), undeclared: true });
    if (rows.length === 0) await foundIn(invocation);
    if (rows.length === 0 && asked !== undefined && !found.stages.has(asked.name)) found.enter(asked);
    const style = outStyle(invocation);
    terminal.out(options.json === true ? jsonText(stageJson(rows)) : stageRowsText(rows, Date.now(), style));
    if (rows.some(({ problem }) => problem !== undefined)) return exitCodes.error;
    return rows.some((row) => row.drift === "drift") ? exitCodes.changes : exitCodes.done;
  },
};

export const stageVerbs: VerbFamily = {
  name: "stage",
  summary: "List stages, and sweep instances that are not needed any more",
  verbs: [stageListVerb, stageSweepVerb],
};

function rowOf({ name, location, state, problem }: StageInstance, declared?: StageDeclaration): StageRow {
  const { protect = false, disposable = false, expiresMs } = declared ?? {};
  const lastRunAt = state?.lastRunAt;
  const expiresAt =
    expiresMs === undefined || lastRunAt === undefined
      ? undefined
      : new Date(Date.parse(lastRunAt) + expiresMs).toISOString();
  return {
    stage: stageText(name),
    state: location,
    ...{ protect, disposable },
    resources: Object.keys(state?.resources ?? {}).length,
    workspaceId: state?.workspaceId,
    lastRunAt,
    expiresAt,
    problem: problem?.summary,
  };
}

async function driftStatus(invocation: Invocation, one: StageInstance): Promise<StageRow["drift"]> {
  if (isEmpty(one) || one.problem !== undefined) return undefined;
  const look = (run: Invocation) => driftOf(run, readAccepted(invocation));
  const quiet = { ...invocation, terminal: { ...invocation.terminal, out: () => undefined } };
  const [result] = await resultsOf(quiet, [stageText(one.name)], { use: "one" }, look, tellFindings);
  const { exitCode } = result?.outcome ?? {};
  return exitCode === 0 ? "none" : exitCode === 2 ? "drift" : "unchecked";
}
