import { type ApiError, diagnosticOf, isConflict } from "../api/api-error";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { ApplyCounts, StepAction } from "../model/apply-event";
import type { Touched } from "../model/state";
import { type Plain, plainEqual } from "../model/value";
import { asksForRun, changesRecordOnly } from "../plan/decision";
import { type Change, instanceOf, isCountedAsChange, operationOf, type Plan } from "../plan/plan";
import { awaitingTogether } from "./advice";
import { type JournaledWrites, journaledSend } from "./journaled-send";
import { madeWith, recordOfAnswer } from "./record";
import { archive, forget, remove, retain } from "./remove";
import { type ChangeContext, type ChangeEnd, failed, type Run, UnknownReference } from "./run-context";
import { type ReplacePhase, type RunTask, runTasks, type Slot, schedule } from "./schedule";
import { create, keepRecord, update } from "./send";
import { followPending } from "./settle";

export interface RunResult {
  readonly counts: ApplyCounts;
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: number;
  /** Pending work of an interrupted run, as sentences: `deployment.shop.api is still deploying.` */
  readonly stillRunning: readonly string[];
  readonly touched: readonly Touched[];
}

interface EndedTask {
  readonly task: RunTask;
  readonly end: ChangeEnd;
}

/** Runs every change of an approved plan, at most `parallelism` at once. Never throws for a failed change. */
export async function runPlan(run: Run, plan: Plan, parallelism: number): Promise<RunResult> {
  const ended: EndedTask[] = [];
  const skipped = new Set<Address>();
  let stoppedBy: Address | undefined;
  for (const change of plan.changes) {
    const { address, reason } = change;
    const action = operationOf(change);
    if (action !== "no-op") run.emit({ type: "planned", address, action, reason });
  }
  await schedule(runTasks(plan), {
    parallelism,
    stopped: () => stoppedBy !== undefined || run.signal.aborted,
    run: async (task, slot) => {
      const end = await applyChange(run, task, slot);
      ended.push({ task, end });
      if (end.kind === "failed" && stopping.includes(end.diagnostic.code)) stoppedBy = task.change.address;
      // An interrupted change has not failed.
      return end.kind !== "failed";
    },
    skip: ({ change }, because) => {
      const { address } = change;
      const action = operationOf(change);
      if (action === "no-op" || skipped.has(address)) return;
      skipped.add(address);
      const causes = because.length > 0 ? because : stoppedBy === undefined ? [] : [stoppedBy];
      const failed = causes.map((id) => id.replace(/ \(delete\)$/, "") as Address);
      run.emit({ type: "skipped", address, action, because: failed.filter((other) => other !== address) });
    },
  });
  return resultOf(run, plan, ended, skipped.size);
}

/** Codes after which no request can work: the key is refused, or the state cannot be written. */
const stopping: readonly string[] = ["api.unauthorized", "state.lock_lost", "state.write_failed"];

function resultOf(run: Run, plan: Plan, ended: readonly EndedTask[], skipped: number): RunResult {
  const done = ended.filter(({ end }) => end.kind === "done").map(({ task }) => task);
  const stopped = ended.flatMap(({ end }) => (end.kind === "failed" ? [end] : []));
  const failures = stopped.filter(({ exitCode }) => exitCode !== 8);
  const atCheckout = stopped.filter(({ exitCode }) => exitCode === 8).map(({ diagnostic }) => diagnostic);
  const count = (is: (task: RunTask) => boolean): number => done.filter(is).length;
  const counts: ApplyCounts = {
    added: count(({ change, phase }) => change.action === "create" || phase === "create"),
    changed: count(({ change }) => isCountedAsChange(change)),
    destroyed: count(({ change, phase }) => operationOf(change) === "delete" || phase === "delete"),
    adopted: count(({ change }) => change.action === "adopt"),
    forgotten: count(({ change }) => change.action === "forget"),
    failed: failures.length,
    skipped,
    awaiting: atCheckout.length > 0 ? atCheckout.length : undefined,
  };
  return {
    counts,
    touched: touchedBy(run, plan, ended),
    diagnostics: [...failures.map((end) => end.diagnostic), ...awaitingTogether(atCheckout)],
    exitCode: exitCodeOf(run, stopped, done),
    stillRunning: ended.flatMap(({ task, end }) => (end.kind === "interrupted" ? stillRunning(task) : [])),
  };
}

