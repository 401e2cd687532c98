import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { Secret } from "../../model/secret";
import { unappliedFields } from "../apply-context";
import { createOnce } from "../apply-create";
import { applyDelete } from "../apply-delete";
import { diagnosticsOf } from "../diagnostic-message";
import { noPrivateData } from "../private-data";
import { sendSecret } from "../send-secret";
import type { Session } from "../session";
import { addressIn, emptyValue } from "../values/attributes";
import type { TerraformObject } from "../values/terraform-value";
import { declaredMap, entryType, textsIn } from "./variables-type";

export interface VariablesSides {
  readonly prior: TerraformObject | undefined;
  /** Undefined deletes them all. */
  readonly planned: TerraformObject | undefined;
  readonly config: TerraformObject | undefined;
}

export interface AppliedVariables {
  readonly state: TerraformObject | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** What is there, name by name, while a map is being applied. */
interface Entries {
  readonly ids: Record<string, string>;
  readonly updatedAt: Record<string, string>;
  /** Values as far as they were sent; only those that Terraform keeps. */
  readonly values: Record<string, string>;
}

/** Carries a map out, one variable at a time; what was done stays in the state whatever fails after it. */
export async function applyVariables(session: Session, sides: VariablesSides): Promise<AppliedVariables> {
  const { prior, planned, config } = sides;
  const serviceId = String((planned ?? prior)?.service_id ?? "");
  const entries: Entries = {
    ids: { ...textsIn(prior?.ids) },
    updatedAt: { ...textsIn(prior?.updated_at) },
    values: { ...textsIn(prior?.values) },
  };
  const wanted = config === undefined ? {} : (textsIn(declaredMap(config)) ?? {});
  const diagnostics: Diagnostic[] = [];
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    if (session.signal.aborted && diagnostics.length > 0) return;
    await work().catch((failure: unknown) => {
      for (const one of diagnosticsOf(failure))
        diagnostics.push({ ...one, summary: `${name}: ${one.summary}`, attribute: "values" });
    });
  };
  for (const name of Object.keys(entries.ids))
    if (!(name in wanted)) await attempt(name, () => removeEntry(session, serviceId, name, entries));
  const isResent = prior?.values_wo_version !== planned?.values_wo_version;
  for (const [name, value] of Object.entries(wanted)) {
    const isKept = (config?.values ?? null) !== null;
    const isCurrent = name in entries.ids && (isKept ? entries.values[name] === value : !isResent);
    if (!isCurrent) await attempt(name, () => setEntry(session, { serviceId, name, value }, entries));
    if (isKept && !diagnostics.some(({ summary }) => summary.startsWith(`${name}: `)))
      entries.values[name] = value;
  }
  return { state: stateOf(sides, serviceId, entries, diagnostics.length > 0), diagnostics };
}

function stateOf(
  { planned, prior }: VariablesSides,
  serviceId: string,
  entries: Entries,
  failed: boolean,
): TerraformObject | null {
  if (planned === undefined && !failed) return null;
  if (planned === undefined) return { ...prior, ids: entries.ids, updated_at: entries.updatedAt };
  if (failed && prior === undefined && Object.keys(entries.ids).length === 0) return null;
  const kept = { ...planned, id: serviceId, ids: entries.ids, updated_at: entries.updatedAt };
  if (!failed) return kept;
  return {
    ...kept,
    values: planned.values === null ? null : entries.values,
    values_wo_version: prior?.values_wo_version ?? null,
  };
}

interface Entry {
  readonly serviceId: string;
  readonly name: string;
  readonly value: string;
}

async function setEntry(
  session: Session,
  { serviceId, name, value }: Entry,
  entries: Entries,
): Promise<void> {
  const { resource } = entryType;
  const address = addressIn(entryType, name);
  const attributes = new Map<string, string | Secret>([
    ["serviceId", serviceId],
    ["key", name],
    ["value", new Secret(value)],
  ]);
  const id = entries.ids[name];
  if (id === undefined) {
    const input = { address, name, attributes };
    const create = {
      type: resource,
      input,
      parentId: serviceId,
      defaults: new Map(),
      seed: "create\0variable",
    };
    const made = await createOnce(session, create);
    record(name, made.id, made.live, entries);
    return;
  }
  const before = entries.updatedAt[name];
  const seed = ["update", "variable", id, before ?? ""].join("\0");
  const changed = new Set(["value"]);
  const sent = new Map([["value", attributes.get("value") ?? null]]);
  const write = { type: resource, name, parentId: serviceId, sent, before, seed };
  const set = await sendSecret(session, write, (writes) =>
    resource.update(writes, { address, name, attributes, id, changed }),
  );
  const refused = unappliedFields(entryType, sent, set.live, new Map(), error, before);
  if (refused.length > 0) throw new DiagnosticsError(refused);
  record(name, id, set.live, entries);
}

function record(name: string, id: string, live: LiveResource | undefined, entries: Entries): void {
  entries.ids[name] = id;
  if (live?.updatedAt !== undefined) entries.updatedAt[name] = live.updatedAt;
}

async function removeEntry(
  session: Session,
  serviceId: string,
  name: string,
  entries: Entries,
): Promise<void> {
  const state = { ...emptyValue(entryType), id: entries.ids[name] ?? null, key: name, service_id: serviceId };
  const removed = await applyDelete(session, entryType, state, noPrivateData);
  if (removed.state !== null) throw new Error(removed.diagnostics[0]?.summary ?? `${name} was not deleted`);
  delete entries.ids[name];
  delete entries.updatedAt[name];
  delete entries.values[name];
}
