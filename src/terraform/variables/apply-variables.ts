import type { Diagnostic } from "../../diagnostics/diagnostic";
import { generatedName } from "../../model/terraform-names";
import { shortList } from "../../model/wording";
import { service } from "../../resources/service";
import { asObject, isSameValue, isUnknown, type TerraformObject, textIn, unknown } from "../codec";
import { diagnosticsOf, withoutTaint } from "../messages";
import { noPrivateData, writtenNow } from "../private-data";
import { recentSession, type Session } from "../provider";
import type { AskedChange } from "../resource/apply-resource-change";
import { parentChange, requireThere, requireWorkspace } from "../resource/confirm-deleted";
import { createOnce } from "../resource/create-resource";
import { deleteResource } from "../resource/delete-resource";
import { type Applied, revisionAfter, type Writing } from "../resource/finish-write";
import { keyInUse } from "../resource/namesakes";
import { incomplete } from "../resource/reactions";
import { generatedAgain, updateResource } from "../resource/update-resource";
import { revisionName } from "../schema/resource-block";
import { elementsOf, entryType, recordedIn, rowIn, rowsIn, variableIn, withRows } from "./rows";

/** A map while it is applied: the variables that exist, and why others do not. */
interface Progress {
  readonly rows: ReturnType<typeof rowsIn>;
  readonly refused: Map<string, readonly Diagnostic[]>;
}

/** Carries a map out, one variable at a time; finished writes stay in the state, also where a later write fails. */
export async function applyVariables(
  session: Session,
  { prior: recorded, planned, config = {}, kept, nonce }: AskedChange,
): Promise<Applied> {
  if (recorded) requireWorkspace(session, service, textIn(recorded, "service_id") ?? "", kept);
  const at = { session, type: entryType, nonce };
  const change = recorded && planned && (await parentChange(session, entryType, recorded, planned));
  const isMoved = change === "left";
  const again = isMoved ? Object.keys(elementsOf(planned?.[generatedName])) : [];
  const prior = isMoved ? undefined : recorded;
  const { rows, refused }: Progress = { rows: rowsIn(prior), refused: new Map() };
  const attempt = async (key: string, work: () => Promise<unknown>): Promise<void> => {
    const cut = [...refused.values()].find(([one]) => one?.code === "apply.interrupted");
    if (cut) refused.set(key, cut);
    else await work().catch((failure: unknown) => refused.set(key, diagnosticsOf(failure)));
  };
  const [ids, times] = [elementsOf(planned?.ids), asObject(planned?.updated_at)];
  const written = new Set(Object.keys(ids).filter((key) => times === undefined || isUnknown(times[key])));
  const isNew = recorded === undefined;
  const before = planned
    ? await variablesBefore(session, { prior, planned }, { rows, refused }, written)
    : undefined;
  for (const [key, row] of rows)
    if (!(key in ids))
      await attempt(key, async () => {
        await deleteResource(at, variableIn(prior ?? {}, key, row));
        rows.delete(key);
      });
  const workspace = prior?.ids === null ? session.workspaceId : undefined;
  const values = { planned: planned ?? {}, config, kept: { ...noPrivateData, workspace } };
  const isHeld = isNew && refused.size > 0;
  for (const key of Object.keys(ids).filter((one) => !isHeld && !refused.has(one))) {
    const row = rowIn(planned ?? {}, key);
    if (!written.has(key)) rows.set(key, row);
    else
      await attempt(key, async () =>
        rows.set(key, { ...row, ...(await setVariable({ ...at, ...values }, key, before?.get(key))) }),
      );
  }
  const state = stateAfter({ prior, planned, nonce }, { rows, refused, isNew });
  const errors = refusals(refused, config);
  // Reads need not be as new as a write that never was.
  const isWritten = state === null || prior === undefined || !isSameValue(state, prior);
  return {
    state,
    kept: isWritten ? { ...noPrivateData, ...writtenNow(session, undefined) } : kept,
    diagnostics: [
      ...(isNew && state ? withoutTaint(errors) : errors),
      ...again.map((key) => generatedAgain(entryType, key)),
    ],
  };
}

/**
 * Returns the variables that are updated, as they are now: a read that found one changed does not keep its name. A key that
 * is to be created and exists is refused; a new map sends nothing then.
 */
