import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { protectionAttribute } from "../../model/text";
import { Unknown } from "../../model/value";
import {
  anotherNamed,
  cannotTakeOver,
  intentSubjectOf,
  judgeTwins,
  type NamedCreate,
  nameTaken,
  sameTwice,
  type Taken,
  takenNote,
  twinsIn,
} from "../apply/twins";
import { addressOfId } from "../confirm-deleted";
import { noPrivateData } from "../messages";
import { isMadeElsewhere } from "../preserved";
import type { Provider, Session } from "../provider";
import { importedState } from "../refreshed-state";
import { declaredIn, nameIn, parentIn, textIn } from "../schema/attributes";
import { isAdoptable, type TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import { type Doubt, toldUnlessInState, untilQuiet } from "./doubts";
import { meaningsOf } from "./meanings";
import { planChange } from "./plan-change";
import { checkProtection } from "./plan-findings";
import { notePlannedName } from "./planned-names";

interface Named {
  readonly prior: TerraformObject | undefined;
  readonly planned: TerraformObject;
  /** Terraform plans what is replaced twice: it must not stand in its own way. */
  readonly replaces: boolean;
}

/** Returns the error of a name that the plan gives to two. */
export function sameNames(
  { plannedNames }: Session,
  type: TerraformShape,
  { prior, planned, replaces }: Named,
): readonly Diagnostic[] {
  const named = namedIn(type, planned);
  if (named === undefined) return [];
  const { parentId, input } = named;
  const takes = !replaces && (prior === undefined || nameIn(type, prior) !== input.name);
  const bearer = { type: type.resource.type, parentId, name: input.name };
  const other = notePlannedName(plannedNames, bearer, { id: prior && textIn(prior, "id"), takes });
  if (other === undefined) return [];
  return [{ ...sameTwice(named, other.id), attribute: type.resource.nameAttribute }];
}

/**
 * Returns what a plan says of a create whose name something bears already: that it is taken over, or an error. Nothing
 * where the name, or the place, is not known yet; and nothing in an apply, which looks itself.
 */
export async function foreseeCreate(
  provider: Provider,
  type: TerraformShape,
  config: TerraformObject,
): Promise<readonly Diagnostic[]> {
  const { session } = provider;
  const create = namedIn(type, config);
  const subject = create && intentSubjectOf(create);
  if (session === undefined || create === undefined || subject === undefined || session.isApplying) return [];
  const twins = await twinsIn(session.reads, create);
  const left = await session.intents.find(subject);
  // What the state has is replaced, or let go of by another address: the apply knows.
  const judge = () =>
    judgeTwins(
      twins.filter(({ id }) => !provider.inState.has(addressOfId(create.type, id))),
      left,
      config.adopt === true,
    );
  const verdict = judge();
  if (verdict.kind === "free") return [];
  if (verdict.kind === "ours" && verdict.taken.reason === "made")
    return takenOver(session, type, config, create, verdict.taken);
  return toldUnlessInState(provider, session, {
    ...doubtOf(create, twins),
    kind: verdict.kind === "ours" ? "adopted" : "taken",
    tell: async () => {
      const now = judge();
      if (now.kind === "ours") return takenOver(session, type, config, create, now.taken);
      return now.kind === "free" ? [] : [nameTaken(create, now.twins)];
    },
  });
}

const doubtOf = (
  { type, input }: NamedCreate,
  found: readonly LiveResource[],
): Omit<Doubt, "kind" | "tell"> => ({
  keys: found.map(({ id }) => addressOfId(type, id)),
  name: `${type.type} "${input.name}" (${found.map(({ id }) => id).join(", ")})`,
});

/** Returns the error of a new name that something bears which is in no state. A plan knows; its apply sends what was planned. */
export async function foreseeRename(
  provider: Provider,
  type: TerraformShape,
  prior: TerraformObject,
  config: TerraformObject,
): Promise<readonly Diagnostic[]> {
  const { session, inState } = provider;
  const create = namedIn(type, config);
  if (session === undefined || session.isApplying) return [];
  if (create === undefined || create.input.name === nameIn(type, prior)) return [];
  const own = textIn(prior, "id");
  const others = (await twinsIn(session.reads, create)).filter(({ id }) => id !== own);
  return toldUnlessInState(provider, session, {
    ...doubtOf(create, others),
    kind: "taken",
    tell: () => [
      anotherNamed(
        create,
        others.filter(({ id }) => !inState.has(addressOfId(create.type, id))),
      ),
    ],
  });
}

/**
 * Returns what protects what a create would take the place of: of what is tainted Terraform plans the creation alone, and
 * does not tell. It is known by its name, and by no plan of it as it is; `isReplacement` says that there was one before.
 */
export async function protectedBefore(
  { session, inState }: Provider,
  type: TerraformShape,
  config: TerraformObject,
  isReplacement: boolean,
): Promise<readonly Diagnostic[]> {
  const create = namedIn(type, config);
  if (!type.isProtectable || session === undefined || session.hasWritten() || create === undefined) return [];
  const isOwn = config[protectionAttribute] === true;
  const key = (await twinsIn(session.reads, create))
    .map(({ id }) => addressOfId(create.type, id))
    .find((one) => inState.has(one));
  const isKept = key !== undefined && (isOwn || inState.get(key)?.isProtected || session.deletionProtection);
  // Of a replacement that its own configuration forbids the plan has said so.
  if (!isKept || (isReplacement && (isOwn || session.deletionProtection))) return [];
  // Another address may have it, and plan another name for it.
  const isElsewhere = (): boolean => session.plannedAsIs.has(key);
  if (!isReplacement) await untilQuiet(session, isElsewhere);
  if (!isReplacement && isElsewhere()) return [];
  const before = { [protectionAttribute]: isOwn || inState.get(key)?.isProtected === true };
  return checkProtection(session, type, [config, before], "replace");
}

/** Returns what is declared, as far as it tells one from others; undefined while it does not. */
function namedIn(type: TerraformShape, config: TerraformObject): NamedCreate | undefined {
  const { resource } = type;
  const declared = declaredIn(type, config);
  const name = declared.get(resource.nameAttribute ?? "");
  if (!isAdoptable(resource) || isMadeElsewhere(type, config) || typeof name !== "string") return undefined;
  if (resource.parents.some(({ attribute }) => declared.get(attribute) instanceof Unknown)) return undefined;
  const parentId = parentIn(type, declared);
  if (parentId === undefined && resource.removedWithParent) return undefined;
  return { type: resource, parentId, input: { name } };
}

/** Returns which fields are changed of what is taken over, or that one of them cannot be. */
async function takenOver(
  session: Session,
  type: TerraformShape,
  config: TerraformObject,
  create: NamedCreate,
  taken: Taken,
): Promise<readonly Diagnostic[]> {
  const prior = await importedState(session, type, taken.live);
  const catalog = await session.reads.catalog();
  const priorPrivate = { ...noPrivateData, imported: true as const };
  const meanings = await meaningsOf(session, type, prior, config);
  const { replaced, sent } = planChange({ type, prior, config, priorPrivate, catalog, meanings });
  if (replaced.length > 0) return [cannotTakeOver(create, taken.live, replaced)];
  return [takenNote(create, taken, [...sent])];
}
