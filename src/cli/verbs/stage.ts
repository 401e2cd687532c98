import { Option } from "commander";
import { shownPath } from "../../manifest/files";
import { listStages, type StageDeclaration } from "../../manifest/stages";
import { splitStage, stageText } from "../../model/stage";
import { escapeJson } from "../../report/escape-text";
import { type StageRow, stageJson, stageRowsText, stageShownText } from "../../report/stage-text";
import type { Invocation } from "../invocation";
import { exitCodes, outStyle, report } from "../report";
import {
  askedStage,
  checkedIds,
  type DeclaredStages,
  foundIn,
  ids,
  isEmpty,
  reading,
  type StageInstance,
  standingOf,
  standings,
  undeclaredStates,
  unreadInstance,
  usage,
} from "../stages";
import { resultOf } from "../targets";
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
    const found = await foundIn(invocation);
    const asked = askedStage(invocation);
    const rows: StageRow[] = [];
    for (const declared of found.stages.values()) {
      if (asked !== undefined && asked.name !== declared.name) continue;
      const known = await standings(invocation, found, declared);
      const all = declared.each ? known?.filter((one) => !isEmpty(one)) : known;
      if (all === undefined || (declared.each && all.length === 0))
        rows.push({ ...patternRow(found, declared), unlisted: all === undefined || undefined });
      for (const one of all ?? []) {
        if (asked?.id !== undefined && asked.id !== one.name.id) continue;
        rows.push({
          ...rowOf(one),
          ...(options.drift === true && { drift: await driftStatus(invocation, found, one) }),
        });
      }
    }
    const undeclared = await undeclaredStates(invocation, [...found.stages.keys()]);
    for (const one of undeclared)
      if (asked === undefined || stageText(asked) === stageText(one.name))
        rows.push({ ...rowOf(one), undeclared: true });
    if (rows.length === 0 && asked !== undefined && !found.stages.has(asked.name)) found.enter(asked);
    const style = outStyle(invocation);
    terminal.out(
      options.json === true ? `${escapeJson(stageJson(rows), 2)}\n` : stageRowsText(rows, Date.now(), style),
    );
    if (rows.some(({ problem }) => problem !== undefined)) return exitCodes.error;
    return rows.some((row) => row.drift === "drift") ? exitCodes.changes : exitCodes.done;
  },
};

const stageShowVerb: Verb = {
  usage: "show [stage]",
  summary: "Show what a stage declares, and what its state records",
  readsStages: true,
  options: reading,
  examples: [
    ["rnv stage show production", "overlay, workspace, state, protection, last run"],
    ["rnv stage show preview/12", "one instance"],
  ],
  handler: async (invocation) => {
    const { terminal, options, positional } = invocation;
    const found = await foundIn(invocation);
    const word = positional[0] as string | undefined;
    const asked = word === undefined ? askedStage(invocation) : splitStage(word);
    if (asked === undefined) throw usage("no stage is named", `there are: ${listStages(found.stages)}`);
    const declared = found.stages.get(asked.name);
    const isPattern = declared?.each === true && asked.id === undefined;
    if (declared === undefined || (!isPattern && (asked.id !== undefined) !== declared.each)) {
      found.enter(asked);
      return exitCodes.error;
    }
    if (asked.id !== undefined) checkedIds([asked.id]);
    const row = isPattern ? patternRow(found, declared) : rowOf(await standingOf(found, declared, asked));
    const { overlay: path, workspace } = found.place(isPattern ? { ...asked, id: "ID" } : asked).place;
    const shown = {
      ...row,
      each: isPattern,
      overlay: path && shownPath(path, invocation.cwd),
      workspaceId: row.workspaceId ?? workspace,
      expiresMs: declared.expiresMs,
    };
    if (options.json === true) terminal.out(`${escapeJson(stageJson([shown]), 2)}\n`);
    else terminal.out(stageShownText(shown, Date.now(), outStyle(invocation)));
    return row.problem === undefined ? exitCodes.done : exitCodes.error;
  },
};

/** `rnv stage …` */
export const stageVerbs: VerbFamily = {
  name: "stage",
  summary: "List and show stages, and sweep instances that are not needed any more",
  description:
    "List and show the stages that the manifest declares, and destroy instances that are not needed any more.",
  verbs: [stageListVerb, stageShowVerb, stageSweepVerb],
};

function rowOf({ name, declared, location, state, problem }: StageInstance): StageRow {
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

/** The row of a stage of which no instance is known. */
const patternRow = (found: DeclaredStages, declared: StageDeclaration): StageRow =>
  rowOf(unreadInstance(found, declared, { name: declared.name, id: "ID" }));

async function driftStatus(
  invocation: Invocation,
  found: DeclaredStages,
  one: StageInstance,
): Promise<StageRow["drift"]> {
  if (isEmpty(one) || one.problem !== undefined) return undefined;
  const look = async () => driftOf(found.enter(one.name), readAccepted(invocation));
  const { exitCode, diagnostics, sources } = (await resultOf(invocation, look)).outcome;
  report(invocation, diagnostics, sources);
  return exitCode === 0 ? "none" : exitCode === 2 ? "drift" : "unchecked";
}
