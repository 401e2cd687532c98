import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { remedy } from "../../diagnostics/remedies";
import { isPlacedAs } from "../../model/declared-choice";
import { generatedName, protectionAttribute } from "../../model/terraform-names";
import { Unknown } from "../../model/value";
import { shortList } from "../../model/wording";
import { findResource, resourceTypes } from "../../resources";
import { variable } from "../../resources/variable";
import { type TerraformObject, textIn } from "../codec";
import type { Session } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import { findParent, parentFindings } from "./confirm-deleted";
import { keyInUse } from "./namesakes";
import type { CheckedChange } from "./plan-change";

/** Returns values that the platform would refuse: errors for a create and for sent values, warnings for the rest. */
export async function offerFindings(change: CheckedChange): Promise<readonly Diagnostic[]> {
  const { session, type, prior, config, acts, replaced, sent } = change;
  if (session === undefined || !acts) return [];
  const { resource } = type;
  const catalog = await session.reads.catalog();
  const declared = type.declaredWithSecrets(config);
  const isShown = (name: string): boolean => (prior?.[name] ?? null) !== null;
  // A secret that the state does not know any more, and whose changes are ignored, has a value at the service.
  const ignored = (type.isMadeElsewhere(config) ? [] : type.secrets).filter(
    ({ path, name, versionName }) => ![name, versionName, generatedName].some(isShown) && !declared.has(path),
  );
  const isNew = prior === undefined || replaced.length > 0;
  if (prior !== undefined && isNew && ignored.length > 0)
    return ignored.map(({ name }) => unknownValue(type.nameIn(prior), name));
  const parentId = type.parentIn(declared);
  const isAsked = isNew || parentId !== type.parentIn(type.knownIn(prior));
  const parent = isAsked ? await findParent(session, resource, parentId) : {};
  const offers = parent.live?.offers;
  if (!isNew) for (const { path } of ignored) declared.set(path, new Unknown([]));
  const context = isNew ? { isNew, isParentNew: false, offers } : undefined;
  const found = (resource.check?.(declared, catalog, context) ?? []).map(
    ({ code, summary, hint, attribute, isWarning, ...more }) => {
      const isSent = isNew || attribute === undefined || sent.has(attribute);
      return (isSent && !isWarning ? error : warning)(code, summary, { ...more, hint, attribute });
    },
  );
  const isReplacement = replaced.length > 0 || isSecondPlan(change);
  const isMoved =
    prior !== undefined && resource === variable && parentId !== type.parentIn(type.knownIn(prior));
  if (isMoved && parentId && (await type.find(session.reads, { name: type.nameIn(config), parentId })))
    return [await keyInUse(session.reads, parentId, false)];
  return [...parentFindings(parent, isReplacement ? "error" : "warning"), ...found];
}

/** Returns true for the second plan of a replacement: it has no prior state, and the private data of the first. */
export const isSecondPlan = ({ prior, kept }: CheckedChange): boolean =>
  prior === undefined && kept.workspace !== undefined;

/** Warns of a replaced project that holds services: the platform deletes only empty projects (interface, "Projects"). */
export async function contentFindings(change: CheckedChange): Promise<readonly Diagnostic[]> {
  const { session, type, config } = change;
  const part = resourceTypes.find(
    ({ parents: [parent], removedWithParent }) => parent?.type === type.resource.type && !removedWithParent,
  );
  if (session === undefined || part === undefined || !isSecondPlan(change)) return [];
  const name = type.nameIn(config);
  const live = await type.find(session.reads, { name });
  const listed = live && (await part.list(session.reads));
  const held = listed?.filter(({ parentId }) => parentId === live?.id) ?? [];
  if (held.length === 0) return [];
  const summary = `${type.addressOf(name)} can only be replaced while it is empty`;
  const detail = `It holds ${shortList(held.map((one) => `the ${one.type} "${one.name}"`))}.`;
  return [warning("plan.replacement", summary, { detail, ...remedy("project.contents") })];
}

/** Warns of a resource outside the default place that declares none: no plan moves it. */
export async function placeFindings(change: CheckedChange): Promise<readonly Diagnostic[]> {
  const { session, type, prior, config } = change;
  const { place } = type.resource;
  if (!session || !place || !prior) return [];
  const { attribute } = place;
  const declared = type.declaredIn(config);
  if (declared.has(attribute)) return [];
  const read = await findResource(session.reads, type.resource, { id: textIn(prior, "id") });
  if (read.kind !== "found" || isPlacedAs(type.resource, read.live, declared)) return [];
  const there = JSON.stringify(read.live.place?.chosen.name);
  const about = `${type.addressOf(read.live.name)} is in the ${attribute} ${there}`;
  const detail = "It was moved outside of Terraform, or imported from there. Nothing of it is changed.";
  const hint = `to keep it there, set ${attribute} = ${there}; else move it back in the dashboard`;
  return [warning("live.moved", `${about}, and declares none`, { attribute, detail, hint })];
}

/** Returns the error of a value that is to be set again, and that the configuration does not have, or ignores. */
export const unknownValue = (key: string, attribute: string): Diagnostic =>
  error("plan.invalid_combination", `the value of ${key} is not known here, and cannot be set again`, {
    attribute,
    detail:
      "It was set outside of Terraform, and the configuration has no value for it, or ignore_changes withholds that.",
    hint: `give it a value, or take ${attribute} out of ignore_changes for this plan`,
  });

/** Returns an error if `deletion_protection` of the resource or of the provider block forbids its deletion. */
export function checkProtection(
  session: Session | undefined,
  type: TerraformShape,
  [prior, ...others]: readonly [TerraformObject, ...TerraformObject[]],
  verb: "delete" | "replace",
): readonly Diagnostic[] {
  if (!type.isProtectable) return [];
  const attribute = protectionAttribute;
  const isOwn = [prior, ...others].some((one) => one[attribute] === true);
  if (!isOwn && session?.deletionProtection !== true) return [];
  const summary = `this plan would ${verb} the ${type.resource.type} "${type.nameIn(prior)}"`;
  const [detail, hint] = isOwn
    ? [`Its ${attribute} is true.`, `set ${attribute} = false and apply that, then plan this again`]
    : [`The provider block sets ${attribute}.`, `set ${attribute} = false there for this change`];
  return [
    error("guard.prevent_destroy", summary, { attribute: isOwn ? attribute : undefined, detail, hint }),
  ];
}
