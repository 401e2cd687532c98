import type { Resource } from "../../api/reads";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import type { Offers } from "../../model/live";
import { isMissing } from "../../model/live";
import type { CheckContext } from "../../model/resource-type";
import { generatedName, protectionAttribute, terraformNameOf } from "../../model/text";
import { type ResolvedValue, Unknown } from "../../model/value";
import { typeNamed } from "../../resources";
import type { Session } from "../provider";
import { declaredWithSecrets, nameIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import { readById } from "./confirm-deleted";
import type { ChangeInput, PlannedChange } from "./plan-change";
import { isMadeElsewhere } from "./preserved";

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
  return found.map(({ code, summary, hint, attribute, isWarning }) => {
    const isSent = attribute === undefined || change.sent.has(attribute);
    const severity = isSent && !isWarning ? error : warning;
    return severity(code, summary, { hint, attribute });
  });
}

/** Of a value that somebody changed at the service, whose changes here are ignored, and that is to be set again. */
export const unknownValue = (key: string, attribute: string): Diagnostic =>
  error("plan.invalid_combination", `the value of ${key} is not known here, and cannot be set again`, {
    attribute,
    detail:
      "It was changed outside of Terraform, and ignore_changes keeps the value of the configuration from it.",
    hint: `take ${attribute} out of ignore_changes for this plan`,
  });

/** A resource that is to be made, as far as it is known. */
type DeclaredResource = ReadonlyMap<string, ResolvedValue>;

/** Returns the findings against a create: of its parent, of the parent's choices, of the catalog. */
export async function newResourceFindings(
  session: Session,
  { resource }: TerraformShape,
  declared: DeclaredResource,
  catalog: Catalog,
): Promise<readonly Diagnostic[]> {
  const parent = await parentOf(session, resource, declared);
  const context: CheckContext = {
    isNew: true,
    isParentNew: false,
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
  readonly offers?: Offers | undefined;
  readonly finding?: Diagnostic;
}

async function parentOf(
  session: Session,
  resource: Resource,
  declared: DeclaredResource,
): Promise<ParentOfNew> {
  for (const { type: name, attribute } of resource.parents) {
    const id = declared.get(attribute);
    const type = typeNamed(name);
    if (type !== undefined && typeof id === "string") return lookForParent(session, type, id, attribute);
  }
  return {};
}

async function lookForParent(
  { reads }: Session,
  type: Resource,
  id: string,
  attribute: string,
): Promise<ParentOfNew> {
  const read = await readById(reads, type, id);
  if (read.kind === "found") return { offers: read.live.offers };
  if (!isMissing(read) && read.kind !== "gone") return {};
  const isEnding = read.kind === "gone" && read.ending !== undefined;
  const summary = `the ${type.type} ${id} ${isEnding ? "is being deleted" : "does not exist"}`;
  const finding = error("manifest.reference_unknown", summary, {
    attribute,
    detail: isEnding
      ? "Nothing can be created in it any more."
      : `The workspace has no ${type.type} with this ID.`,
    hint: `refer to the ${type.type} itself: ${terraformNameOf(type)}.NAME.id, or data.${terraformNameOf(type)}.NAME.id`,
  });
  return { finding };
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
