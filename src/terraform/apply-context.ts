import { lookAgain } from "../apply/look";
import { type WaitResult, waitUntilSettled } from "../apply/settle";
import { unappliedPaths } from "../apply/verify";
import { type Diagnostic, error, type warning } from "../diagnostics/diagnostic";
import { isMissing } from "../model/freshness";
import type { LiveResource } from "../model/live";
import type { Accepted, AppliableValue } from "../model/resource-operations";
import { Secret } from "../model/secret";
import { parseDuration } from "../model/time";
import type { Attributes, Plain } from "../model/value";
import { typeNamed } from "../resources";
import { addressOfId, readById } from "./confirm-deleted";
import type { PrivateData } from "./private-data";
import { setComputed } from "./read-state";
import type { ManagedType, timeoutNames } from "./schema/managed-type";
import type { Session } from "./session";
import { addressIn, declaredIn, draftOf, knownOf, setValue, valueAt } from "./values/attributes";
import { asObject, holdsUnknown, type TerraformObject, type TerraformValue } from "./values/terraform-value";

/** Everything that a configuration declares, ready to be sent. */
export function appliable(type: ManagedType, config: TerraformObject): Map<string, AppliableValue> {
  const attributes = new Map<string, AppliableValue>(knownOf(declaredIn(type, config)));
  for (const { path, name, writeOnlyName } of type.secrets) {
    const value = config[name] ?? config[writeOnlyName];
    if (typeof value === "string") attributes.set(path, new Secret(value));
  }
  return attributes;
}

/** What private data remembers as applied: declared fields that can be sent back to their defaults. */
export function appliedIn(type: ManagedType, config: TerraformObject): Record<string, Plain> {
  const known = [...knownOf(declaredIn(type, config))];
  return Object.fromEntries(known.filter(([path]) => type.resource.rules[path]?.change !== "local"));
}

/** Computed attributes of the parent: they save the requests that would look them up, and may be behind. */
export async function parentOf(
  session: Session,
  type: ManagedType,
  attributes: Attributes<unknown>,
): Promise<Attributes | undefined> {
  for (const { type: parentType, attribute } of type.resource.parents) {
    const id = attributes.get(attribute);
    const resource = typeNamed(parentType);
    if (typeof id !== "string" || resource === undefined) continue;
    const made = session.made.get(addressOfId(resource, id));
    if (made !== undefined) return made.computed;
    const before = await readById(session.before, resource, id);
    if (before.kind === "found") return before.live.computed;
    const { seen } = await lookAgain(session, () => readById(session.reads, resource, id), isMissing);
    if (seen.kind === "found") return seen.live.computed;
  }
  return undefined;
}