async function variablesBefore(
  session: Session,
  { prior, planned }: { readonly prior: TerraformObject | undefined; readonly planned: TerraformObject },
  { rows, refused }: Progress,
  written: ReadonlySet<string>,
): Promise<ReadonlyMap<string, TerraformObject>> {
  if (written.size === 0) return new Map();
  const parentId = textIn(planned, "service_id") ?? "";
  const { reads } = recentSession(session);
  if (prior === undefined) await requireThere({ reads }, service, parentId, "service_id");
  const listed = (await reads.variables(parentId)) ?? [];
  const ids = elementsOf(planned.ids);
  const found = listed.map(({ key }) => key).filter((key) => written.has(key) && isUnknown(ids[key]));
  for (const key of found.sort()) refused.set(key, [await keyInUse(reads, parentId, prior === undefined)]);
  const byId = new Map(listed.map((one) => [one.id, one]));
  const before = new Map<string, TerraformObject>();
  for (const key of written) {
    const id = textIn(ids, key);
    if (id === undefined) continue;
    const row = rows.get(key) ?? { ids: id };
    // Until it is written, a variable that is taken over counts as changed outside.
    rows.set(key, row);
    const { key: name = key, updatedAt = null } = byId.get(id) ?? {};
    const named = { service_id: parentId, key: name, updated_at: row.updated_at ?? updatedAt };
    before.set(key, { ...recordedIn(prior ?? {}, key, row), ...named });
  }
  return before;
}

async function setVariable(change: Omit<Writing, "wanted">, key: string, before?: TerraformObject) {
  const { type, planned: whole, config } = change;
  const planned = { ...variableIn(whole, key), updated_at: unknown };
  const wanted = type.withUnplanned(planned, variableIn(config, key));
  const write = { ...change, planned, wanted, config: planned };
  if (before !== undefined) {
    const { state } = await updateResource(write, before);
    return { ids: before.id, updated_at: state?.updated_at ?? "" };
  }
  const attributes = type.appliableIn(wanted);
  const parentId = type.parentIn(attributes);
  const input = { address: type.addressOf(key), name: key, attributes, parentId };
  const { id, live } = await createOnce({ ...write, input });
  return { ids: id, updated_at: live?.updatedAt ?? "" };
}

function stateAfter(
  { prior, planned, nonce }: Pick<AskedChange, "prior" | "planned" | "nonce">,
  { rows, refused, isNew }: Progress & { readonly isNew: boolean },
): TerraformObject | null {
  const whole = planned ?? prior;
  const isPart = refused.size > 0;
  const isNothing = isPart ? prior === undefined && rows.size === 0 : planned === undefined;
  if (whole === undefined || isNothing) return null;
  const { service_id: id = null, ids, values_wo_version: version = null } = whole;
  // All of a version is sent again where a part of it failed.
  const sent = isPart && !isNew ? (prior?.values_wo_version ?? null) : version;
  const revision = revisionAfter(whole, nonce);
  const state = withRows({ ...whole, id, values_wo_version: sent, [revisionName]: revision }, rows);
  if (!isPart || !isNew) return state;
  const missing = Object.fromEntries(Object.keys(elementsOf(ids)).map((key) => [key, null]));
  const { values = null, [generatedName]: generate = null } = whole;
  const asPlanned = { values, [generatedName]: generate, ids: { ...missing, ...elementsOf(state.ids) } };
  return { ...state, ...asPlanned, [revisionName]: incomplete };
}

/** Returns the errors about the keys that were refused, one for each reason, at `generate` where that declares the first. */
function refusals(refused: Progress["refused"], config: TerraformObject): readonly Diagnostic[] {
  const byReason = new Map<string, { readonly keys: readonly string[]; readonly found: Diagnostic }>();
  for (const [key, reasons] of refused)
    for (const found of reasons) {
      const { keys = [] } = byReason.get(found.summary) ?? {};
      byReason.set(found.summary, { keys: [...keys, key], found });
    }
  return [...byReason.values()].map(({ keys, found }) => ({
    ...found,
    summary: `${shortList(keys, 20)}: ${found.summary}`,
    attribute: (keys[0] ?? "") in elementsOf(config[generatedName]) ? generatedName : undefined,
  }));
}
