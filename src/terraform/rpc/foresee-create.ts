import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { protectionAttribute } from "../../model/text";
import { Unknown } from "../../model/value";
import {
  cannotTakeOver,
  intentSubjectOf,
  judgeTwins,
  type NamedCreate,
  nameTaken,
  type Taken,
  takenNote,
  twinsIn,
} from "../apply/twins";
import { addressOfId } from "../confirm-deleted";
import { diagnosticMessages, noPrivateData, readPrivate } from "../messages";
import { meaningsOf } from "../plan/meanings";
import { planChange } from "../plan/plan-change";
import { checkProtection } from "../plan/plan-findings";
import { isMadeElsewhere } from "../preserved";
import type { Provider, RpcAnswer, Session } from "../provider";
import { importedState } from "../refreshed-state";
import { declaredIn, parentIn } from "../schema/attributes";
import { configIn, stepsIn } from "../schema/settings-value";
import { isAdoptable, type TerraformShape } from "../schema/terraform-shape";
import { isNullMessage } from "../values/codec";
import type { TerraformObject } from "../values/terraform-value";
import { planResourceChange } from "./plan-resource-change";

/** Limits how often the state is searched for what bears the name; the pause between two, milliseconds. */
const [looks, pauseMs] = [10, 50];

/** PlanResourceChange, and what stands already of what it would create. */
export const planWithForesight: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const answer = await planResourceChange(provider, request);
  const type = provider.typeNamed(request.typeName);
  if (!isNullMessage(request.priorState)) return answer;
  const config = configIn(type, request.config);
  if (config === undefined) return answer;
  const { workspace } = readPrivate(request.priorPrivate);
  const found = diagnosticMessages(
    [
      ...(await foreseeCreate(provider, type, config)),
      ...(await protectedBefore(provider, type, config, workspace !== undefined)),
    ],
    stepsIn(type, config),
  );
  return { ...answer, diagnostics: [...(answer.diagnostics ?? []), ...found] };
};

/**
 * Returns what a plan says of a create whose name something bears already: that it is taken over, or an error. Nothing
 * where the name, or the place, is not known yet; and nothing once this process writes: then the apply looks itself.
 */
async function foreseeCreate(
  provider: Provider,
  type: TerraformShape,
  config: TerraformObject,
): Promise<readonly Diagnostic[]> {
  const { session } = provider;
  const create = namedIn(type, config);
  const subject = create && intentSubjectOf(create);
  if (session === undefined || session.hasWritten() || create === undefined || subject === undefined)
    return [];
  // What the state has is replaced, or let go of by another address: the apply knows.
  const others = async (): Promise<readonly LiveResource[]> =>
    (await twinsIn(session.reads, create)).filter(
      ({ id }) => !provider.inState.has(addressOfId(create.type, id)),
    );
  const left = await session.intents.find(subject);
  for (let look = 0; ; look += 1) {
    const verdict = judgeTwins(await others(), left, config.adopt === true);
    if (verdict.kind === "free") return [];
    if (verdict.kind === "ours") return takenOver(session, type, config, create, verdict.taken);
    if (look === looks) return [nameTaken(create, verdict.twins)];
    // Terraform walks its state at the same time: it may not have come to this yet.
    await session.clock.sleep(pauseMs, session.signal);
  }
}

/**
 * Returns what protects what a create would take the place of: of what is tainted Terraform plans the creation alone, and
 * does not tell. It is known by its name, and by no plan of it as it is; `isReplacement` says that there was one before.
 */
async function protectedBefore(
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
  for (let look = 0; !isReplacement && look < looks; look += 1) {
    // Another address has it, and plans another name for it.
    if (session.plannedAsIs.has(key)) return [];
    await session.clock.sleep(pauseMs, session.signal);
  }
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