/** Returns the resources that a run changed, or failed to change. */
function touchedBy({ journal }: Run, plan: Plan, ended: readonly EndedTask[]): readonly Touched[] {
  const ends = new Map(ended.map(({ task, end }) => [task.change, end]));
  return plan.changes.flatMap((change): Touched[] => {
    const { address, previousAddress: from } = change;
    const end = ends.get(change);
    const failed = end?.kind === "failed" && end.exitCode !== 8 ? true : undefined;
    const isChanged = operationOf(change) !== "no-op" || from !== undefined;
    if (end === undefined || !(failed || isChanged)) return [];
    const { live, recorded } = instanceOf(plan, change);
    return [{ address, from, before: (live ?? recorded)?.id, after: journal.recorded(address)?.id, failed }];
  });
}

const stillRunning = ({ change: { address, action }, phase }: RunTask): string =>
  `${address} is still ${action === "delete" || phase === "delete" ? "being deleted" : "deploying"}.`;

function exitCodeOf(
  run: Run,
  failures: readonly { readonly exitCode: number }[],
  done: readonly RunTask[],
): number {
  const worked = done.some(({ change }) => change.action !== "no-op");
  const codes = failures.map(({ exitCode }) => exitCode);
  if (run.signal.aborted) return 130;
  if (codes.includes(3)) return 3;
  if (codes.includes(1)) return worked ? 3 : 1;
  if (codes.includes(7)) return 7;
  return codes.includes(8) ? 8 : 0;
}

async function applyChange(run: Run, task: RunTask, slot: Slot): Promise<ChangeEnd> {
  const context = changeContext(run, task, slot);
  const { change, phase } = task;
  try {
    if (change.previousAddress !== undefined) await recordMove(context, change.previousAddress);
    return await performAction(context, phase);
  } catch (failure) {
    return failed(diagnosticOfFailure(change, failure));
  }
}

function changeContext(run: Run, task: RunTask, slot: Slot): ChangeContext {
  const { change, instance, phase, around } = task;
  const type = run.types.get(change.type);
  if (!type) throw new Error(`no resource type ${change.type}`);
  const known = change.parent && run.lookup(change.parent, "id");
  const parentId = typeof known === "string" ? known : undefined;
  const makes = change.action === "create" || phase === "create";
  const created = makes ? madeWith(instance, type) : undefined;
  const shared = { run, change, instance, type, slot, parentId, around, created };
  const { address } = change;
  const writes: JournaledWrites = {
    run,
    secretKey: run.fingerprintKey,
    address,
    type: change.type,
    name: change.liveName,
    parentId,
    takesEffect: asksForRun(change, type) ? undefined : "at once",
    ...created,
    after: (answer) => ({ recording: { address, resource: recordOfAnswer(shared, answer) } }),
  };
  return { ...shared, endpoints: run.endpoints(journaledSend(writes)) };
}

async function performAction(context: ChangeContext, phase: ReplacePhase): Promise<ChangeEnd> {
  const { change } = context;
  const deed = operationOf(change);
  if (deed === "replace") return step(context, phase === "delete" ? "delete" : "create");
  if (deed !== "no-op") return step(context, deed);
  if (change.retains) return retain(context);
  return withheld(change, (await followPending(context)) ?? (await keepRecord(context)));
}

const steps: Readonly<Record<StepAction, (context: ChangeContext) => Promise<ChangeEnd>>> = {
  create,
  update: (context) => (changesRecordOnly(context.change) ? keepRecord(context) : update(context)),
  adopt: (context) => (context.change.attributes.length > 0 ? update(context) : keepRecord(context)),
  archive,
  delete: remove,
  forget,
};

function withheld({ address, held, range }: Change, end: ChangeEnd): ChangeEnd {
  if (held === undefined) return end;
  const hint = "The changes are saved. Restore the service, then run rnv apply.";
  const summary = `${address}: not started: ${held}`;
  return failed(error("apply.deploy_failed", summary, { address, range, hint }), 7);
}

