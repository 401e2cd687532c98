import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { type ApplyOutcome, apply } from "../../commands/apply";
import { planRequest } from "../../commands/context";
import { eraseState } from "../../commands/state-verbs";
import { runTargets } from "../../commands/targets";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { listStages, type StageDeclaration } from "../../manifest/stages";
import { stageText } from "../../model/stage";
import type { Plain } from "../../model/value";
import { escapeJson } from "../../report/escape-text";
import { counted } from "../../report/plan-wording";
import { settingsOf, withContext } from "../context";
import { readTextOrInput } from "../files";
import type { Invocation } from "../invocation";
import { duration, options } from "../options";
import { askForYes, createPrompter } from "../prompt";
import { exitCodes, report } from "../report";
import { checkedIds, idList, ids, isEmpty, reading, type StageInstance, standings } from "../stage-instances";
import { askedStage, type DeclaredStages, foundIn, usage } from "../stages";
import { resultOf } from "../targets";
import type { Verb } from "./verb";

/** How a sweep goes, whatever decides what stays. */
export const sweepOptions = [
  ...reading,
  ids,
  new Option("--older-than <duration>", "only those whose last run is so long ago: 72h").argParser(duration),
  new Option("--dry-run", "say what would be destroyed, and destroy nothing"),
  options.lockTimeout,
  options.answerTimeout,
  options.parallelism,
];

export const stageSweepVerb: Verb = {
  usage: "sweep",
  summary: "Destroy the instances of a stage that are not kept",
  detail:
    "Only where the stage is disposable, and only what the states of its instances own. One after the other; an error " +
    "in one does not stop the others: exit 3, and the same command continues. Instances to keep are named, or those " +
    "to destroy are told by their age; with both, what is old and not kept goes. With `expires` and neither, what has " +
    "expired goes.",
  readsStages: true,
  options: [
    new Option("--keep <ids>", "instances that stay, with commas between them (repeatable)").argParser(
      idList,
    ),
    new Option("--keep-from <file>", "a file that lists them, one a line; - for standard input"),
    new Option("--allow-empty", "keep none"),
    ...sweepOptions,
    options.autoApprove,
    options.noInput,
  ],
  examples: [
    ["rnv stage sweep --stage preview --keep 12,15", "all instances but two"],
    ["rnv stage sweep --stage preview --keep-from open.txt", "those that a file does not list"],
    ["rnv stage sweep --stage preview --older-than 72h", "those that nothing was applied to for three days"],
  ],
  handler: (invocation) => sweepStage(invocation, keptBy),
};

/** Which instances stay. */
export interface Kept {
  /** Whether an id is kept; undefined: none is named, and age alone decides. */
  readonly keeps?: (id: string) => boolean;
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
    if (options.allowEmpty === true) return { keeps: () => false };
    throw usage(
      "it is not said which instances stay",
      `--keep 12,15, --keep-from FILE or --older-than 72h; --allow-empty keeps none; or let stage ${name} have expires: 72h`,
    );
  }
  const text = keepFrom === undefined ? "" : await readTextOrInput(keepFrom, terminal);
  const named = checkedIds([...(keep ?? []), ...idList(text)]);
  if (named.length === 0 && options.allowEmpty !== true)
    throw usage(
      "the list of instances that stay is empty",
      "a list that could not be made looks the same; --allow-empty destroys all of them",
    );
  const kept = new Set(named);
  return { keeps: (id) => kept.has(id), ...(olderThan !== undefined && { ageMs: olderThan }) };
}

const isKept = ({ name, state }: StageInstance, { keeps, ageMs }: Kept, now: number): boolean => {
  if (keeps?.(name.id ?? "")) return true;
  if (ageMs === undefined) return false;
  const lastRun = Date.parse(state?.lastRunAt ?? "");
  // Without a time its age is unknown.
  return Number.isNaN(lastRun) || now - lastRun < ageMs;
};

