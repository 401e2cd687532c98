import { Option } from "commander";
import { type ApplyOutcome, apply } from "../../commands/apply";
import { planRequest } from "../../commands/context";
import { drift } from "../../commands/drift";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../../diagnostics/diagnostic";
import { shownPath } from "../../manifest/files";
import type { FoundStages } from "../../manifest/load-manifest";
import { listStages, type StageDeclaration } from "../../manifest/stages";
import { isStageWord, type StageName, splitStage, stageText, stageWordRule } from "../../model/stage";
import type { State } from "../../model/state";
import { escapeJson } from "../../render/escape-text";
import { counted } from "../../render/plan-wording";
import { type StageRow, stageJson, stageRowsText, stageShownText } from "../../render/stage-text";
import { withContext } from "../context";
import { readStandardInput, readText } from "../files";
import { type Invocation, listOf, type StageRun } from "../invocation";
import { duration, options } from "../options";
import { createPrompter } from "../prompt";
import { exitCodes, outStyle, report, reportFailure } from "../report";
import { askedStage, enter, instancesOf, stagesOf } from "../stages";
import type { Verb, VerbFamily } from "./verb";

const reading = [options.file, options.untrusted, options.stage, options.json];

const ids = new Option(
  "--ids <ids>",
  "the instances to look at, with commas between them, where a state over https cannot list them",
).argParser(idList);

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
  handler: runList,
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
  handler: runShow,
};

const stageSweepVerb: Verb = {
  usage: "sweep",
  summary: "Destroy the instances of a stage that are not kept",
  detail:
    "Only where the stage is disposable, and only what the states of its instances own. One after the other; an error " +
    "in one does not stop the others: exit 3, and the same command again goes on. Instances to keep are named, or those " +
    "to destroy are told by their age; with both, what is old and not kept goes. With `expires` and neither, what has " +
    "expired goes.",
  readsStages: true,
  options: [
    ...reading,
    ids,
    new Option("--keep <ids>", "instances that stay, with commas between them (repeatable)").argParser(
      idList,
    ),
    new Option("--keep-from <file>", "a file that lists them, one a line; - for standard input"),
    new Option("--older-than <duration>", "only those whose last run is so long ago: 72h").argParser(
      duration,
    ),
    new Option("--allow-empty", "keep none"),
    new Option("--dry-run", "say what would be destroyed, and destroy nothing"),
    options.autoApprove,
    options.noInput,
    options.lockTimeout,
    options.answerTimeout,
    options.parallelism,
  ],
  examples: [
    ["rnv stage sweep --stage preview --keep 12,15", "all instances but two"],
    ["rnv stage sweep --stage preview --keep-from open.txt", "those that a file does not list"],
    ["rnv stage sweep --stage preview --older-than 72h", "those that nothing was applied to for three days"],
  ],
  handler: runSweep,
};

/** `rnv stage …` */
export const stageVerbs: VerbFamily = {
  name: "stage",
  summary: "List and show stages, and sweep instances that are not needed any more",
  description:
    "List and show the stages that the manifest declares, and destroy instances that are not needed any more.",
  verbs: [stageListVerb, stageShowVerb, stageSweepVerb],
};

/** Parses `12,15`; may be given more than once. */
function idList(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...text.split(/[\s,]+/).filter((word) => word !== "")];
}

const usage = (summary: string, hint?: string): DiagnosticsError =>
  new DiagnosticsError([error("command.usage", summary, { hint })]);

async function foundIn(invocation: Invocation): Promise<FoundStages> {
  const found = await stagesOf(invocation, listOf(invocation.options.file));
  if (hasErrors(found.diagnostics)) throw new DiagnosticsError(found.diagnostics, 1, found.sources);
  if (found.stages.size > 0) return found;
  throw usage("the manifest declares no stages", "stages: { production: {}, preview: { each: true } }");
}

/** A stage that stands, or may stand, with what its state says. */
interface Standing {
  readonly name: StageName;
  readonly declared: StageDeclaration;
  readonly run: StageRun;
  readonly state?: State | undefined;
  readonly problem?: Diagnostic;
}

const isEmpty = ({ state, problem }: Standing): boolean =>
  problem === undefined &&
  (state === undefined || (Object.keys(state.resources).length === 0 && state.open.length === 0));

/** A stage or an instance with its state; states are read whatever workspace they belong to. */
async function standingOf(
  invocation: Invocation,
  { place, sources }: FoundStages,
  declared: StageDeclaration,
  name: StageName,
): Promise<Standing> {
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
    return { ...of, state: await withContext(reading, ({ backend }) => backend.read()) };
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return { ...of, problem: cause.diagnostics[0] as Diagnostic };
  }
}

