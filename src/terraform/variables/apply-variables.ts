import { type Diagnostic, failure, hasErrors } from "../../diagnostics/diagnostic";
import type { AppliableValue } from "../../model/resource-operations";
import { Secret } from "../../model/secret";
import { generatedName, shortList } from "../../model/text";
import { service } from "../../resources/service";
import { diagnosticsOf } from "../messages";
import { noPrivateData, writtenNow } from "../private-data";
import { mostAgeMs, type Session } from "../provider";
import type { AskedChange } from "../resource/apply-resource-change";
import { leavesDeletedParent, requireThere } from "../resource/confirm-deleted";
import { createOnce } from "../resource/create-resource";
import { deleteResource } from "../resource/delete-resource";
import { type Applied, withRevision } from "../resource/finish-write";
import { importBlock } from "../resource/namesakes";
import { generatedAgain, updateResource } from "../resource/update-resource";
import { emptyValue, madeUp } from "../schema/block";
import { variablesSchema } from "../schema/variables-schema";
import {
  asObject,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  textIn,
  unknown,
} from "../values";
import { elementsOf, entriesIn, entryType, type MapMember, type MapMembers, withEntries } from "./variables";

/** Carries a map out, one variable at a time; what was done stays in the state whatever fails after it. */
export async function applyVariables(
  session: Session,
  { prior: recorded, planned, config, kept, nonce }: AskedChange,
): Promise<Applied> {
  const at = { session, type: entryType };
  const isMoved = recorded && planned && (await leavesDeletedParent(at, recorded, planned));
  const prior = isMoved ? undefined : recorded;
  const whole = planned ?? prior ?? {};
  const serviceId = String(whole.service_id ?? "");
  const entries = entriesIn(prior);
  const imported = [...entriesIn(planned)].filter(([key]) => isKept(key, planned) && !entries.has(key));
  for (const [key, entry] of imported) entries.set(key, entry);
  const wanted = new Map(Object.entries(elementsOf(planned?.ids)));
  await requireFree(session, serviceId, wanted, prior === undefined);
  const diagnostics: Diagnostic[] = [];
  const attempt = async (key: string, work: () => Promise<void>): Promise<void> => {
    if (session.signal.aborted && diagnostics.length > 0) return;
    await work().catch((failure: unknown) => {
      for (const one of diagnosticsOf(failure))
        diagnostics.push({ ...one, summary: `${key}: ${one.summary}`, attribute: declaring(config, key) });
    });
  };
  for (const [key, { id }] of entries)
    if (!wanted.has(key))
      await attempt(key, async () => {
        const { timeouts = null } = whole;
        const variable = { ...emptyValue(entryType), id, key, service_id: serviceId, timeouts };
        await deleteResource({ session, type: entryType, prior: variable, nonce });
        entries.delete(key);
      });
  for (const [key, id] of wanted) {
    const value = textFor(key, planned, config);
    if (value === undefined || isKept(key, planned)) continue;
    await attempt(key, async () => {
      const entry = typeof id === "string" ? { id, ...entries.get(key) } : undefined;
      const write = { session, serviceId, key, ...value, entry, nonce };
      entries.set(key, { ...(await setVariable(write)), source: value.source });
    });
  }
  const again = isMoved ? Object.keys(elementsOf(planned[generatedName])) : [];
  const state = stateWith(entries, { prior, planned, nonce }, hasErrors(diagnostics));
  // Reads need not be as new as a write that never was.
  const isWritten = state === null || prior === undefined || !isSameValue(state, prior);
  return {
    state,
    kept: isWritten ? { ...noPrivateData, ...writtenNow(session, undefined) } : kept,
    diagnostics: [...diagnostics, ...again.map((key) => generatedAgain(entryType, key))],
  };
}

function stateWith(
  entries: MapMembers,
  { prior, planned, nonce }: Pick<AskedChange, "prior" | "planned" | "nonce">,
  failed: boolean,
): TerraformObject | null {
  if (planned === undefined) return failed && prior ? withEntries(prior, entries) : null;
  if (failed && prior === undefined && entries.size === 0) return null;
  const whole = { ...planned, id: planned.service_id ?? null };
  if (planned.ids === null) return whole;
  // All of a version is sent again where a part of it failed.
  const version = (failed ? prior : planned)?.values_wo_version ?? null;
  const state = withEntries({ ...whole, values_wo_version: version }, entries);
  return withRevision(planned, state, nonce);
}

