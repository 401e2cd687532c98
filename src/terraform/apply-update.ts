import { unappliedPaths } from "../apply/verify";
import { error } from "../diagnostics/diagnostic";
import type { Accepted, AppliableValue, UpdateInput } from "../model/resource-operations";
import { canonicalJson } from "../model/value";
import type { Applied } from "./applied";
import {
  appliable,
  appliedIn,
  endedWith,
  isWaitedFor,
  settle,
  stateAfter,
  unappliedFields,
  unsettled,
  writtenNow,
} from "./apply-context";
import { withGenerations } from "./apply-create";
import { awaitNeighbours } from "./await-neighbours";
import { liveAfter } from "./live-after";
import { defaultsOf, planChange, recordedOf } from "./plan-change";
import type { PrivateData } from "./private-data";
import type { ManagedType } from "./schema/managed-type";
import { sendSecret } from "./send-secret";
import type { Session } from "./session";
import { addressIn, liveOf, nameIn, textIn, valueAt } from "./values/attributes";
import { type TerraformObject, toPlain } from "./values/terraform-value";

interface UpdateSides {
  readonly prior: TerraformObject;
  readonly planned: TerraformObject;
  readonly config: TerraformObject;
  readonly kept: PrivateData;
}

/** Updates a resource: only what the plan says is sent, nothing at all where only the state changes. */
export async function applyUpdate(session: Session, type: ManagedType, sides: UpdateSides): Promise<Applied> {
  const { prior, planned, config, kept } = sides;
  const catalog = await session.before.catalog();
  const { sent, acts } = planChange({ type, prior, config, priorPrivate: kept, catalog });
  const id = textIn(prior, "id") ?? "";
  const { workspaceId: workspace } = session;
  const applied = appliedIn(type, config);
  const ran = type.reacts ? { ran: kept.ran ?? id } : {};
  if (!acts) return { state: planned, kept: { ...kept, applied, workspace, ...ran }, diagnostics: [] };
  const attributes = withDefaults(type, appliable(type, config), planned, sent);
  const name = nameIn(type, planned) || nameIn(type, prior);
  const live = liveOf(type, prior);
  const input: UpdateInput = {
    address: addressIn(type, name),
    name,
    attributes,
    id,
    changed: sent,
    live,
    recorded: recordedOf(type, prior, kept),
  };
  const defaults = defaultsOf(type, catalog);
  await awaitNeighbours(session, type, input, live.parentId ?? undefined);
  const answered = await sendUpdate(session, type, sides, input);
  const result = await settle(session, type, answered, config, "update");
  const accepted = endedWith(answered, result);
  const failed = unsettled(type, name, result);
  if (failed !== undefined) return { state: prior, kept, diagnostics: [failed] };
  const parentId = live.parentId ?? undefined;
  const isSettled = isWaitedFor(type, config);
  const seen =
    (await liveAfter(session, type, { accepted, name, parentId, isSettled })) ?? accepted.live ?? live;
  const before = live.updatedAt;
  const refused = unappliedFields(type, sentOnly(attributes, sent), accepted.live, defaults, error, before);
  // The state of before: the next plan compares it with what is live.
  if (refused.length > 0) return { state: prior, kept, diagnostics: refused };
  const after = {
    applied,
    ...writtenNow(session, accepted.live ?? seen),
    ...(type.reacts ? { ran: accepted.id } : {}),
  };
  return { state: stateAfter(type, planned, seen), kept: after, diagnostics: [] };
}

/** A run that reacts may have been made by an earlier process; what is merely set can be set again. */
async function sendUpdate(
  session: Session,
  type: ManagedType,
  { prior, config, kept }: UpdateSides,
  input: UpdateInput,
): Promise<Accepted> {
  const { resource } = type;
  const since = kept.ran ?? textIn(prior, "updated_at") ?? "";
  const seed = ["update", resource.type, input.id, since].join("\0");
  const parentId = input.live?.parentId ?? undefined;
  if (type.secrets.some(({ path }) => input.changed.has(path))) {
    const { name, attributes, live } = input;
    const write = { type: resource, name, parentId, sent: attributes, before: live?.updatedAt, seed };
    return sendSecret(session, write, (writes) => resource.update(writes, input));
  }
  if (resource.runs === undefined) return sendUntilOwn(session, seed, input, type);
  // Private data is lost with a provider that dies, and the id is refreshed: triggers stay as they last ran.
  const [from = "", to = ""] = [prior, config].map(({ triggers }) =>
    canonicalJson(toPlain(triggers ?? null)),
  );
  const before = from === to ? (kept.ran ?? input.id) : from;
  const run = ["run", resource.type, before, to].join("\0");
  return withGenerations(
    session,
    { type: resource, input, parentId, defaults: new Map(), seed: run },
    (writes) => resource.update(writes, input),
  );
}

/** More ignored writes of the same fields within a day than anyone makes. */
const mostAttempts = 200;

/**
 * Sends a change until an answer of its own says whether it took. One that an earlier apply was given may say that it
 * did not; it is retained for 24 hours, and must not hide that the service takes it now.
 */
async function sendUntilOwn(
  session: Session,
  seed: string,
  input: UpdateInput,
  type: ManagedType,
): Promise<Accepted> {
  const { resource } = type;
  const defaults = defaultsOf(type, await session.before.catalog());
  const sent = sentOnly(input.attributes, input.changed);
  for (let attempt = 0; ; attempt += 1) {
    let isReplay = false;
    const onAnswer = (replayed: boolean): void => {
      isReplay ||= replayed;
    };
    const text = attempt === 0 ? seed : `${seed}\0${attempt}`;
    const accepted = await resource.update(session.writes({ text, onAnswer }), input);
    const { live } = accepted;
    const isTaken =
      live === undefined || unappliedPaths({ type: resource, sent, live, defaults }).length === 0;
    if (isTaken || !isReplay || attempt === mostAttempts) return accepted;
  }
}

/** A field that is no longer declared is sent with its default: a PATCH merges. */
function withDefaults(
  type: ManagedType,
  attributes: Map<string, AppliableValue>,
  planned: TerraformObject,
  sent: ReadonlySet<string>,
): Map<string, AppliableValue> {
  for (const { path, steps } of type.declared)
    if (sent.has(path) && !attributes.has(path)) attributes.set(path, toPlain(valueAt(planned, steps)));
  return attributes;
}

const sentOnly = (attributes: ReadonlyMap<string, AppliableValue>, sent: ReadonlySet<string>) =>
  new Map([...attributes].filter(([path]) => sent.has(path)));