/** The instances of an `each` stage that have a state, or those that are named. */
async function standings(
  invocation: Invocation,
  found: FoundStages,
  declared: StageDeclaration,
): Promise<readonly Standing[] | undefined> {
  const { name } = declared;
  if (!declared.each) return [await standingOf(invocation, found, declared, { name })];
  const given = invocation.options.ids as readonly string[] | undefined;
  const listed = given ?? (await instancesOf(invocation, found, name));
  if (listed === undefined) return undefined;
  const all: Standing[] = [];
  for (const id of [...new Set(checkedIds(listed))].sort(byNumber))
    all.push(await standingOf(invocation, found, declared, { name, id }));
  return all.filter((one) => !isEmpty(one));
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

function checkedIds(listed: readonly string[]): readonly string[] {
  const wrong = listed.find((id) => !isStageWord(id));
  if (wrong === undefined) return listed;
  throw usage(
    `${JSON.stringify(wrong.slice(0, 80))} is no id of an instance`,
    `an id holds ${stageWordRule}`,
  );
}

function rowOf({ name, declared, state, run, problem }: Standing): StageRow {
  const lastRunAt = state?.lastRunAt;
  const expiresAt =
    declared.expiresMs === undefined || lastRunAt === undefined
      ? undefined
      : new Date(Date.parse(lastRunAt) + declared.expiresMs).toISOString();
  return {
    stage: stageText(name),
    state: run.state ?? `.rnv/${stageText(name)}/state.json`,
    protect: declared.protect,
    disposable: declared.disposable,
    resources: Object.keys(state?.resources ?? {}).length,
    workspace: state?.workspaceId,
    lastRunAt,
    expiresAt,
    problem: problem?.summary,
  };
}

async function runList(invocation: Invocation): Promise<number> {
  const { terminal, options } = invocation;
  const found = await foundIn(invocation);
  const asked = askedStage(invocation);
  const rows: StageRow[] = [];
  for (const declared of found.stages.values()) {
    if (asked !== undefined && asked.name !== declared.name) continue;
    const all = await standings(invocation, found, declared);
    if (all === undefined || (declared.each && all.length === 0))
      rows.push({ ...patternRow(found, declared), unlisted: all === undefined });
    for (const one of all ?? []) {
      if (asked?.id !== undefined && asked.id !== one.name.id) continue;
      rows.push({
        ...rowOf(one),
        ...(options.drift === true && { drift: await driftOf(invocation, found, one) }),
      });
    }
  }
  if (asked !== undefined && !found.stages.has(asked.name)) enter(invocation, found, asked, failWith(found));
  const style = outStyle(invocation);
  terminal.out(
    options.json === true ? `${escapeJson(stageJson(rows), 2)}\n` : stageRowsText(rows, Date.now(), style),
  );
  if (rows.some(({ problem }) => problem !== undefined)) return exitCodes.error;
  return rows.some((row) => row.drift === "drift") ? exitCodes.changes : exitCodes.done;
}

const failWith =
  ({ sources }: FoundStages) =>
  (diagnostics: readonly Diagnostic[], exitCode = 1): never => {
    throw new DiagnosticsError(diagnostics, exitCode, sources);
  };

/** The row of a stage of which no instance is known. */
function patternRow({ place }: FoundStages, declared: StageDeclaration): StageRow {
  const name = { name: declared.name, id: "ID" };
  const { state } = place(name).place;
  return rowOf({
    name,
    declared,
    run: { ...name, takesUnnamed: false, ...(state !== undefined && { state }) },
  });
}

async function driftOf(
  invocation: Invocation,
  found: FoundStages,
  one: Standing,
): Promise<StageRow["drift"]> {
  if (isEmpty(one) || one.problem !== undefined) return undefined;
  try {
    const stage = enter(invocation, found, one.name, failWith(found));
    const request = { ...planRequest, files: listOf(invocation.options.file) };
    const { exitCode, diagnostics, sources } = await withContext({ ...invocation, stage }, (context) =>
      drift(context, request),
    );
    report(invocation, diagnostics, sources);
    return exitCode === 0 ? "none" : exitCode === 2 ? "drift" : "unchecked";
  } catch (cause) {
    reportFailure(cause, invocation, invocation.signal.aborted);
    return "unchecked";
  }
}

async function runShow(invocation: Invocation): Promise<number> {
  const { terminal, options, positional } = invocation;
  const found = await foundIn(invocation);
  const word = positional[0] as string | undefined;
  const asked = word === undefined ? askedStage(invocation) : splitStage(word);
  if (asked === undefined) throw usage("no stage is named", `there are: ${listStages(found.stages)}`);
  const declared = found.stages.get(asked.name);
  const isPattern = declared?.each === true && asked.id === undefined;
  if (declared === undefined || (!isPattern && (asked.id !== undefined) !== declared.each)) {
    enter(invocation, found, asked, failWith(found));
    return exitCodes.error;
  }
  if (asked.id !== undefined) checkedIds([asked.id]);
  const row = isPattern
    ? patternRow(found, declared)
    : rowOf(await standingOf(invocation, found, declared, asked));
  const { overlay: path, workspace } = found.place(isPattern ? { ...asked, id: "ID" } : asked).place;
  const shown = {
    ...row,
    each: isPattern,
    overlay: path && shownPath(path, invocation.cwd),
    workspace: row.workspace ?? workspace,
    expiresMs: declared.expiresMs,
  };
  if (options.json === true) terminal.out(`${escapeJson(stageJson([shown]), 2)}\n`);
  else terminal.out(stageShownText(shown, Date.now(), outStyle(invocation)));
  return row.problem === undefined ? exitCodes.done : exitCodes.error;
}

/** Which instances stay. */
interface Kept {
  /** Undefined: none is named, and age alone decides. */
  readonly ids?: ReadonlySet<string>;
  /** Milliseconds since the last run; undefined where age does not count. */
  readonly ageMs?: number;
}

async function keptBy(
  { options, terminal }: Invocation,
  { name, expiresMs }: StageDeclaration,
): Promise<Kept> {
  const { keep, keepFrom, olderThan } = options as {
    readonly keep?: readonly string[];
    readonly keepFrom?: string;
    readonly olderThan?: number;
  };
  if (keep === undefined && keepFrom === undefined) {
    const ageMs = olderThan ?? expiresMs;
    if (ageMs !== undefined) return { ageMs };
    if (options.allowEmpty === true) return { ids: new Set() };
    throw usage(
      "it is not said which instances stay",
      `--keep 12,15, --keep-from FILE or --older-than 72h; --allow-empty keeps none; or let stage ${name} have expires: 72h`,
    );
  }
  const text =
    keepFrom === undefined
      ? ""
      : keepFrom === "-"
        ? Buffer.from(await readStandardInput(terminal)).toString("utf8")
        : readText(keepFrom);
  const named = checkedIds([...(keep ?? []), ...idList(text)]);
  if (named.length === 0 && options.allowEmpty !== true)
    throw usage(
      "the list of instances that stay is empty",
      "a list that could not be made looks the same; --allow-empty destroys all of them",
    );
  return { ids: new Set(named), ...(olderThan !== undefined && { ageMs: olderThan }) };
}

const isKept = ({ name, state }: Standing, { ids: named, ageMs }: Kept, now: number): boolean => {
  if (named?.has(name.id ?? "")) return true;
  if (ageMs === undefined) return false;
  const lastRun = Date.parse(state?.lastRunAt ?? "");
  // Without a time nobody knows how old it is.
  return Number.isNaN(lastRun) || now - lastRun < ageMs;
};

async function runSweep(invocation: Invocation): Promise<number> {
  const { options, terminal, signal } = invocation;
  const found = await foundIn(invocation);
  const declared = sweepable(invocation, found);
  const kept = await keptBy(invocation, declared);
  const all = await standings(invocation, found, declared);
  if (all === undefined)
    throw usage(
      `the instances of stage ${declared.name} cannot be listed: its state is at https://`,
      "name those there may be: --ids 12,13,14",
    );
  const goes = all.filter((one) => !isKept(one, kept, Date.now()));
  const say = (text: string): void => {
    if (options.json !== true) terminal.out(text);
  };
  const stays = all.filter((one) => !goes.includes(one)).map(({ name }) => stageText(name));
  if (options.dryRun === true || goes.length === 0) {
    say(
      goes.length === 0
        ? `Nothing to sweep: ${counted(all.length, "instance")} of ${declared.name} kept.\n`
        : "Would destroy:\n",
    );
    for (const { name } of goes) say(`  ${stageText(name)}\n`);
    if (options.json === true)
      terminal.out(
        `${escapeJson(sweepJson({ would: goes.map(({ name }) => stageText(name)), kept: stays }), 2)}\n`,
      );
    return exitCodes.done;
  }
  // In another workspace nothing is swept, rather than one after the other refused.
  for (const { name } of goes) enter(invocation, found, name, failWith(found));
  const ask = options.autoApprove === true ? undefined : createPrompter(invocation);
  const names = goes.map(({ name }) => `  ${stageText(name)}\n`).join("");
  const question = `These instances and all that they own will be destroyed:\n\n${names}\n  There is no undo. Only 'yes' will be accepted to approve.\n\n  Enter a value: `;
  if (ask !== undefined && (await ask(question))?.trim() !== "yes") {
    terminal.err("\nSweep cancelled. Nothing was changed.\n");
    return signal.aborted ? exitCodes.interrupted : exitCodes.error;
  }
  const swept: SweptInstance[] = [];
  for (const one of goes) {
    if (signal.aborted) break;
    const done = await sweepOne(invocation, found, one);
    swept.push(done);
    say(
      done.exitCode === 0
        ? `${done.stage}: destroyed (${counted(done.destroyed, "resource")}).\n`
        : `${done.stage}: not destroyed.\n`,
    );
  }
  const failed = swept.filter(({ exitCode }) => exitCode !== 0).length;
  const left = failed === 0 ? "" : `; ${counted(failed, "instance")} failed: run the same command again`;
  say(
    `Swept ${counted(swept.length - failed, "instance")} of ${declared.name}, ${stays.length} kept${left}.\n`,
  );
  if (options.json === true) terminal.out(`${escapeJson(sweepJson({ swept, kept: stays }), 2)}\n`);
  if (signal.aborted) return exitCodes.interrupted;
  return failed === 0 ? exitCodes.done : 3;
}

/** The stage to sweep; refused where it is not disposable. */
function sweepable(invocation: Invocation, found: FoundStages): StageDeclaration {
  const asked = askedStage(invocation);
  if (asked === undefined)
    throw usage(
      "no stage is named to sweep",
      `name one: --stage NAME; there are: ${listStages(found.stages)}`,
    );
  const declared = found.stages.get(asked.name);
  if (declared === undefined) return enter(invocation, found, asked, failWith(found)) as never;
  if (!declared.disposable)
    throw new DiagnosticsError(
      [
        error("guard.stage", `stage ${asked.name} is not disposable: nothing of it is swept`, {
          range: declared.range,
          hint: "write disposable: true where all of its instances may be destroyed without a confirmation by name",
        }),
      ],
      exitCodes.refused,
      found.sources,
    );
  if (!declared.each)
    throw usage(
      `stage ${asked.name} stands once, and has no instances to sweep`,
      `rnv destroy --stage ${asked.name}`,
    );
  if (asked.id === undefined) return declared;
  throw usage("a sweep is about all instances of a stage", `--stage ${asked.name}, and --keep`);
}

interface SweptInstance {
  readonly stage: string;
  readonly destroyed: number;
  readonly exitCode: number;
}

/** Destroys what the state of one instance owns. */
async function sweepOne(
  invocation: Invocation,
  found: FoundStages,
  { name, declared }: Standing,
): Promise<SweptInstance> {
  const { options } = invocation;
  const stage = stageText(name);
  try {
    const entered = enter(invocation, found, name, failWith(found));
    const outcome: ApplyOutcome = await withContext({ ...invocation, stage: entered }, (context) =>
      apply(context, {
        ...planRequest,
        mode: "destroy",
        recordedOf: { name: stage, protect: declared.protect, disposable: declared.disposable },
        commandLine: invocation.commandLine,
        lockTimeoutMs: options.lockTimeout as number,
        parallelism: options.parallelism as number,
        approve: async () => ({ confirmedDeletes: [] }),
      }),
    );
    report(invocation, outcome.diagnostics, outcome.sources);
    return { stage, destroyed: outcome.counts?.destroyed ?? 0, exitCode: outcome.exitCode };
  } catch (cause) {
    return { stage, destroyed: 0, exitCode: reportFailure(cause, invocation, invocation.signal.aborted) };
  }
}

const sweepJson = (document: {
  readonly swept?: readonly SweptInstance[];
  readonly would?: readonly string[];
  readonly kept: readonly string[];
}) => ({
  format_version: "1.0",
  ...(document.swept && {
    swept: document.swept.map(({ stage, destroyed, exitCode }) => ({
      stage,
      destroyed,
      exit_code: exitCode,
    })),
  }),
  ...(document.would && { would_sweep: document.would }),
  kept: document.kept,
});
