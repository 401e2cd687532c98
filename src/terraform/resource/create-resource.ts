import { isConflict } from "../../api/api-error";
import { createOrFind, severalFound } from "../../apply/create-or-find";
import { sendTwice } from "../../apply/journaled-send";
import { type Diagnostic, DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted } from "../../model/resource-operations";
import { isoTime } from "../../model/time";
import { diagnosticsOf, withoutTaint } from "../messages";
import { appliedIn } from "../private-data";
import { recentSession } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import { requireParent } from "./confirm-deleted";
import {
  type Applied,
  finishWrite,
  type MadeResource,
  type Sending,
  stateAfter,
  unappliedFields,
  type Writing,
} from "./finish-write";
import { inTurnOfParent, nameInUse, namesakes, reserveName } from "./namesakes";
import { findPreserved, preserveMissing } from "./preserved";
import { findStartedRun, listRuns, requireComplete, runInputs } from "./reactions";

/** Creates a resource. Whatever exists at the service after it is in the state. */
export async function createResource(change: Writing): Promise<Applied> {
  const { session, type, wanted } = change;
  const { resource } = type;
  const attributes = type.appliableIn(wanted);
  const name = type.nameIn(wanted) || resource.type;
  const parentId = type.parentIn(attributes);
  const defaults = type.defaultsIn(await session.reads.catalog());
  // The parent's fields save the requests that would look them up.
  const parent = (await requireParent(session, resource, parentId))?.computed;
  const input = { address: type.addressOf(name), name, attributes, parent, parentId };
  const made = await make({ ...change, input });
  const written = await finishWrite({ ...change, input, made, step: "create" });
  const { accepted, live, failed, kept, diagnostics } = written;
  // A deployment that did not go live is no resource: the next apply takes it over, or starts another.
  if (failed?.severity === "error" && resource.reacts) throw new DiagnosticsError([failed]);
  const unapplied =
    accepted.failure === undefined
      ? unappliedFields(type, { sent: attributes, live: accepted.live, defaults }, warning)
      : diagnosticsOf(accepted.failure);
  const state = stateAfter(change, live, failed);
  return {
    state: live === undefined ? { ...state, id: accepted.id || null } : state,
    kept: { applied: appliedIn(type, wanted, wanted), ...kept },
    diagnostics: withoutTaint([...diagnostics, ...unapplied]),
  };
}

async function make(creation: Sending): Promise<MadeResource> {
  const { type, wanted, input } = creation;
  const { runs, nameAttribute } = type.resource;
  if (type.isMadeElsewhere(wanted)) {
    const live = await findPreserved(creation, input.name, input.parentId ?? "");
    if (live === undefined) throw new DiagnosticsError([preserveMissing(type, input.name)]);
    return { accepted: { id: live.id, live }, diagnostics: [] };
  }
  if (runs !== undefined) return startRun(creation);
  const create = () => createOnce(creation);
  const accepted = nameAttribute === undefined ? inTurnOfParent(creation, create) : createNamed(creation);
  return writtenAs(creation, await accepted);
}

/** Returns a write with a warning for each name in it that the answer to it does not show. */
export function writtenAs({ type, input }: Sending, accepted: Accepted): MadeResource {
  const found = type.resource.checkSiblings?.(input.attributes, accepted.live?.offers, []) ?? [];
  const detail = "It is left out, and the rest is saved. If this apply creates it, write depends_on.";
  return { accepted, diagnostics: found.map((one) => warning(one.code, one.summary, { ...one, detail })) };
}

/** Starts a run, unless an interrupted apply already started a run after the last change. */
export const startRun = (sending: Sending): Promise<MadeResource> =>
  inTurnOfParent(sending, () => startOrFindRun(sending));

