import { type Diagnostic, DiagnosticsError, hasErrors, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted, CreateInput } from "../../model/resource-operations";
import type { Attributes } from "../../model/value";
import { typeNamed } from "../../resources";
import { addressOfId, readById } from "../confirm-deleted";
import { diagnosticError, diagnosticsOf, noPrivateData, type PrivateData, withoutTaint } from "../messages";
import { meaningsOf } from "../plan/meanings";
import { planChange } from "../plan/plan-change";
import { findPreserved, isMadeElsewhere, notThere } from "../preserved";
import type { Session } from "../provider";
import { awaitUpstream, ranNow } from "../reactions/react";
import { appliedIn, changedNow, defaultsOf, writtenNow } from "../record";
import { importedState } from "../refreshed-state";
import {
  addressIn,
  appliableIn,
  draftOf,
  nameIn,
  parentIn,
  setValue,
  valueAt,
  withUnplanned,
} from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { holdsUnknown } from "../values/terraform-value";
import { endedWith, liveAfter, settle, stateAfter, unappliedFields, unsettled } from "./after-write";
import type { Applied } from "./apply-delete";
import { applyUpdate, type ChangeValues } from "./apply-update";
import { createOnce, takeUp } from "./create-once";
import { triggersText } from "./keyed-create";
import { cannotTakeOver, findTaken, type NamedCreate, type Taken } from "./twins";

/** Creates a resource. Nothing that stands at the service is ever left out of the state. */
export async function applyCreate(
  session: Session,
  type: TerraformShape,
  { planned, wanted, config, kept: { nonce }, room }: Omit<ChangeValues, "prior">,
): Promise<Applied> {
  const { resource } = type;
  const attributes = appliableIn(type, wanted);
  const name = nameIn(type, wanted) || resource.type;
  const parentId = parentIn(type, attributes);
  const defaults = defaultsOf(type, await session.before.catalog());
  const parent = await parentOf(session, type, attributes);
  const input = { address: addressIn(type, name), name, attributes, parent };
  const early = await awaitUpstream(session, type, parentId, { kept: noPrivateData, room });
  if (type.reacts && session.incomplete.has(parentId ?? "")) throw notRun(type);
  if (hasErrors(early)) return { state: null, kept: noPrivateData, diagnostics: early };
  const seed = ["create", resource.type, triggersText(wanted)].join("\0");
  const create = { type: resource, input, parentId, defaults, seed, nonce };
  const isElsewhere = isMadeElsewhere(type, wanted);
  const taken = isElsewhere ? undefined : await findTaken(session, create, wanted.adopt === true);
  if (taken !== undefined) {
    await takeUp(session, create, taken);
    return takeOver(session, type, { planned, config, create, taken });
  }
  const answered = isElsewhere
    ? await preservedOne(session, type, input, parentId)
    : await createOnce(session, create);
  const made = { planned, wanted, input, parentId, defaults, answered, early };
  const ended = finishCreate(session, type, made);
  // A run that fails after its request is found again by its key.
  return type.reacts
    ? ended
    : ended.catch((failure: unknown) => createdState(session, type, made, diagnosticsOf(failure)));
}

/** A map of variables that was created in part is no error, so that Terraform goes on. */
const notRun = ({ resource }: TerraformShape): DiagnosticsError =>
  diagnosticError(
    "apply.deploy_failed",
    `no ${resource.type} is started: variables of its service are missing`,
    {
      detail: "This apply could not set all of them, as its warnings say.",
      hint: "plan and apply again",
    },
  );

/** A create that was answered. */
interface AnsweredCreate extends Pick<ChangeValues, "planned" | "wanted"> {
  readonly input: CreateInput;
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
  readonly answered: Accepted;
  /** What was said before it was sent. */
  readonly early: readonly Diagnostic[];
}

