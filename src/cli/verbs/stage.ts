import { type ApplyOutcome, apply } from "../../commands/apply";
import { planRequest, succeeded } from "../../commands/context";
import { refuseOtherRepository } from "../../commands/hold-lock";
import { eraseState } from "../../commands/state-verbs";
import { failure } from "../../diagnostics/diagnostic";
import type { FoundStages } from "../../manifest/load-manifest";
import type { StageDeclaration } from "../../manifest/stage-declarations";
import { splitStage, stageText } from "../../model/stage";
import { isoTime } from "../../model/time";
import type { Plain } from "../../model/value";
import { versioned } from "../../report/documents";
import { jsonText } from "../../report/escape-text";
import { counted } from "../../report/plan-wording";
import { type StageRow, stageRowsText } from "../../report/state-list";
import { readTextOrInput } from "../files";
import type { Run } from "../open-target";
import { duration, flag, idList, parsed, pick, stagesOptions, text, type ValuesOf } from "../options";
import { askApproval } from "../prompt";
import { reportFindings, resultsOf, type TargetResult } from "../run-targets";
import { exitCodes, quiet, report, type Screen, usage } from "../screen";
import {
  isEmpty,
  notListed,
  readStages,
  requestedStage,
  requireStages,
  type StageInstance,
  undeclaredStates,
} from "../stages";
import type { Request } from "../target";
import { defineVerb, type VerbFamily } from "../verb";
import { driftOf } from "./drift";

const stageListVerb = defineVerb({
  name: "list",
  summary: "List the stages of the manifest, with their instances and states",
  options: {
    ...stagesOptions,
    drift: flag(
      "--drift",
      "compare each with the platform: exit 2 where one differs, 1 where one is unknown",
    ),
  },
  examples: [
    ["rnv stage list", "each stage and instance: its state, its resources, its last run"],
    ["rnv stage list --drift", "and whether anything was changed outside rnv"],
  ],
  run: async (given, run) => {
    const { target, screen } = run;
    const found = await readStages(target, screen);
    const asked = requestedStage(target);
    const rows: StageRow[] = [];
    for (const declared of found.stages.values()) {
      if (asked !== undefined && asked.name !== declared.name) continue;
      const known = await found.instancesOf(declared);
      const all = declared.each ? known?.filter((instance) => !isEmpty(instance)) : known;
      if (all === undefined || (declared.each && all.length === 0)) {
        const name = { name: declared.name, id: "ID" };
        const row = rowOf({ name, location: found.at(name).state }, declared);
        rows.push({ ...row, unlisted: all === undefined || undefined });
      }
      for (const instance of all ?? []) {
        if (asked?.id !== undefined && asked.id !== instance.name.id) continue;
        const drift = given.drift ? await driftStatus(instance, run) : undefined;
        rows.push({ ...rowOf(instance, declared), drift });
      }
    }
    const undeclared = await undeclaredStates(target, screen, [...found.stages.keys()]);
    for (const instance of undeclared)
      if (asked === undefined || stageText(asked) === stageText(instance.name))
        rows.push({ ...rowOf(instance), undeclared: true });
    if (rows.length === 0) await requireStages(target, screen);
    if (rows.length === 0 && asked !== undefined && !found.stages.has(asked.name)) found.enter(asked);
    const asText = (): string => stageRowsText(rows, Date.now(), screen.terminal.style);
    screen.terminal.out(given.json ? jsonText(versioned({ stages: rows })) : asText());
    if (rows.some((row) => row.problem !== undefined || row.drift === "unchecked")) return exitCodes.error;
    return rows.some((row) => row.drift === "drift") ? exitCodes.changes : exitCodes.done;
  },
});

function rowOf({ name, location, state, problem }: StageInstance, declared?: StageDeclaration): StageRow {
  const { protect = false, disposable = false, expiresMs } = declared ?? {};
  const { resources = {}, workspaceId, lastRunAt } = state ?? {};
  const expires = expiresMs !== undefined && lastRunAt ? Date.parse(lastRunAt) + expiresMs : undefined;
  return {
    stage: stageText(name),
    state: location,
    protect,
    disposable,
    resources: Object.keys(resources).length,
    workspaceId,
    lastRunAt,
    expiresAt: isoTime(expires),
    problem: problem?.summary,
  };
}