async function recordMove({ run, change, instance }: ChangeContext, previous: Address): Promise<void> {
  const recorded = run.journal.recorded(previous);
  if (!recorded) return;
  const { dependsOn, fingerprintAddress } = instance.recorded ?? recorded;
  const moved = { parent: change.parent, dependsOn, fingerprintAddress };
  await run.journal.move(previous, change.address, { ...recorded, ...moved });
}

async function step(context: ChangeContext, action: StepAction): Promise<ChangeEnd> {
  const { run, change, type } = context;
  const { address, id } = change;
  const startedAt = run.clock.elapsed();
  // Each run has a new ID, which its first wait shows.
  run.emit({ type: "start", address, action, id: action === "create" || type.runs ? undefined : id });
  const end = await steps[action](context).catch((failure: unknown): ChangeEnd => {
    const found = diagnosticOfFailure(change, failure);
    const isTaken = action === "create" && type.archives !== undefined && isConflict(failure);
    return failed(isTaken ? { ...found, hint: hintOfHidden(type.archives?.unlisted) } : found);
  });
  const elapsedSeconds = (run.clock.elapsed() - startedAt) / 1000;
  const about = { address, action, elapsedSeconds };
  if (end.kind === "done") run.emit({ type: "done", ...about, id: run.journal.recorded(address)?.id ?? id });
  if (end.kind === "failed" && end.exitCode === 8)
    run.emit({ type: "awaiting", ...about, id: run.journal.recorded(address)?.id });
  else if (end.kind === "failed") run.emit({ type: "failed", ...about, diagnostic: end.diagnostic });
  return end;
}

const hintOfHidden = (unlisted = ""): string =>
  `No list shows ${unlisted}. If one has this name, manage it with its ID from the dashboard (import: ID), or use another name.`;

/** Returns a failure as a diagnostic with the line of the manifest that declares the refused field. */
function diagnosticOfFailure(change: Change, failure: unknown): Diagnostic {
  const { address, attributes, range: whole } = change;
  const range = (attributes.length === 1 ? attributes[0]?.range : undefined) ?? whole;
  if (failure instanceof DiagnosticsError && failure.diagnostics[0]) return failure.diagnostics[0];
  if (failure instanceof UnknownReference) {
    const { address: referred, attribute, message } = failure;
    const summary = `${address}: ${message} after ${referred} was applied`;
    const hint = `The API has not shown ${attribute} of ${referred} yet. Run the same command again.`;
    return error("apply.failed", summary, { address, range, hint });
  }
  const found = diagnosticOf(failure, { address, range });
  const { status, kind } = failure as Partial<ApiError>;
  const isNamed = status === 400 && operationOf(change) === "delete";
  if (kind !== "refused" || (status !== 404 && !isNamed)) return found;
  const changed = isNamed ? "it was renamed" : "it, or what it is in, was deleted";
  const other = found.hint === undefined ? "" : `\nElse ${found.hint}`;
  return { ...found, hint: `if ${changed} since the plan: rnv plan shows it${other}` };
}

/** Reads the parents of the run's deployments again, and records their computed attributes. */
export async function refreshRecords(run: Run, plan: Plan): Promise<void> {
  const ran = plan.changes.filter(
    (change) =>
      run.types.get(change.type)?.reacts !== undefined &&
      (change.action === "create" || change.action === "update") &&
      !changesRecordOnly(change),
  );
  const around = new Set(ran.flatMap(({ parent }) => parent ?? []));
  if (around.size === 0 || run.signal.aborted) return;
  const reads = run.reads.fresh();
  for (const address of around) {
    const recorded = run.journal.recorded(address);
    const type = recorded && run.types.get(recorded.type);
    if (!recorded || !type) continue;
    const { id, name, parent } = recorded;
    const parentId = parent && run.journal.recorded(parent)?.id;
    const target = { address, id, name, parentId, declared: new Map(), recorded };
    const read = await type.read(reads, target).catch(() => undefined);
    if (read === undefined) return;
    if (read.kind !== "found" || read.live.id !== id) continue;
    const computed: Record<string, Plain> = Object.fromEntries(read.live.computed);
    if (!plainEqual(computed, recorded.computed))
      await run.journal.record(address, { ...recorded, computed });
  }
}