/** What private data remembers of a write that was answered just now. */
export const writtenNow = (
  { clock, workspaceId }: Pick<Session, "clock" | "workspaceId">,
  live: LiveResource | undefined,
): Pick<PrivateData, "workspace" | "writtenAt" | "updatedAt"> => {
  const updatedAt = live?.updatedAt ?? live?.asOf;
  return {
    workspace: workspaceId,
    writtenAt: new Date(clock.now()).toISOString(),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
};

const defaultTimeoutMs = 15 * 60_000;

/** Whether the end of a run is waited for: not where the configuration says so. */
export const isWaitedFor = (type: ManagedType, config: TerraformObject): boolean =>
  type.resource.reacts?.waitPolicy?.(knownOf(declaredIn(type, config))).wait !== false;

/** How a wait ended, and the id of what it ended with: a newer run may have taken the place of ours. */
export type Ended = WaitResult & {
  readonly id: string;
  /** Why the service let it wait, as it was told last. */
  readonly note?: string;
};

/** Waits for what a write left pending, as long as `timeouts` and the type say. */
export async function settle(
  session: Session,
  type: ManagedType,
  accepted: Accepted,
  config: TerraformObject,
  step: (typeof timeoutNames)[number],
): Promise<Ended> {
  const { pending, id, live } = accepted;
  const waitPolicy = type.resource.reacts?.waitPolicy?.(knownOf(declaredIn(type, config)));
  if (pending === undefined || waitPolicy?.wait === false) return { kind: "done", id, ...(live && { live }) };
  const written = asObject(config.timeouts ?? null)?.[step];
  const timeoutMs =
    (typeof written === "string" ? parseDuration(written) : undefined) ??
    waitPolicy?.timeoutMs ??
    defaultTimeoutMs;
  let last = id;
  let told: string | undefined;
  const result = await waitUntilSettled(pending, {
    type: type.resource,
    reads: session.reads,
    clock: session.clock,
    signal: session.signal,
    timeoutMs,
    onWaiting: (_seconds, _status, note) => {
      told = note;
    },
    onNext: async (next) => {
      last = next.id;
    },
  });
  return { ...result, id: last, ...(told !== undefined && { note: told }) };
}

/** What was accepted, as the wait for it ended: an answer that named another run says nothing of the one that did. */
export const endedWith = (accepted: Accepted, { id }: Ended): Accepted =>
  id === accepted.id ? accepted : { id };

/** Why a wait did not end well; undefined when it did. */
export function unsettled(
  type: ManagedType,
  name: string,
  result: WaitResult & Pick<Ended, "note">,
): Diagnostic | undefined {
  const { type: kind, nameAttribute } = type.resource;
  const about = nameAttribute === undefined ? `the ${kind}` : `${kind} "${name}"`;
  switch (result.kind) {
    case "done":
      return undefined;
    case "failed":
      return error("apply.deploy_failed", `${about}: ${result.summary}`, {
        ...(result.detail === undefined ? {} : { detail: result.detail }),
      });
    case "checkout":
      return error("apply.awaiting_checkout", `${about} is saved and waits for a checkout`, {
        detail: `The service says: ${result.summary}`,
        hint: "complete the checkout in the dashboard, then apply again; nothing of what is saved is lost",
      });
    case "timeout":
      return error(
        "apply.deploy_timeout",
        `${about} did not settle in time; its status is "${result.status}"`,
        {
          ...(result.note === undefined ? {} : { detail: `The service says: ${result.note}` }),
          hint: "apply again to go on waiting, or raise timeouts",
        },
      );
    case "interrupted":
      return error("apply.interrupted", `${about} was accepted, and its end was not waited for`, {
        hint: "apply again to go on",
      });
  }
}

/**
 * The state after a write: as planned, with what was not known filled in from the answer. What the answer leaves out
 * is null.
 */
export function stateAfter(
  type: ManagedType,
  planned: TerraformObject,
  live: LiveResource | undefined,
): TerraformObject {
  const next = draftOf(type, planned);
  const fresh: Record<string, TerraformValue> = {};
  if (live !== undefined) setComputed(type, fresh, live);
  for (const { steps } of type.computed)
    if (holdsUnknown(valueAt(planned, steps))) setValue(next, steps, valueAt(fresh, steps));
  return next;
}

/** What is said of a secret whose write moved nothing. */
export const secretNotTaken =
  "A value cannot be read back, but its write must move updatedAt, and that is what it was before. Apply again to send it again.";

/** A field that did not take is never a silent success. */
export function unappliedFields(
  type: ManagedType,
  sent: ReadonlyMap<string, AppliableValue>,
  live: LiveResource | undefined,
  defaults: Attributes,
  severity: typeof error | typeof warning,
  before?: string,
): readonly Diagnostic[] {
  const refused =
    live === undefined ? [] : unappliedPaths({ type: type.resource, sent, live, defaults, before });
  return refused.map((path) =>
    severity("apply.not_taken", `the service accepted the change, but ${path} did not take`, {
      attribute: path,
      address: addressIn(type, live?.name ?? ""),
      detail:
        type.resource.rules[path]?.secret === true
          ? secretNotTaken
          : "Its answer still shows another value. It may not be allowed for this kind or plan.",
    }),
  );
}