async function driftStatus(instance: StageInstance, { target, screen }: Run): Promise<StageRow["drift"]> {
  if (isEmpty(instance) || instance.problem !== undefined) return undefined;
  const [result] = await resultsOf({
    request: { ...target, rules: { scope: "one" } },
    stages: [stageText(instance.name)],
    screen: quiet(screen),
    run: async (run) => driftOf(run, {}),
    onResult: reportFindings,
  });
  const { exitCode } = result?.outcome ?? {};
  return exitCode === 0 ? "none" : exitCode === 2 ? "drift" : "unchecked";
}

export const sweepOptions = {
  ...stagesOptions,
  olderThan: parsed("--older-than <duration>", "only those whose last run is so long ago: 72h", duration),
  dryRun: flag("--dry-run", "say what would be destroyed and what refused, and destroy nothing"),
  ...pick("lockTimeoutMs", "answerTimeoutMs", "parallelism"),
};

const keepOptions = {
  keep: parsed("--keep <ids>", "instances that stay, with commas between them (repeatable)", idList),
  keepFrom: text("--keep-from <file>", "a file that lists them, one a line; - for standard input"),
  allowEmpty: flag("--allow-empty", "keep none"),
};

const stageSweepVerb = defineVerb({
  name: "sweep",
  summary: "Destroy the instances of a stage that are not kept",
  detail:
    "Only where the stage is disposable, and only what the states of its instances own. A state that names no repository is " +
    "refused in a run that has one (rnv state claim). One after the other; an error " +
    "in one does not stop the others: exit 3, and the same command continues. Instances to keep are named, or those " +
    "to destroy are told by their age; with both, what is old and not kept goes. With `expires` and neither, what has " +
    "expired goes.",
  options: { ...keepOptions, ...sweepOptions, ...pick("autoApprove", "input") },
  examples: [
    ["rnv stage sweep --stage preview --keep 12,15", "all instances but two"],
    ["rnv stage sweep --stage preview --keep-from open.txt", "those that a file does not list"],
    ["rnv stage sweep --stage preview --older-than 72h", "those that nothing was applied to for three days"],
  ],
  run: (given, run) => sweepStage(given, run, (declared) => keptBy(given, declared, run.screen)),
});

/** Resolves to true for the ID of an instance to keep. */
export type Keeps = (id: string) => Promise<boolean>;

/** Returns a function for the instances that the options keep; undefined if only their age decides. */
async function keptBy(
  given: ValuesOf<typeof keepOptions> & SweepValues,
  { name, expiresMs }: StageDeclaration,
  { terminal }: Screen,
): Promise<Keeps | undefined> {
  const { keep, keepFrom, allowEmpty, olderThan = expiresMs } = given;
  if ((keep ?? keepFrom) === undefined && !allowEmpty && olderThan !== undefined) return undefined;
  const named = idList(keepFrom === undefined ? "" : await readTextOrInput(keepFrom, terminal), keep);
  if (named.length > 0 || allowEmpty) return async (id) => named.includes(id);
  throw usage(
    "no instance is named that stays",
    `--keep 12,15, --keep-from FILE or --older-than 72h; --allow-empty keeps none; or let stage ${name} have expires: 72h`,
  );
}

type SweepValues = ValuesOf<typeof sweepOptions> & { readonly autoApprove: boolean };

