import type { Resource } from "../../api/reads";
import { lookAgain } from "../../apply/look";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import { isMissing } from "../../model/freshness";
import type { Offers } from "../../model/live";
import type { CheckContext } from "../../model/resource-type";
import { terraformNameOf } from "../../model/text";
import { type ResolvedValue, Unknown } from "../../model/value";
import { typeNamed } from "../../resources";
import { addressOfId, readById } from "../confirm-deleted";
import type { Session } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";

/** A resource that is to be made, as far as it is known. */
export type DeclaredResource = ReadonlyMap<string, ResolvedValue>;

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

interface FoundParent {
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
): Promise<FoundParent> {
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
): Promise<FoundParent> {
  const key = addressOfId(type, id);
  // What this process made is there, whatever its reads show.
  if (session.made.has(key)) return { offers: session.made.get(key)?.offers };
  const before = await readById(session.before, type, id);
  if (before.kind === "found") return { offers: before.live.offers };
  if (before.kind === "unchecked") return {};
  const { seen } = await lookAgain(session, () => readById(session.reads, type, id), isMissing, graceMs);
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
