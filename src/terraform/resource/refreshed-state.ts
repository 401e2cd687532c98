import type { LiveResource } from "../../model/live";
import { generatedName } from "../../model/text";
import { type Attributes, plainEqual } from "../../model/value";
import type { PrivateData } from "../private-data";
import type { Session } from "../provider";
import { type Draft, draftOf, setComputed, setValue, shownAs, textIn, valueAt } from "../schema/attributes";
import type { AttributeBinding, TerraformShape } from "../schema/terraform-shape";
import { isSameValue, type TerraformObject, type TerraformValue, toPlain } from "../values/terraform-value";
import { defaultsOf } from "./record";

/**
 * Returns the state after a refresh, `state` itself where nothing differs. What is declared or was imported shows the
 * live value; the rest stays unset, so that what is not managed never shows in a plan.
 */
export async function refreshed(
  session: Session,
  type: TerraformShape,
  state: TerraformObject,
  live: LiveResource,
  kept: PrivateData,
): Promise<TerraformObject> {
  const defaults = defaultsOf(type, await session.reads.catalog());
  const applied = kept.applied ?? {};
  const next = draftOf(type, state);
  for (const binding of type.declared) {
    if (type.resource.rules[binding.path]?.change === "local") continue;
    const before = valueAt(state, binding.steps);
    const isShown = before !== null || kept.applied === undefined || binding.path in applied;
    if (!isShown && !binding.required && !isOursAndChanged(type, binding, live, defaults)) continue;
    setValue(next, binding.steps, shownValue(type, binding, before, { live, defaults }));
  }
  markSecretDrift(type, next, state, live);
  setComputed(type, next, live);
  return isSameValue(next, state) ? state : next;
}

/** Whether a field is managed though nobody writes it, and is not at its default: the next plan sets it back. */
function isOursAndChanged(
  { resource }: TerraformShape,
  { path }: AttributeBinding,
  live: LiveResource,
  defaults: Attributes,
): boolean {
  const value = live.attributes.get(path);
  return resource.rules[path]?.alwaysManaged === true && value !== undefined && value !== defaults.get(path);
}

/** Returns the live value; the stored one where the service makes no difference between the two. */
function shownValue(
  { resource }: TerraformShape,
  binding: AttributeBinding,
  before: TerraformValue,
  { live, defaults }: { readonly live: LiveResource; readonly defaults: Attributes },
): TerraformValue {
  const { path } = binding;
  const isParent = resource.parents.some(({ attribute }) => attribute === path);
  const value = live.attributes.get(path) ?? (isParent ? live.parentId : defaults.get(path));
  if (value === undefined || value === null) return null;
  const equal = resource.rules[path]?.equal ?? plainEqual;
  return before !== null && equal(toPlain(before), value) ? before : shownAs(binding, value);
}

/** A secret that was changed outside cannot be seen, only that it was: then it is sent again. */
function markSecretDrift(
  type: TerraformShape,
  next: Draft,
  state: TerraformObject,
  live: LiveResource,
): void {
  const before = Date.parse(textIn(state, "updated_at") ?? "");
  const isNewer = live.updatedAt !== undefined && Date.parse(live.updatedAt) > before;
  if (!isNewer) return;
  for (const { name, versionName } of type.secrets) {
    next[name] = null;
    next[versionName] = null;
    next[generatedName] = null;
  }
}
