import type { LiveResource } from "../model/live";
import type { Attributes } from "../model/value";
import { plainEqual } from "../model/value";
import { defaultsOf } from "./plan-change";
import type { PrivateData } from "./private-data";
import type { Binding, ManagedType } from "./schema/managed-type";
import type { Session } from "./session";
import { declaredIn, draftOf, knownOf, setValue, shownAs, valueAt } from "./values/attributes";
import { isSameValue, type TerraformObject, type TerraformValue, toPlain } from "./values/terraform-value";

/**
 * The state after a refresh, the very same object where nothing differs: what is declared or was imported shows the live value, everything else stays unset,
 * so that what is not managed never shows in a plan.
 */
export async function refreshed(
  session: Session,
  type: ManagedType,
  state: TerraformObject,
  live: LiveResource,
  kept: PrivateData,
): Promise<TerraformObject> {
  const defaults = defaultsOf(type, await session.reads.catalog());
  const next = draftOf(type, state);
  for (const binding of type.declared) {
    if (type.resource.rules[binding.path]?.change === "local") continue;
    const before = valueAt(state, binding.steps);
    const isShown = before !== null || kept.imported === true || binding.path in kept.applied;
    if (!isShown && !binding.required && !isOursAndChanged(type, binding, live, defaults)) continue;
    setValue(next, binding.steps, shown(type, binding, before, live, defaults));
  }
  markSecretDrift(type, next, state, live);
  setComputed(type, next, live);
  return isSameValue(next, state) ? state : next;
}

/** Managed though nobody writes it, and not at its default: the next plan sets it back. */
function isOursAndChanged(
  { resource }: ManagedType,
  { path }: Binding,
  live: LiveResource,
  defaults: Attributes,
): boolean {
  const value = live.attributes.get(path);
  return resource.rules[path]?.alwaysManaged === true && value !== undefined && value !== defaults.get(path);
}

/** The live value; the stored one where the service makes no difference between the two. */
function shown(
  type: ManagedType,
  binding: Binding,
  before: TerraformValue,
  live: LiveResource,
  defaults: Attributes,
): TerraformValue {
  const isParent = type.resource.parents.some(({ attribute }) => attribute === binding.path);
  const value = live.attributes.get(binding.path) ?? (isParent ? live.parentId : defaults.get(binding.path));
  if (value === undefined || value === null) return null;
  const equal = type.resource.rules[binding.path]?.equal ?? plainEqual;
  return before !== null && equal(toPlain(before), value) ? before : shownAs(binding, value);
}

export function setComputed(
  type: ManagedType,
  state: Record<string, TerraformValue>,
  live: LiveResource,
): void {
  for (const binding of type.computed)
    setValue(state, binding.steps, shownAs(binding, live.computed.get(binding.path)));
}

/** A secret that was changed outside cannot be seen, only that it was: then it is sent again. */
function markSecretDrift(
  type: ManagedType,
  next: Record<string, TerraformValue>,
  state: TerraformObject,
  live: LiveResource,
): void {
  const before = typeof state.updated_at === "string" ? Date.parse(state.updated_at) : Number.NaN;
  const isNewer = live.updatedAt !== undefined && Date.parse(live.updatedAt) > before;
  if (!isNewer) return;
  for (const { name, versionName } of type.secrets) {
    next[name] = null;
    next[versionName] = null;
  }
}

/** What the service is asked for when a state is read. */
export function declaredOf(type: ManagedType, state: TerraformObject, { applied }: PrivateData) {
  const declared = knownOf(declaredIn(type, state));
  // A state shows what is pinned by nobody, too; looking it up would cost a request for each.
  for (const { rule } of type.computed)
    if (rule.pinnedBy !== undefined && !(rule.pinnedBy in applied)) declared.delete(rule.pinnedBy);
  return declared;
}