/** Sweeps a stage of the instances that `choose` does not keep; it is asked once the stage is known to be disposable. */
export async function sweepStage(
  invocation: Invocation,
  choose: (invocation: Invocation, declared: StageDeclaration) => Promise<Kept>,
): Promise<number> {
  const { options, signal } = invocation;
  const found = await foundIn(invocation);
  const declared = sweepable(invocation, found);
  const kept = await choose(invocation, declared);
  const known = await standings(invocation, found, declared);
  if (known === undefined)
    throw usage(
      `the instances of stage ${declared.name} cannot be listed: its state is at https://`,
      "name those there may be: --ids 12,13,14",
    );
  const now = Date.now();
  const owning = known.filter((one) => !isEmpty(one));
  const goes = owning.filter((one) => !isKept(one, kept, now));
  const stays = owning.filter((one) => !goes.includes(one)).map(({ name }) => stageText(name));
  const erase = async (one: StageInstance): Promise<void> => eraseEmptied(found.enter(one.name));
  if (options.dryRun !== true)
    for (const one of known)
      if (one.state !== undefined && isEmpty(one) && !isKept(one, kept, now))
        await erase(one).catch(() => undefined);
  if (options.dryRun === true || goes.length === 0) {
    const would = goes.map(({ name }) => stageText(name));
    const text =
      would.length === 0
        ? `Nothing to sweep: ${counted(stays.length, "instance")} of ${declared.name} kept.\n`
        : `Would destroy:\n${would.map((name) => `  ${name}\n`).join("")}`;
    say(invocation, text, { would_sweep: would, kept: stays });
    return exitCodes.done;
  }
  // In another workspace nothing is swept, rather than one after the other refused.
  for (const { name } of goes) found.enter(name);
  const cancelled = options.autoApprove === true ? undefined : await askToSweep(invocation, goes);
  if (cancelled !== undefined) return cancelled;
  const sweep = async (one: StageInstance) => {
    const done = await sweepOne(invocation, found, declared, one);
    const end = done.exit_code === 0 ? `destroyed (${counted(done.destroyed, "resource")})` : "not destroyed";
    say(invocation, `${done.stage}: ${end}.\n`);
    return done;
  };
  const swept = await runTargets(goes, sweep, { signal });
  const failed = swept.filter((one) => one.exit_code !== 0).length;
  const left = failed === 0 ? "" : `; ${counted(failed, "instance")} failed: run the same command again`;
  const line = `Swept ${counted(swept.length - failed, "instance")} of ${declared.name}, ${stays.length} kept${left}.\n`;
  say(invocation, line, { swept, kept: stays });
  if (signal.aborted) return exitCodes.interrupted;
  return failed === 0 ? exitCodes.done : 3;
}

/** Asks for approval; returns the exit code of a run that does not get it. */
async function askToSweep(
  invocation: Invocation,
  goes: readonly StageInstance[],
): Promise<number | undefined> {
  const { terminal, signal } = invocation;
  const names = goes.map(({ name }) => `  ${stageText(name)}\n`).join("");
  const text = `These instances and all that they own will be destroyed:\n\n${names}\n  There is no undo. `;
  const ask = createPrompter(invocation);
  if (ask === undefined || (await askForYes(ask, text))) return undefined;
  terminal.err(signal.aborted ? "\nCancelled.\n" : "\nSweep cancelled. Nothing was changed.\n");
  return signal.aborted ? exitCodes.interrupted : exitCodes.error;
}

/** Prints text for people; a run with --json prints the document alone. */
const say = ({ options, terminal }: Invocation, text: string, document?: Record<string, Plain>): void => {
  if (options.json !== true) terminal.out(text);
  else if (document) terminal.out(`${escapeJson({ format_version: "1.0", ...document }, 2)}\n`);
};

/** The stage to sweep; refused where it is not disposable. */
function sweepable(invocation: Invocation, found: DeclaredStages): StageDeclaration {
  const asked = askedStage(invocation);
  if (asked === undefined)
    throw usage(
      "no stage is named to sweep",
      `name one: --stage NAME; there are: ${listStages(found.stages)}`,
    );
  const declared = found.stages.get(asked.name);
  if (declared === undefined) return found.enter(asked) as never;
  if (!declared.disposable)
    throw new DiagnosticsError(
      [
        error("guard.stage", `stage ${asked.name} is not disposable: nothing of it is swept`, {
          range: declared.range,
          hint: "write disposable: true where all of its instances may be destroyed without a confirmation by name",
        }),
      ],
      undefined,
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

/** Destroys what the state of one instance owns, and the state; returns what the document shows of it. Never rejects. */
async function sweepOne(
  invocation: Invocation,
  { enter }: DeclaredStages,
  { protect, disposable }: StageDeclaration,
  { name }: StageInstance,
) {
  const { options } = invocation;
  const stage = stageText(name);
  const destroy = async (): Promise<ApplyOutcome> => {
    const entered = enter(name);
    const outcome = await withContext(entered, (context) =>
      apply(context, {
        ...planRequest,
        mode: "destroy",
        recordedOf: { name: stage, protect, disposable },
        commandLine: invocation.commandLine,
        lockTimeoutMs: options.lockTimeout as number,
        parallelism: options.parallelism as number,
        approve: async () => ({ confirmedDeletes: [] }),
      }),
    );
    if (outcome.exitCode === 0) await eraseEmptied(entered);
    return outcome;
  };
  const { exitCode, counts, diagnostics, sources } = (await resultOf(invocation, destroy)).outcome;
  report(invocation, diagnostics, sources);
  return { stage, destroyed: counts?.destroyed ?? 0, exit_code: exitCode };
}

/** Removes the state of an instance that owns nothing any more, with the folder that is its own. */
async function eraseEmptied(entered: Invocation): Promise<void> {
  const { stage, environment } = entered;
  const isElsewhere = stage?.state !== undefined || (environment.RNV_STATE ?? "").trim() !== "";
  const { stateFolder } = settingsOf(entered);
  const beside = (): void => {
    if (!isElsewhere) rmSync(join(stateFolder, "state.key"), { force: true });
  };
  await withContext(entered, (context) => eraseState(context, { lockTimeoutMs: 0, beside }));
  // A folder that holds something else stays.
  if (!isElsewhere && existsSync(stateFolder) && readdirSync(stateFolder).length === 0)
    rmdirSync(stateFolder);
}