async function startOrFindRun(sending: Sending): Promise<MadeResource> {
  const creation = { ...sending, session: recentSession(sending.session) };
  const { session, type, wanted, kept, input } = creation;
  const { parentId } = input;
  requireComplete(wanted);
  const before = kept.lastRun;
  const inputs = parentId === undefined ? undefined : await runInputs(creation, parentId);
  if (inputs === undefined) await requireParent(session, type.resource, parentId);
  const { content, changedAt, about } = inputs ?? {};
  const run = { content };
  if (wanted.when === "never" || inputs?.isHeld) {
    const live = await type.find(session.reads, { name: input.name, parentId });
    const accepted = { id: live?.id ?? "" };
    if (wanted.when === "never") return { accepted, run, diagnostics: [] };
    return { accepted, run: { isHeld: true }, diagnostics: [held(about)] };
  }
  const runs = await listRuns(creation, { name: input.name, parentId: parentId ?? null });
  // It has every change: a payment or a restore may move the time of the latest.
  const isKept = (before?.awaited || before?.isHeld) && before.content === content;
  const last = isKept ? runs.find(({ id }) => id === before?.id) : undefined;
  const since = last?.asOf === undefined ? { changedAt, lastId: before?.id } : { changedAt: last.asOf };
  const search = { session, type, runs, attributes: input.attributes, ...since };
  const started = wanted.when === "always" ? undefined : await findStartedRun(search);
  if (started !== undefined) {
    const diagnostics = started === last ? [] : [startedBefore(type, started)];
    return { accepted: acceptedAs(creation, started), run, about, diagnostics };
  }
  return { accepted: await createOnce(creation, runs), run, about, diagnostics: [] };
}

const held = (about = "its parent"): Diagnostic =>
  warning("plan.not_deployed", `${about} is archived, and takes no deployment`, {
    detail: "What is changed is saved and does not run.",
    hint: "set archived = false: it is deployed with that",
  });

const startedBefore = ({ resource }: TerraformShape, { id, asOf }: LiveResource): Diagnostic =>
  warning("plan.adopted", `${resource.type} ${id} has every change already, and is taken over`, {
    detail: `It was started ${asOf ?? "before"}, after the last change of its ${resource.parents[0]?.type}. Nothing is started a second time. To deploy again, change a value in triggers.`,
  });

const createNamed = (creation: Sending): Promise<Accepted> =>
  reserveName(creation, async () => {
    try {
      return await createOnce(creation);
    } catch (failure) {
      if (!isConflict(failure)) throw failure;
      const others = await namesakes(creation);
      throw others.length === 0 ? failure : new DiagnosticsError([nameInUse(creation, others)]);
    }
  });

/** Sends a create. After an uncertain answer, it first looks for a resource that is none of `before`. */
export async function createOnce(creation: Sending, before: readonly LiveResource[] = []) {
  const { session, type, input, nonce } = creation;
  const reads = session.reads.excluding(before.map(({ id }) => id));
  const { candidates } = type.resource;
  const send = () => type.resource.create(session.writes(nonce), input);
  if (candidates === undefined) return sendTwice(send);
  const { name, parentId, attributes: declared } = input;
  const search = { name, parentId, declared, since: isoTime(reads.serviceTime()) };
  return createOrFind(reads, {
    send,
    look: (now) => candidates(now, search),
    take: async (found) => {
      // Another user may have made it with another value, which no read shows.
      const changed = new Set(type.secrets.map(({ path }) => path));
      if (changed.size === 0) return acceptedAs(creation, found);
      const update = { ...input, id: found.id, changed, live: found };
      return sendTwice(() => type.resource.update(session.writes(nonce), update));
    },
    several: (found) => {
      const hint = "import the right one by its ID, and delete the others";
      return new DiagnosticsError([{ ...severalFound("apply.uncertain", input.address, found), hint }]);
    },
    command: "terraform apply",
  });
}

const acceptedAs = ({ type, input }: Sending, live: LiveResource): Accepted => ({
  id: live.id,
  live,
  pending: type.resource.runs?.pendingOf(live.id, input.parentId, input.attributes),
});