/** Throws `DiagnosticsError` where a variable that is to be created exists: nothing is sent then. */
async function requireFree(
  { reads }: Session,
  serviceId: string,
  wanted: ReadonlyMap<string, TerraformValue>,
  isNew: boolean,
): Promise<void> {
  const added = [...wanted].filter(([, id]) => isUnknown(id)).map(([key]) => key);
  if (added.length === 0) return;
  reads.invalidate(mostAgeMs);
  if (isNew) await requireThere({ reads }, service, serviceId, "service_id");
  const listed = new Set((await reads.variables(serviceId))?.map(({ key }) => key));
  const taken = added.filter((key) => listed.has(key)).sort();
  if (taken.length === 0) return;
  throw failure("live.unmanaged_exists", `service ${serviceId} has ${shortList(taken, 20)} already`, {
    attribute: "values",
    detail: isNew
      ? `To manage what is declared here, add this import block:\n\n${importBlock(variablesSchema.name, serviceId)}`
      : "Another state, the dashboard or another resource of this configuration created it.",
    hint: isNew
      ? "or leave it out"
      : "leave it out, delete it there, or take this resource out of the state and import it again",
  });
}

/** Returns the attribute that declares a variable; `values` of one that none declares any more. */
const declaring = (config: TerraformObject | undefined, key: string): string =>
  [generatedName, "values_wo"].find((name) => key in elementsOf(config?.[name])) ?? "values";

/** Returns the text to send for a key, as planned, configured or generated now, and its source. */
function textFor(
  key: string,
  planned: TerraformObject | undefined,
  config: TerraformObject | undefined,
): { readonly text: string; readonly source: TerraformValue } | undefined {
  const made = elementsOf(planned?.[generatedName])[key] ?? null;
  const generated = madeUp(made);
  if (generated !== null) return { text: generated, source: made };
  const text = elementsOf(planned?.values)[key];
  if (typeof text === "string") return { text, source: text };
  const secret = elementsOf(config?.values_wo)[key];
  return typeof secret === "string"
    ? { text: secret, source: planned?.values_wo_version ?? null }
    : undefined;
}

const isKept = (key: string, planned: TerraformObject | undefined): boolean => {
  const times = asObject(planned?.updated_at);
  return times !== undefined && !isUnknown(times[key] ?? null);
};

interface VariableWrite {
  readonly session: Session;
  readonly serviceId: string;
  readonly key: string;
  readonly text: string;
  readonly source: TerraformValue;
  /** The variable that is written; undefined for a new one. */
  readonly entry: (Partial<MapMember> & Pick<MapMember, "id">) | undefined;
  readonly nonce: string;
}

async function setVariable(write: VariableWrite): Promise<Pick<MapMember, "id" | "updatedAt">> {
  const { session, serviceId, key, text, source, entry, nonce } = write;
  const { reads } = session;
  const type = entryType;
  if (entry === undefined) {
    const attributes = new Map<string, AppliableValue>([
      ["serviceId", serviceId],
      ["key", key],
      ["value", new Secret(text)],
    ]);
    const input = { address: type.addressOf(key), name: key, attributes };
    const creation = { session, type, input, parentId: serviceId, nonce };
    const { id, live } = await createOnce(creation);
    return { id, updatedAt: live?.updatedAt ?? "" };
  }
  const { id } = entry;
  // A variable that a read found changed outside may have another key by now.
  const isTouched = entry.updatedAt === undefined || (entry.source ?? null) === null;
  const shown = isTouched ? (await reads.variables(serviceId))?.find((one) => one.id === id) : undefined;
  const before = { key: shown?.key ?? key, updated_at: entry.updatedAt ?? shown?.updatedAt ?? null };
  const prior = { ...emptyValue(type), id, service_id: serviceId, ...before };
  // A generated value is not written for another name.
  const isRenamed = asObject(source) !== undefined && isSameValue(entry.source ?? null, source);
  const planned = { ...prior, key, value: isRenamed ? null : text, updated_at: unknown };
  // One that an imported map takes over may have the value already.
  const isTakenOver = entry.updatedAt === undefined && entry.source === undefined;
  const kept = isTakenOver ? { ...noPrivateData, workspace: session.workspaceId } : noPrivateData;
  const values = { planned, wanted: planned, config: planned, kept, nonce };
  const { state } = await updateResource({ session, type, ...values }, prior);
  return { id, updatedAt: textIn(state ?? {}, "updated_at") ?? "" };
}
