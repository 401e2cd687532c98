import { Option } from "commander";
import { type ApplyOutcome, apply } from "../../commands/apply";
import { planRequest } from "../../commands/context";
import { eraseState } from "../../commands/state-verbs";
import { failure } from "../../diagnostics/diagnostic";
import type { FoundStages } from "../../manifest/load-manifest";
import type { StageDeclaration } from "../../manifest/stages";
import { splitStage, stageText } from "../../model/stage";
import type { Plain } from "../../model/value";
import { jsonText } from "../../report/escape-text";
import { counted } from "../../report/plan-wording";
import { withContext } from "../context";
import { readTextOrInput } from "../files";
import { type Invocation, namesOf } from "../invocation";
import { duration, options } from "../options";
import { isApproved } from "../prompt";
import { exitCodes, report } from "../report";
import { askedStage, foundIn, idList, ids, notListed, reading, usage } from "../stages";
import { resultsOf, type TargetResult } from "../targets";
import type { Verb } from "./verb";

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

/** Resolves to true for the id of an instance that stays. */
type Keeps = (id: string) => Promise<boolean>;

/** Returns what the command line names to be kept; undefined where age alone decides. */
async function keptBy(
  { options, terminal }: Invocation,
  { name, expiresMs }: StageDeclaration,
): Promise<Keeps | undefined> {
  const { keep, keepFrom } = options as { readonly keep?: readonly string[]; readonly keepFrom?: string };
  const olderThan = options.olderThan ?? expiresMs;
  if (keep === undefined && keepFrom === undefined && olderThan !== undefined) return undefined;
  const named = idList(keepFrom === undefined ? "" : await readTextOrInput(keepFrom, terminal), keep);
  if (named.length > 0 || options.allowEmpty === true) return async (id) => named.includes(id);
  throw usage(
    "no instance is named that stays",
    `--keep 12,15, --keep-from FILE or --older-than 72h; --allow-empty keeps none; or let stage ${name} have expires: 72h`,
  );
}

/**
 * Sweeps a stage of the instances that `choose` does not keep; it is asked once the stage is known to be disposable. One whose
 * age counts and is unknown stays: it had no run.
 */
export async function sweepStage(
  invocation: Invocation,
  choose: (invocation: Invocation, declared: StageDeclaration) => Promise<Keeps | undefined>,
): Promise<number> {
  const { options, signal, terminal } = invocation;
  const found = await foundIn(invocation);
  const declared = sweepable(invocation, found);
  const keeps = await choose(invocation, declared);
  const olderThan = options.olderThan as number | undefined;
  const ageMs = olderThan ?? (keeps ? undefined : declared.expiresMs);
  const listed = await found.instancesOf(declared);
  if (listed === undefined) throw usage(notListed(declared), "name those there may be: --ids 12,13,14");
  const goes: string[] = [];
  const kept: string[] = [];
  for (const { name, state, problem } of listed) {
    if (state === undefined && problem === undefined) continue;
    const isOld = ageMs === undefined || Date.now() - Date.parse(state?.lastRunAt ?? "") >= ageMs;
    const isKept = !isOld || (await keeps?.(name.id ?? "")) === true;
    (isKept ? kept : goes).push(stageText(name));
  }
  const names = goes.map((name) => `  ${name}\n`).join("");
  if (names === "" || options.dryRun === true) {
    const nothing = `Nothing to sweep: ${counted(kept.length, "instance")} of ${declared.name} kept.\n`;
    const text = names === "" ? nothing : `Would destroy:\n${names}`;
    say(invocation, text, { would_sweep: goes, kept });
    return exitCodes.done;
  }
  // In another workspace nothing is swept, rather than one after the other refused.
  for (const name of goes) found.enter(splitStage(name));
  const question = `These instances and all that they own will be destroyed:\n\n${names}\n  There is no undo. `;
  if (await isApproved(invocation, "stage sweep", question))
    return sweepInstances(invocation, declared, goes, kept);
  terminal.err(signal.aborted ? "\nCancelled.\n" : "\nSweep cancelled. Nothing was changed.\n");
  return signal.aborted ? exitCodes.interrupted : exitCodes.error;
}

/** Destroys instances one by one, with a line for each. Whatever keeps one from it, the same command continues: exit 3. */
async function sweepInstances(
  invocation: Invocation,
  declared: StageDeclaration,
  goes: readonly string[],
  kept: readonly string[],
): Promise<number> {
  const swept: { stage: string; destroyed: number; exit_code: number }[] = [];
  const tell = ({ run, outcome: { exitCode, counts, diagnostics } }: TargetResult): void => {
    const { stage = "" } = namesOf(run);
    const destroyed = counts?.destroyed ?? 0;
    swept.push({ stage, destroyed, exit_code: exitCode });
    report(invocation, diagnostics);
    const resources = counted(destroyed, "resource");
    const end = exitCode === exitCodes.done ? `destroyed (${resources})` : "not destroyed";
    say(invocation, `${stage}: ${end}.\n`);
  };
  const quiet = { ...invocation, terminal: { ...invocation.terminal, out: () => undefined } };
  await resultsOf(quiet, goes, { use: "one" }, (one) => destroyInstance(one, declared), tell);
  const failed = swept.filter((one) => one.exit_code !== exitCodes.done).length;
  const left = failed === 0 ? "" : `; ${counted(failed, "instance")} failed: run the same command again`;
  const done = counted(swept.length - failed, "instance");
  say(invocation, `Swept ${done} of ${declared.name}, ${kept.length} kept${left}.\n`, { swept, kept });
  if (invocation.signal.aborted) return exitCodes.interrupted;
  return failed === 0 ? exitCodes.done : exitCodes.partly;
}

/** Prints text for people; a run with --json prints the document alone. */
const say = ({ options, terminal }: Invocation, text: string, document?: Record<string, Plain>): void => {
  if (options.json !== true) terminal.out(text);
  else if (document) terminal.out(jsonText({ format_version: "1.0", ...document }));
};

/** The stage to sweep; refused where it is not disposable, or has no instances. */
function sweepable(invocation: Invocation, { stages }: FoundStages): StageDeclaration {
  const asked = askedStage(invocation);
  const declared = asked && stages.get(asked.name);
  if (declared !== undefined && !declared.disposable)
    throw failure("guard.stage", `stage ${declared.name} is not disposable: nothing of it is swept`, {
      range: declared.range,
      hint: "write disposable: true where all of its instances may be destroyed without a confirmation by name",
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

/** Destroys what the state of one instance owns, then removes the state. */
async function destroyInstance(
  invocation: Invocation,
  { protect, disposable }: StageDeclaration,
): Promise<ApplyOutcome> {
  const { options, commandLine } = invocation;
  return withContext(invocation, async (context) => {
    const outcome = await apply(context, {
      ...{ ...planRequest, mode: "destroy", commandLine },
      recordedOf: { name: namesOf(invocation).stage ?? "", protect, disposable },
      lockTimeoutMs: options.lockTimeout as number,
      parallelism: options.parallelism as number,
      approve: async () => ({ confirmedDeletes: [] }),
    });
    if (outcome.exitCode === exitCodes.done) await eraseState(context, 0);
    return outcome;
  });
}
