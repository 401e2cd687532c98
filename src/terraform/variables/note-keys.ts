import type { Diagnostic } from "../../diagnostics/diagnostic";
import { diagnosticMessage } from "../messages";
import type { Message } from "../protocol";
import type { Session } from "../provider";
import { insideOf, type KnownChange } from "../reactions/known-changes";
import { noteAndTell } from "../reactions/note-changes";
import { addressIn, textIn } from "../schema/attributes";
import { asObject, type TerraformObject } from "../values/terraform-value";
import type { VariablesPlan } from "./plan-variables";
import { entryType, textsIn, variablesSchema } from "./variables";

interface NotedKey extends Pick<KnownChange, "id" | "changes" | "isRemoved" | "stage" | "changedAt"> {
  readonly key: string;
}

/** Remembers entries of a map for what reacts to them. Returns what is said of each. */
export function noteKeys(
  session: Session,
  { service_id: serviceId = null }: TerraformObject,
  keys: readonly NotedKey[],
  owner: string | undefined,
): readonly Message<"Diagnostic">[] {
  const parentId = typeof serviceId === "string" ? serviceId : undefined;
  return keys.flatMap(({ key, ...noted }) =>
    noteAndTell(session, parentId, {
      ...{ address: addressIn(entryType, key), managedBy: variablesSchema.name },
      ...(owner !== undefined && { owner }),
      ...noted,
    }).map((one) => atKey(one, key)),
  );
}

const atKey = (found: Diagnostic, key: string): Message<"Diagnostic"> => ({
  ...diagnosticMessage(found, undefined),
  attribute: { steps: [{ attributeName: "values" }, { elementKeyString: key }] },
});

/** Returns the entries of a map that is deleted. */
export const removedKeys = (prior: TerraformObject, isKept = (_key: string) => false): readonly NotedKey[] =>
  Object.entries(textsIn(prior.ids)).flatMap(([key, id]) =>
    isKept(key) ? [] : [{ ...{ key, id, changes: true, isRemoved: true }, stage: "planned" as const }],
  );

/** Remembers the entries of a planned map. */
export function notePlannedKeys(
  session: Session,
  prior: TerraformObject | undefined,
  { planned, touched, replaces }: VariablesPlan,
  owner: string,
): readonly Message<"Diagnostic">[] {
  const ids = asObject(planned.ids) ?? textsIn(prior?.ids);
  const times = textsIn(planned.updated_at);
  const { count } = session.changes;
  const removed = prior === undefined ? [] : removedKeys(prior, (key) => !replaces && key in ids);
  const found = prior === undefined ? [] : noteKeys(session, prior, removed, owner);
  if (removed.length > 0 || asObject(planned.ids) === undefined) count.isUncertain = true;
  if (touched.length > 0 && !replaces) count.changes += 1;
  const entries = Object.entries(ids).map(([key, id]) => ({
    ...{ key, changes: touched.includes(key), isRemoved: false, stage: "planned" as const },
    ...(typeof id === "string" && { id }),
    ...(times[key] && { changedAt: times[key] }),
  }));
  return [...found, ...noteKeys(session, planned, entries, owner)];
}

interface AppliedMap {
  readonly prior: TerraformObject | undefined;
  readonly planned: TerraformObject | undefined;
  readonly state: TerraformObject | null;
  readonly owner: string | undefined;
}

/** Remembers what became of the entries of a map: those that a failure names failed. */
export function noteAppliedKeys(
  session: Session,
  { prior, planned, state, owner }: AppliedMap,
  diagnostics: readonly Diagnostic[],
): void {
  const whole = planned ?? prior ?? {};
  const inside = insideOf(session.changes, textIn(whole, "service_id") ?? "");
  const ids = textsIn(state?.ids);
  const times = textsIn(state?.updated_at);
  const keys = new Set([...Object.keys(textsIn(prior?.ids)), ...Object.keys(asObject(planned?.ids) ?? {})]);
  const applied = [...keys].map((key) => {
    const isMissing = key in (asObject(planned?.ids) ?? {}) && !(key in ids);
    const failed = isMissing || diagnostics.some(({ summary }) => summary.startsWith(`${key}: `));
    return {
      ...{ key, changes: inside.get(addressIn(entryType, key))?.changes ?? true, isRemoved: !(key in ids) },
      stage: failed ? ("failed" as const) : ("applied" as const),
      ...(ids[key] !== undefined && { id: ids[key] }),
      ...(times[key] && { changedAt: times[key] }),
    };
  });
  noteKeys(session, whole, applied, owner);
}