/** Sweeps a disposable stage of instances that `choose` does not keep. If the age counts, an unknown age keeps. */
export async function sweepStage(
  given: SweepValues,
  { target, screen }: Run,
  choose: (declared: StageDeclaration) => Promise<Keeps | undefined>,
): Promise<number> {
  const { terminal, signal } = screen;
  const found = await requireStages(target, screen);
  const declared = sweepable(target, found);
  const keeps = await choose(declared);
  const ageMs = given.olderThan ?? (keeps ? undefined : declared.expiresMs);
  const listed = await found.instancesOf(declared);
  if (listed === undefined) throw usage(notListed(declared), "name those there may be: --ids 12,13,14");
  const expired: string[] = [];
  const kept: string[] = [];
  for (const { name, state, problem } of listed) {
    if (state === undefined && problem === undefined) continue;
    const isOld = ageMs === undefined || Date.now() - Date.parse(state?.lastRunAt ?? "") >= ageMs;
    const isKept = !isOld || (await keeps?.(name.id ?? "")) === true;
    (isKept ? kept : expired).push(stageText(name));
  }
  const nothing = `Nothing to sweep: ${counted(kept.length, "instance")} of ${declared.name} kept.\n`;
  if (expired.length === 0) say(screen, nothing, { would_sweep: expired, kept });
  if (expired.length === 0) return exitCodes.done;
  // Check the workspace of all instances before the first deletion.
  for (const name of expired) found.enter(splitStage(name));
  const listOf = (title: string, stages: readonly string[]) =>
    stages.length === 0 ? "" : `${title}:\n${stages.map((stage) => `  ${stage}\n`).join("")}`;
  const question = `${listOf("These instances and all that they own will be destroyed", expired)}\n  There is no undo. `;
  const { dryRun, autoApprove } = given;
  if (!dryRun && !autoApprove && !(await askApproval(screen, "stage sweep", question))) {
    terminal.err(signal.aborted ? "\nCancelled.\n" : "\nSweep cancelled. Nothing was changed.\n");
    return signal.aborted ? exitCodes.interrupted : exitCodes.error;
  }
  const swept = await sweepInstances(expired, declared, given, { target, screen });
  const [done = [], failed = []] = [true, false].map((isDone) =>
    swept.flatMap(({ exit_code, stage }) => ((exit_code === exitCodes.done) === isDone ? stage : [])),
  );
  const failures =
    failed.length === 0 ? "" : `; ${counted(failed.length, "instance")} failed: the errors above say why`;
  const judged = listOf("Would destroy", done) + listOf("Would be refused", failed);
  if (dryRun) say(screen, judged, { would_sweep: done, refused: failed, kept });
  else
    say(
      screen,
      `Swept ${counted(done.length, "instance")} of ${declared.name}, ${kept.length} kept${failures}.\n`,
      { swept, kept },
    );
  if (signal.aborted) return exitCodes.interrupted;
  return failed.length === 0 ? exitCodes.done : exitCodes.partly;
}

/** Destroys instances and their states in turn, and prints a line for each. A dry run only checks their owners. */
async function sweepInstances(
  stages: readonly string[],
  { protect, disposable }: StageDeclaration,
  { dryRun, lockTimeoutMs, parallelism }: SweepValues,
  { target, screen }: Pick<Run, "target" | "screen">,
) {
  const swept: { stage: string; destroyed: number; exit_code: number }[] = [];
  const onResult = ({ target: { stage = "" }, outcome }: TargetResult): void => {
    const { exitCode, counts: { destroyed } = { destroyed: 0 }, diagnostics } = outcome;
    swept.push({ stage, destroyed, exit_code: exitCode });
    report(screen, diagnostics);
    if (dryRun) return;
    const isDone = exitCode === exitCodes.done;
    const end = isDone ? `destroyed (${counted(destroyed, "resource")})` : "not destroyed";
    say(screen, `${stage}: ${end}.\n`);
  };
  const run = async ({ context, target: { commandLine, stage = "" } }: Run): Promise<ApplyOutcome> => {
    if (dryRun) refuseOtherRepository(context, await context.backend.read(), dryRun);
    if (dryRun) return succeeded;
    const outcome = await apply(context, {
      ...planRequest,
      mode: "destroy",
      commandLine,
      lockTimeoutMs,
      parallelism,
      isSweep: true,
      recordedOf: { stage: { name: stage, protect, disposable } },
      approve: async () => ({ confirmedDeletes: [] }),
    });
    if (outcome.exitCode === exitCodes.done) await eraseState(context, 0);
    return outcome;
  };
  const request = { ...target, rules: { scope: "one" } } as const;
  await resultsOf({ request, stages, screen: quiet(screen), run, onResult });
  return swept;
}

/** Prints text for people, or only the document with --json. */
const say = ({ format, terminal }: Screen, text: string, document?: Record<string, Plain>): void => {
  if (format !== "json") terminal.tell(text);
  else if (document) terminal.out(jsonText({ format_version: "1.0", ...document }));
};

function sweepable(request: Request, { stages }: FoundStages): StageDeclaration {
  const asked = requestedStage(request);
  const declared = asked && stages.get(asked.name);
  if (declared !== undefined && !declared.disposable)
    throw failure("guard.stage", `stage ${declared.name} is not disposable: nothing of it is swept`, {
      range: declared.range,
      hint: "write disposable: true where all of its instances may be destroyed without a confirmation",
    });
  if (declared?.each && asked?.id === undefined) return declared;
  const swept = [...stages.values()].filter(({ each, disposable }) => each && disposable);
  throw usage(
    "a sweep is about all instances of one stage",
    swept.length === 0
      ? "no stage of the manifest has each: true and disposable: true"
      : `name it: ${swept.map(({ name }) => `--stage ${name}`).join(", ")}`,
  );
}

export const stageVerbs: VerbFamily = {
  name: "stage",
  summary: "List stages, and sweep instances that are not needed any more",
  verbs: [stageListVerb, stageSweepVerb],
};
