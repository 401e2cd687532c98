import { ApiError } from "../api/api-error";
import { diagnosticOf } from "../api/diagnostic-of";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { StepAction } from "../model/apply-event";
import { changesRecordOnly } from "../plan/diff-lifecycle";
import type { Change } from "../plan/plan";
import { type ChangeContext, changeContext } from "./change-context";
import { keepRecord } from "./keep-record";
import { UnknownReference } from "./known-values";
import { archive, forget, remove } from "./remove-resource";
import type { ChangeEnd, Run } from "./run";
import type { ReplacePhase } from "./run-tasks";
import type { Slot } from "./schedule";
import { create, update } from "./send-change";

/** Carries out one change to the end: writes, verification, settling, and what the state keeps of it. */
export async function applyChange(
  run: Run,
  change: Change,
  phase: ReplacePhase,
  slot: Slot,
): Promise<ChangeEnd> {
  const context = changeContext(run, change, phase, slot);
  try {
    if (change.previousAddress !== undefined) await takeOverAddress(context, change.previousAddress);
    return await performAction(context, phase);
  } catch (failure) {
    return { kind: "failed", diagnostic: diagnosticOfFailure(change, failure), exitCode: 1 };
  }
}

async function performAction(context: ChangeContext, phase: ReplacePhase): Promise<ChangeEnd> {
  const { change } = context;
  switch (change.action) {
    case "create":
      return step(context, "create", create);
    case "update":
      return step(context, "update", changesRecordOnly(change) ? keepRecord : update);
    case "adopt":
      return step(context, "adopt", change.attributes.length > 0 ? update : keepRecord);
    case "replace":
      return phase === "delete" ? step(context, "delete", remove) : step(context, "create", create);
    case "delete":
      return change.onRemove === "archive"
        ? step(context, "archive", archive)
        : step(context, "delete", remove);
    case "forget":
      return step(context, "forget", forget);
    case "no-op":
      return heldBack(change, await keepRecord(context));
  }
}

/** What should run and cannot is no success: the plan said so. */
const heldBack = ({ address, held, instance }: Change, end: ChangeEnd): ChangeEnd =>
  held === undefined
    ? end
    : {
        kind: "failed",
        exitCode: 7,
        diagnostic: error("apply.deploy_failed", `${address} did not run: ${held}`, {
          address,
          range: instance.desired?.range,
          hint: "what changed is saved; restore the service, then apply again",
        }),
      };

/** A moved resource is recorded under its new address before anything else happens to it. */
async function takeOverAddress({ run, change }: ChangeContext, previous: Address): Promise<void> {
  const recorded = run.journal.recorded(previous);
  if (!recorded) return;
  // What it lies in has moved as well, or is where it was.
  const parent = change.instance.desired?.parent ?? recorded.parent;
  await run.journal.move(previous, change.address, {
    ...recorded,
    ...(parent === undefined ? {} : { parent }),
  });
}

async function step(
  context: ChangeContext,
  action: StepAction,
  perform: (context: ChangeContext) => Promise<ChangeEnd>,
): Promise<ChangeEnd> {
  const { run, change, type } = context;
  const startedAt = run.clock.elapsed();
  run.emit({
    type: "start",
    address: change.address,
    action,
    id: action === "create" ? undefined : change.id,
  });
  const end = await perform(context).catch((failure: unknown): ChangeEnd => {
    const diagnostic = diagnosticOfFailure(change, failure);
    const isTaken = action === "create" && type.archives !== undefined && isConflict(failure);
    return {
      kind: "failed",
      diagnostic: isTaken ? { ...diagnostic, hint: hintOfHidden(type.archives?.unlisted) } : diagnostic,
      exitCode: 1,
    };
  });
  const elapsedSeconds = (run.clock.elapsed() - startedAt) / 1000;
  const about = { address: change.address, action, elapsedSeconds };
  if (end.kind === "done")
    run.emit({ type: "done", ...about, id: run.journal.recorded(change.address)?.id ?? change.id });
  if (end.kind === "failed") run.emit({ type: "failed", ...about, diagnostic: end.diagnostic });
  return end;
}

/** The service refused for the sake of what stands there. */
const isConflict = (failure: unknown): boolean =>
  failure instanceof ApiError &&
  failure.kind === "refused" &&
  failure.status === 409 &&
  !/^(idempotency_|engine_unavailable$)/.test(failure.code ?? "");

const hintOfHidden = (unlisted = ""): string =>
  `no list shows ${unlisted}: if one holds the name, take it over by its id from the dashboard (import: ID), or use another name`;

/** Positions survive: an answer of the service still points at the line that declares what it refused. */
function diagnosticOfFailure(change: Change, failure: unknown): Diagnostic {
  const single = change.attributes.length === 1 ? change.attributes[0]?.range : undefined;
  const range = single ?? change.instance.desired?.range;
  if (failure instanceof DiagnosticsError && failure.diagnostics[0]) return failure.diagnostics[0];
  if (failure instanceof UnknownReference) {
    return error(
      "apply.failed",
      `${change.address}: ${failure.message} after ${failure.address} was applied`,
      {
        address: change.address,
        range,
        hint: `the service has not told ${failure.attribute} of ${failure.address} yet; run the same command again`,
      },
    );
  }
  return diagnosticOf(failure, { address: change.address, range });
}
