import type { Resource } from "../../api/reads";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import type { Offers } from "../../model/live";
import { isMissing } from "../../model/live";
import { type CheckContext, isUnlisted } from "../../model/resource-type";
import { canonicalId, generatedName, protectionAttribute, terraformNameOf } from "../../model/text";
import { type ResolvedValue, Unknown } from "../../model/value";
import { typeNamed } from "../../resources";
import { addressOfId, readById } from "../confirm-deleted";
import { isMadeElsewhere } from "../preserved";
import type { Session } from "../provider";
import { followsChanges } from "../reactions/known-changes";
import { declaredWithSecrets, knownIn, nameIn, parentIn, valueAt } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import type { ChangeInput, PlannedChange } from "./plan-change";

/** Returns what the service would refuse: errors about a create and about what a change sends, warnings about the rest. */
export async function offerFindings(
  session: Session,
  type: TerraformShape,
  { prior, config }: Pick<ChangeInput, "prior" | "config">,
  change: PlannedChange,
): Promise<readonly Diagnostic[]> {
  if (!change.acts) return [];
  const catalog = await session.reads.catalog();
  const declared = declaredWithSecrets(type, config);
  // A secret that the state does not know any more, and whose changes are ignored, has a value at the service.
  const ignored = (isMadeElsewhere(type, config) ? [] : type.secrets).filter(
    ({ path, name, versionName }) =>
      ![name, versionName, generatedName].some((one) => (prior?.[one] ?? null) !== null) &&
      !declared.has(path),
  );
  if (prior !== undefined && change.replaced.length > 0 && ignored.length > 0)
    return ignored.map(({ name }) => unknownValue(nameIn(type, prior), name));
  if (prior === undefined || change.replaced.length > 0)
    return newResourceFindings(session, type, declared, catalog);
  for (const { path } of ignored) declared.set(path, new Unknown([]));
  const found = type.resource.check?.(declared, catalog) ?? [];
  return found.map(({ code, summary, hint, attribute }) => {
    const isSent = attribute === undefined || change.sent.has(attribute);
    const severity = isSent ? error : warning;
    return severity(code, summary, { hint, attribute });
  });
}

/** Of a value that somebody changed at the service, whose changes here are ignored, and that is to be set anew. */
export const unknownValue = (key: string, attribute: string): Diagnostic =>
  error("plan.invalid_combination", `the value of ${key} is not known here, and cannot be set anew`, {
    attribute,
    detail:
      "It was changed outside of Terraform, and ignore_changes keeps the value of the configuration from it.",
    hint: `take ${attribute} out of ignore_changes for this plan`,
  });

/**
 * Returns the errors of an apply about a replacement that its plan did not know of: Terraform refuses it too, in words
 * that call it a mistake of the provider.
 */
export function lateReplacement(
  type: TerraformShape,
  prior: TerraformObject,
  { replaced, planned }: PlannedChange,
): readonly Diagnostic[] {
  const { resource } = type;
  if (resource.removedWithParent) return [];
  return replaced.map((attribute) => {
    const value = valueAt(planned, type.stepsOf(attribute) ?? []);
    return error("plan.stale", `the ${resource.type} "${nameIn(type, prior)}" would have to be replaced`, {
      attribute,
      detail:
        `${type.stepsOf(attribute)?.join(".")} is ${JSON.stringify(value)}, which cannot be changed in place. ` +
        "An apply whose plan did not know this value stops here: nothing is deleted that no plan has shown.",
      hint: "run it again: the new plan shows the replacement",
    });
  });
}

/** A resource that is to be made, as far as it is known. */
type DeclaredResource = ReadonlyMap<string, ResolvedValue>;

/** Returns the findings against a create: of its parent, of the parent's choices, of the catalog. */
export async function newResourceFindings(
  session: Session,
  { resource }: TerraformShape,
  declared: DeclaredResource,
  catalog: Catalog,
): Promise<readonly Diagnostic[]> {
  const parent = await parentOf(session, resource, declared, catalog);
  const context: CheckContext = {
    isNew: true,
    isParentNew: parent.isNew === true,
    ...(parent.offers && { offers: parent.offers }),
  };
  const found = resource.check?.(declared, catalog, context) ?? [];
  return [
    ...(parent.finding ? [parent.finding] : []),
    ...found.map(({ code, summary, hint, attribute, isWarning }) =>
      (isWarning ? warning : error)(code, summary, { hint, attribute }),
    ),
  ];
}

