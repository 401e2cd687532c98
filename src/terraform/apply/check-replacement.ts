import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { isPreserved } from "../../model/resource-type";
import { snakeCase } from "../../model/text";
import { type Plain, type ResolvedValue, Unknown } from "../../model/value";
import { addressOfId } from "../confirm-deleted";
import type { PlannedReplacement } from "../messages";
import { newResourceFindings } from "../plan/plan-findings";
import { findPreserved, notThere } from "../preserved";
import type { Session } from "../provider";
import { addressIn, declaredWithSecrets, knownIn, nameIn, parentIn, textIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import { anotherNamed, lookWhileDeleting, twinsIn } from "./twins";

/** Returns what a plan that makes a resource remembers of it: a deletion that comes first checks it once more. */
export function replacementOf(type: TerraformShape, config: TerraformObject): PlannedReplacement {
  const declared: Record<string, Plain> = {};
  const unknown: string[] = [];
  const known = knownIn(type, config);
  for (const path of declaredWithSecrets(type, config).keys()) {
    const value = known.get(path);
    if (value === undefined) unknown.push(path);
    else declared[path] = value;
  }
  return { declared, unknown, ...(config.adopt === true && { adopts: true as const }) };
}

/** Returns the attributes without which nobody can say whether a replacement can be made; of what is deleted for itself. */
export const uncheckable = (
  { resource }: TerraformShape,
  { unknown }: PlannedReplacement,
): readonly string[] =>
  resource.removal === "delete" && !resource.removedWithParent
    ? unknown.filter((path) => path === resource.nameAttribute || resource.rules[path]?.offered === true)
    : [];

/** A replacement of what cannot be checked while its values are not known: its deletion waits until they are. */
export const waitingFindings = (
  type: TerraformShape,
  replacement: PlannedReplacement,
): readonly Diagnostic[] =>
  uncheckable(type, replacement).map((attribute) =>
    warning("plan.data_deferred", `${type.stepsOf(attribute)?.join(".")} is not known before apply`, {
      attribute,
      detail:
        "The replacement cannot be checked before what it replaces is deleted: the apply stops before that, unless " +
        "create_before_destroy is set.",
      hint: "apply what it depends on first, with -target",
    }),
  );

/**
 * Returns why a resource must not be deleted yet: what would take its place cannot be made, or nobody knows. Nothing
 * where that is there already (`create_before_destroy`).
 */
export async function replacementFindings(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  replacement: PlannedReplacement,
): Promise<readonly Diagnostic[]> {
  const id = textIn(prior, "id") ?? "";
  const { nameAttribute = "" } = type.resource;
  const { [nameAttribute]: name } = replacement.declared;
  if (type.resource.removal !== "delete" || isMade(session, type, id, name)) return [];
  const declared = new Map<string, ResolvedValue>(Object.entries(replacement.declared));
  for (const path of replacement.unknown) declared.set(path, new Unknown([]));
  const found = [
    ...uncheckable(type, replacement).map((attribute) =>
      error("plan.data_deferred", `${snakeCase(attribute)} is not known before apply`, {
        attribute,
        detail: "Nobody can say yet whether the replacement can be made.",
        hint: "apply what it depends on first, with -target, or set create_before_destroy",
      }),
    ),
    ...(await newResourceFindings(session, type, declared, await session.before.catalog())),
    ...(await nameFindings(session, type, declared, { id, adopts: replacement.adopts === true })),
  ];
  return found
    .filter(({ severity }) => severity === "error")
    .map((one) => ({
      ...one,
      summary: `the ${type.resource.type} "${nameIn(type, prior)}" is not deleted, its replacement cannot be made: ${one.summary}`,
    }));
}

/** Whether this process has made the replacement, told by its name as far as that is known. */
const isMade = (
  { made }: Session,
  { resource }: TerraformShape,
  id: string,
  name: Plain | undefined,
): boolean =>
  [...made].some(
    ([key, live]) =>
      key.startsWith(addressOfId(resource, "")) &&
      key !== addressOfId(resource, id) &&
      (name === undefined || live === undefined || live.name === name),
  );

async function nameFindings(
  session: Session,
  type: TerraformShape,
  declared: ReadonlyMap<string, ResolvedValue>,
  { id, adopts }: { readonly id: string; readonly adopts: boolean },
): Promise<readonly Diagnostic[]> {
  const { resource } = type;
  const { nameAttribute = "" } = resource;
  const name = declared.get(nameAttribute);
  const isPlaced = !resource.parents.some(({ attribute }) => declared.get(attribute) instanceof Unknown);
  if (typeof name !== "string" || !isPlaced) return [];
  const parentId = parentIn(type, declared);
  if (isPreserved(resource, declared)) {
    const input = { address: addressIn(type, name), name };
    const found = await findPreserved(session, type, input, parentId ?? "");
    return found === undefined ? [notThere(type, name)] : [];
  }
  const create = { type: resource, input: { name }, parentId };
  const own = addressOfId(resource, id);
  const others = async (reads: Session["reads"]): Promise<readonly LiveResource[]> =>
    (await twinsIn(reads, create)).filter((live) => {
      const key = addressOfId(resource, live.id);
      return key !== own && !session.removed.has(key) && !session.made.has(key);
    });
  if ((await others(session.before)).length === 0) return [];
  const seen = await lookWhileDeleting(session, {
    look: () => others(session.reads),
    isTaken: ({ length }) => length > (adopts ? 1 : 0),
  });
  if (seen.length === 0 || (adopts && seen.length === 1)) return [];
  return [anotherNamed(create, seen)];
}
