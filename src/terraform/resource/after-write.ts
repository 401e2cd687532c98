import { type WaitResult, waitUntilSettled } from "../../apply/settle";
import { unappliedPaths } from "../../apply/verify";
import { type Diagnostic, error, type warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted, AppliableValue } from "../../model/resource-operations";
import type { timeoutNames } from "../../model/text";
import { parseDuration } from "../../model/time";
import type { Attributes } from "../../model/value";
import type { Session } from "../provider";
import {
  addressIn,
  type Draft,
  draftOf,
  knownIn,
  setComputed,
  setValue,
  valueAt,
} from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { asObject, holdsUnknown, type TerraformObject } from "../values/terraform-value";
import { bareRecord } from "./record";
import { subjectOf } from "./subject";

const defaultTimeoutMs = 15 * 60_000;

const waitPolicyOf = (type: TerraformShape, config: TerraformObject) =>
  type.resource.reacts?.waitPolicy?.(knownIn(type, config));

/** The end of a wait, and the id of the run it ended with: a newer one may have taken the place of ours. */
export type Ended = WaitResult & {
  readonly id: string;
  /** Why the service let it wait, as it was told last. */
  readonly note?: string;
};

/** Waits for what a write left pending, as long as `timeouts` and the type say. */
export async function settle(
  session: Session,
  type: TerraformShape,
  accepted: Accepted,
  config: TerraformObject,
  step: (typeof timeoutNames)[number],
): Promise<Ended> {
  const { pending, id, live } = accepted;
  const waitPolicy = waitPolicyOf(type, config);
  if (pending === undefined || waitPolicy?.wait === false) return { kind: "done", id, live };
  const written = asObject(config.timeouts ?? null)?.[step];
  const timeoutMs =
    (typeof written === "string" ? parseDuration(written) : undefined) ??
    waitPolicy?.timeoutMs ??
    defaultTimeoutMs;
  const { reads, clock, signal } = session;
  let last = id;
  let told: string | undefined;
  const result = await waitUntilSettled(pending, {
    ...{ type: type.resource, reads, clock, signal, timeoutMs },
    onWaiting: (_seconds, _status, note) => {
      told = note;
    },
    onNext: async (next) => {
      last = next.id;
    },
  });
  return { ...result, id: last, note: told };
}

/** Returns why a wait did not end well; undefined when it did. */
export async function unsettled(
  session: Session,
  { resource }: TerraformShape,
  { name, parentId }: Pick<AcceptedRun, "name" | "parentId">,
  result: Ended,
): Promise<Diagnostic | undefined> {
  if (result.kind === "done") return undefined;
  const about = await subjectOf(session, resource, name, parentId);
  switch (result.kind) {
    case "failed":
      return error("apply.deploy_failed", `${about}: ${result.summary}`, { detail: result.detail });
    case "checkout":
      return error("apply.awaiting_checkout", `${about} is saved and waits for a checkout`, {
        detail: `The service says: ${result.summary}`,
        hint: "complete the checkout in the dashboard, then apply again; nothing of what is saved is lost",
      });
    case "timeout": {
      const summary = `${about} did not settle in time; its status is "${result.status}"`;
      return error("apply.deploy_timeout", summary, {
        detail: result.note === undefined ? undefined : `The service says: ${result.note}`,
        hint: "apply again to keep waiting, or raise timeouts",
      });
    }
    case "interrupted":
      return error("apply.interrupted", `${about} was accepted, and its end was not waited for`, {
        hint: "apply again to continue",
      });
  }
}

/** A run that was accepted. */
interface AcceptedRun {
  readonly accepted: Accepted;
  readonly name: string;
  readonly parentId: string | undefined;
}

/** Returns what a reacting resource shows after its run; undefined of others. */
export async function liveAfter(
  { reads }: Session,
  { resource }: TerraformShape,
  { accepted: { id, live }, name, parentId }: AcceptedRun,
): Promise<LiveResource | undefined> {
  if (resource.runs === undefined) return undefined;
  const recorded = bareRecord({ type: resource.type, id, name, updatedAt: live?.asOf });
  // What pins a computed attribute is declared, so that this is read too.
  const pinned = Object.values(resource.computed).flatMap(({ pinnedBy }) => pinnedBy ?? []);
  const declared = new Map(pinned.map((path) => [path, ""]));
  const target = { address: addressIn({ resource }, name), id, name, recorded, declared, parentId };
  reads.invalidate();
  const read = await resource.read(reads, target);
  return read.kind === "found" ? read.live : undefined;
}

/** Returns the state after a write: as planned, with what was not known as `live` shows it, or null. */
export function stateAfter(
  type: TerraformShape,
  planned: TerraformObject,
  live: LiveResource | undefined,
): TerraformObject {
  const next = draftOf(type, planned);
  const fresh: Draft = {};
  if (live !== undefined) setComputed(type, fresh, live);
  for (const { steps } of type.computed)
    if (holdsUnknown(valueAt(planned, steps))) setValue(next, steps, valueAt(fresh, steps));
  return next;
}

const secretNotApplied =
  "A value cannot be read back, but its write must move updated_at, and that is what it was before. Apply again to send it again.";

const notApplied = "Its answer still shows another value. It may not be allowed for this kind or plan.";

/** A write and its answer. */
interface AnsweredWrite {
  readonly sent: ReadonlyMap<string, AppliableValue>;
  readonly live: LiveResource | undefined;
  readonly defaults: Attributes;
  /** The service's `updatedAt` before the write; undefined for a create. */
  readonly before?: string;
}

/** Returns a diagnostic for each field that the service accepted and did not apply. */
export function unappliedFields(
  { resource, stepsOf }: TerraformShape,
  { live, ...write }: AnsweredWrite,
  severity: typeof error | typeof warning,
): readonly Diagnostic[] {
  if (live === undefined) return [];
  return unappliedPaths({ type: resource, live, ...write }).map((path) =>
    severity(
      "apply.not_taken",
      `the service accepted the change, but ${stepsOf(path)?.join(".") ?? path} did not take`,
      {
        attribute: path,
        address: addressIn({ resource }, live.name),
        ...(path === resource.nameAttribute
          ? {
              detail: `Its answer shows ${JSON.stringify(live.name)}.`,
              hint: `if the service keeps names in a form of its own, declare ${path} = ${JSON.stringify(live.name)}`,
            }
          : { detail: resource.rules[path]?.secret ? secretNotApplied : notApplied }),
      },
    ),
  );
}

/** Returns what was accepted as its wait ended: an answer that named another run says nothing of the one that did. */
export const endedWith = (accepted: Accepted, { id }: Ended): Accepted =>
  id === accepted.id ? accepted : { id };