/** Waits for the end of a create. */
async function finishCreate(session: Session, type: TerraformShape, made: AnsweredCreate): Promise<Applied> {
  const { wanted, parentId, defaults, answered } = made;
  const { name, attributes } = made.input;
  const result = await settle(session, type, answered, wanted, "create");
  const accepted = endedWith(answered, result);
  const failed = await unsettled(session, type, { name, parentId }, result);
  // A deployment that did not go live is no resource: the next apply finds it by its key, and goes on.
  if (failed !== undefined && type.reacts) return { state: null, kept: noPrivateData, diagnostics: [failed] };
  const live =
    (result.kind === "done" ? result.live : undefined) ??
    (await liveAfter(session, type, { accepted, name, parentId })) ??
    accepted.live;
  const found: Diagnostic[] = failed === undefined ? [...made.early] : [...made.early, failed];
  const write = { sent: attributes, live: accepted.live, defaults };
  if (accepted.failure !== undefined) found.push(...diagnosticsOf(accepted.failure));
  else found.push(...unappliedFields(type, write, warning));
  return createdState(session, type, { ...made, answered: accepted }, found, live);
}

/** Returns what stands after a create, as its answer shows it unless `live` does. */
function createdState(
  session: Session,
  type: TerraformShape,
  { planned, wanted, parentId, answered: { id, live: answer } }: AnsweredCreate,
  found: readonly Diagnostic[],
  live: LiveResource | undefined = answer,
): Applied {
  const kept = {
    applied: appliedIn(type, wanted, wanted),
    ...writtenNow(session, answer ?? live),
    ...(type.reacts && { ran: id }),
    ...ranNow(session, type, parentId, { kept: noPrivateData, live: answer ?? live }),
    ...changedNow(session, type, answer ?? live),
  };
  const state = { ...stateAfter(type, planned, live), ...(live === undefined && { id }) };
  return { state, kept, diagnostics: withoutTaint(found) };
}

/** Returns what a resource that was made elsewhere stands for. Throws `DiagnosticsError` where it is not there. */
async function preservedOne(
  session: Session,
  type: TerraformShape,
  input: CreateInput,
  parentId: string | undefined,
): Promise<Accepted> {
  const live = await findPreserved(session, type, input, parentId ?? "");
  if (live === undefined) throw new DiagnosticsError([notThere(type, input.name)]);
  return { id: live.id, live };
}

/** Returns the computed attributes of the parent: they save the requests that would look them up. */
async function parentOf(
  session: Session,
  { resource: { parents } }: TerraformShape,
  attributes: Attributes<unknown>,
): Promise<Attributes | undefined> {
  for (const { type, attribute } of parents) {
    const id = attributes.get(attribute);
    const resource = typeNamed(type);
    if (typeof id !== "string" || resource === undefined) continue;
    const made = session.made.get(addressOfId(resource, id));
    if (made !== undefined) return made.computed;
    const before = await readById(session.before, resource, id);
    if (before.kind === "found") return before.live.computed;
    const seen = await readById(session.reads, resource, id);
    if (seen.kind === "found") return seen.live.computed;
  }
  return undefined;
}

/** A create that takes over what stands. */
interface TakeOver extends Pick<ChangeValues, "planned" | "config"> {
  readonly create: NamedCreate;
  readonly taken: Taken;
}

/**
 * Takes over what stands, as an import and a change in one: what is declared and differs is sent. A failure makes
 * nothing ours; the next apply takes it over again.
 */
async function takeOver(session: Session, type: TerraformShape, take: TakeOver): Promise<Applied> {
  const { planned, config, create } = take;
  const { live } = take.taken;
  const imported: PrivateData = { applied: {}, workspace: session.workspaceId, imported: true };
  const prior = await importedState(session, type, live);
  const catalog = await session.before.catalog();
  const meanings = await meaningsOf(session, type, prior, config);
  const change = planChange({ type, prior, config, priorPrivate: imported, catalog, meanings });
  if (change.replaced.length > 0) throw new DiagnosticsError([cannotTakeOver(create, live, change.replaced)]);
  const wanted = withUnplanned(type, change.planned, config);
  const values = { prior, planned: change.planned, wanted, config, kept: imported };
  const { state, kept, diagnostics } = await applyUpdate(session, type, values);
  if (hasErrors(diagnostics) || state === null) return { state: null, kept: noPrivateData, diagnostics };
  // What Terraform was told of a create holds: all that is known of it stays as it was planned.
  const next = draftOf(type, planned);
  for (const { steps } of type.computed)
    if (holdsUnknown(valueAt(planned, steps))) setValue(next, steps, valueAt(state, steps));
  // Where nothing was sent no answer told its time: the next read would, and Terraform calls that drift.
  const { updatedAt = live.updatedAt } = kept;
  return {
    state: stateAfter(type, next, live),
    kept: { ...kept, updatedAt, imported: undefined },
    diagnostics,
  };
}
