import { randomUUID } from "node:crypto";
import { diagnosticOf, isUncertain } from "../../api/api-error";
import type { Resource } from "../../api/reads";
import { createOrFind } from "../../apply/create-or-find";
import { waitUntilSettled } from "../../apply/settle";
import { type Diagnostic, DiagnosticsError, error, warning } from "../../diagnostics/diagnostic";
import type { LiveResource, Pending } from "../../model/live";
import type { ActionInput, Made } from "../../model/resource-operations";
import { isoTime, parseDuration } from "../../model/time";
import type { Session } from "../provider";
import { waitFinding } from "../resource/finish-write";
import { addressIn } from "../schema/attributes";
import { isSameText } from "../values/terraform-value";

/** What an `action` block asks for. */
export interface ActionWish {
  readonly action: string;
  readonly deploymentId: string | undefined;
  readonly commit: string | undefined;
  /** The name of the service, where it must be typed. */
  readonly confirmed: string | undefined;
  readonly wait: boolean;
  readonly timeout: string | undefined;
}

interface ActionSurroundings {
  readonly session: Session;
  readonly type: Resource;
  /** What to act on. */
  readonly live: LiveResource;
  readonly tell: (message: string) => void;
  /** Aborted when the caller has gone: what was accepted is not waited for. */
  readonly signal: AbortSignal;
}

type Action = NonNullable<Resource["actions"]>[string];

const defaultTimeoutMs = 30 * 60_000;

/** Acts on a resource and waits for the end. After a kill of the provider an action may run a second time. */
export async function act(wish: ActionWish, around: ActionSurroundings): Promise<readonly Diagnostic[]> {
  const { session, type, live } = around;
  const action = type.actions?.[wish.action];
  if (action === undefined) throw new Error(`${type.type} has no action ${wish.action}`);
  const { id, name } = live;
  const address = addressIn({ resource: type }, name);
  const { deploymentId, commit, confirmed = "" } = wish;
  const asked: ActionInput = { address, id, name, deploymentId, commit };
  const aim = await action.aim?.(session.reads, asked, undefined);
  if (action.mustBeConfirmed && !isSameText(confirmed, name)) return [notItsName(address, confirmed, name)];
  const input = { ...asked, deploymentId: deploymentId ?? aim?.deploymentId, commit: commit ?? aim?.commit };
  const pending = await send(
    session,
    action,
    input,
    aim?.preexistingIds ?? [],
    `${wish.action} of ${address}`,
  );
  session.reads.invalidate();
  const warnings = (aim?.warnings ?? []).map(({ code, summary, ...more }) => warning(code, summary, more));
  if (!wish.wait) return warnings;
  return [...(await settle(action, wish, pending, `${wish.action} of ${address}`, around)), ...warnings];
}

const notItsName = (address: string, confirmed: string, name: string): Diagnostic =>
  error("guard.name_changed", `${JSON.stringify(confirmed)} is not the name of ${address}`, {
    hint: `its name is ${JSON.stringify(name)}`,
  });

/** Sends the action. After an uncertain answer what it made is looked for; what cannot be looked for is not sent again. */
async function send(
  session: Session,
  action: Action,
  input: ActionInput,
  preexistingIds: readonly string[],
  what: string,
): Promise<Pending> {
  const { reads } = session;
  const since = isoTime(reads.serviceTime());
  const writes = session.writes(randomUUID());
  const pendingOf = (made: Made): Pending => action.pendingOf(input, made);
  return createOrFind(reads, {
    send: async () => pendingOf(await action.send(writes, input)),
    look: async () => action.find?.(reads, input, { preexistingIds, since }),
    take: async (id: string) => pendingOf({ id }),
    refuse: async () => {},
    several: (found) => unknownEffect(what, `Found: ${found.join(", ")}. Any of them may be it.`),
    command: "terraform apply",
  }).catch((failure: unknown) => {
    throw action.find || !isUncertain(failure)
      ? failure
      : unknownEffect(what, `${diagnosticOf(failure).summary}.`);
  });
}

const unknownEffect = (what: string, detail: string): DiagnosticsError =>
  new DiagnosticsError([
    error("apply.uncertain", `unknown whether the ${what} had an effect`, {
      detail,
      hint: "nothing was sent again. Look at the service in the dashboard; if you still want it, invoke the action again",
    }),
  ]);

async function settle(
  { poll }: Action,
  { timeout, action }: ActionWish,
  pending: Pending,
  what: string,
  { session, tell, signal }: ActionSurroundings,
): Promise<readonly Diagnostic[]> {
  const { reads, clock } = session;
  const result = await waitUntilSettled(pending, {
    ...{ type: { poll }, reads, clock, signal: AbortSignal.any([session.signal, signal]) },
    timeoutMs: (timeout === undefined ? undefined : parseDuration(timeout)) ?? defaultTimeoutMs,
    onWaiting: (seconds, status, note) =>
      tell(`${action}: ${[status, note].filter(Boolean).join(": ")} [${Math.round(seconds)}s]`),
    onNext: async () => {},
  });
  const next = "it is still running. Look at the service in the dashboard, or raise timeout";
  const found = waitFinding(`the ${what}`, result, { next });
  return found === undefined ? [] : [found];
}