/** Returns the finding against any create in the parent `id`: that it is not there. */
export async function parentFindings(
  session: Session,
  { resource }: TerraformShape,
  id: string,
): Promise<readonly Diagnostic[]> {
  const [parent] = resource.parents;
  const type = parent && typeNamed(parent.type);
  const { finding } = type ? await lookForParent(session, type, id, parent.attribute) : {};
  return finding ? [finding] : [];
}

interface ParentOfNew {
  readonly offers?: Offers;
  /** This plan makes it. */
  readonly isNew?: true;
  readonly finding?: Diagnostic;
}

async function parentOf(
  session: Session,
  resource: Resource,
  declared: DeclaredResource,
  catalog: Catalog,
): Promise<ParentOfNew> {
  for (const { type: name, attribute } of resource.parents) {
    const id = declared.get(attribute);
    const type = typeNamed(name);
    if (type === undefined || id === undefined || id === null) continue;
    if (id instanceof Unknown)
      return session.plansNew.has(name) ? { offers: type.offersWhenNew?.(catalog), isNew: true } : {};
    if (typeof id === "string") return lookForParent(session, type, id, attribute);
  }
  return {};
}

/** Limits how long a parent is looked for again, milliseconds: a young one may not be shown yet. */
const graceMs = 2000;

async function lookForParent(
  session: Session,
  type: Resource,
  id: string,
  attribute: string,
): Promise<ParentOfNew> {
  const key = addressOfId(type, id);
  // What this process made is there, whatever its reads show.
  if (session.made.has(key)) return { offers: session.made.get(key)?.offers };
  const before = await readById(session.before, type, id);
  if (before.kind === "found") return { offers: before.live.offers };
  if (before.kind === "unchecked") return {};
  const look = async () => [await readById(session.reads, type, id)].filter((read) => !isMissing(read));
  const wait = { since: session.clock.elapsed(), forMs: graceMs };
  const [seen = { kind: "gone" } as const] = (await session.reads.untilVisible(look, wait)) ?? [];
  if (seen.kind === "found") return { offers: seen.live.offers };
  if (seen.kind === "unchecked") return {};
  const isEnding = seen.kind === "gone" && seen.ending !== undefined;
  const finding = error(
    "manifest.reference_unknown",
    `the ${type.type} ${id} ${isEnding ? "is being deleted" : "is not there"}`,
    {
      attribute,
      detail: isEnding
        ? "Nothing can be made in it any more."
        : `The service shows no ${type.type} of this id in this workspace.`,
      hint: `refer to the ${type.type} itself: ${terraformNameOf(type)}.NAME.id, or data.${terraformNameOf(type)}.NAME.id`,
    },
  );
  return { finding };
}

/** Returns the error of a run in what is archived, and stays so: the service takes none. */
export async function archivedFindings(
  session: Session,
  type: TerraformShape,
  { planned, acts }: PlannedChange,
): Promise<readonly Diagnostic[]> {
  const { resource } = type;
  const parent = typeNamed(resource.parents[0]?.type ?? "");
  const id = parentIn(type, knownIn(type, planned));
  if (!acts || !followsChanges(resource) || parent === undefined || id === undefined) return [];
  const inPlan = session.changes.byId.get(canonicalId(id))?.attributes;
  const read = inPlan === undefined ? await readById(session.reads, parent, canonicalId(id)) : undefined;
  const attributes = inPlan ?? (read?.kind === "found" ? read.live.attributes : new Map());
  if (!isUnlisted(parent, attributes)) return [];
  const { type: what, archives } = parent;
  return [
    error(
      "plan.not_deployed",
      `the ${what} of this ${type.name} is archived, and takes no ${resource.type}`,
      {
        attribute: resource.parents[0]?.attribute,
        hint: `set ${archives?.attribute} = false on the ${what}, or take this ${type.name} out of the configuration`,
      },
    ),
  ];
}

/**
 * Returns what `deletion_protection` says against a deletion: that of the resource, in its state or its configuration,
 * and that of the provider block. Only of what is deleted for itself: a variable goes with its service, a deployment is
 * history. A plan says nothing of a provider block that is not known; the apply asks again.
 */
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
  const summary = `this plan would ${verb} the ${type.resource.type} "${nameIn(type, prior)}"`;
  return [
    isOwn
      ? error("guard.prevent_destroy", summary, {
          attribute,
          detail: `Its ${attribute} is true.`,
          hint: `set ${attribute} = false and apply that, then plan this again`,
        })
      : error("guard.prevent_destroy", summary, {
          detail: `The provider block sets ${attribute}.`,
          hint: `set ${attribute} = false there for this change`,
        }),
  ];
}
