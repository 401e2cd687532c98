import { randomUUID } from "node:crypto";
import type { Diagnostic } from "../../diagnostics/diagnostic";
import { replacementOf, waitingFindings } from "../apply/check-replacement";
import { addressOfId } from "../confirm-deleted";
import { diagnosticMessages, type PrivateData, pathMessage, readPrivate, writePrivate } from "../messages";
import { foreseeCreate, foreseeRename, protectedBefore, sameNames } from "../plan/foresee";
import { heldFindings } from "../plan/held";
import { meaningsOf } from "../plan/meanings";
import { type ChangeInput, type PlannedChange, planChange } from "../plan/plan-change";
import { archivedFindings, checkProtection, lateReplacement, offerFindings } from "../plan/plan-findings";
import { forgotten, isMadeElsewhere, preservedFindings } from "../preserved";
import type { Provider, RpcAnswer, Session } from "../provider";
import { followsChanges } from "../reactions/known-changes";
import { notePlanned, noteRemoved } from "../reactions/note-changes";
import { runsBecauseOfOthers } from "../reactions/react";
import { nameIn, showsUnwrittenBlock, textIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { decodeObject, encodeMessage, isNullMessage } from "../values/codec";
import { isSameValue, type TerraformObject } from "../values/terraform-value";
import { planWarnings } from "../warnings";

/** PlanResourceChange, and what stands already of what it would create. */
export const planWithForesight: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const answer = await planResourceChange(provider, request);
  // Of most resources of a plan nothing changes.
  if (answer.plannedState === request.priorState) return answer;
  const type = provider.typeNamed(request.typeName);
  const config = decodeObject(type.valueType, request.config);
  if (config === undefined) return answer;
  if (!isNullMessage(request.priorState)) {
    if (answer.requiresReplace?.length === 0) {
      const taken = await foreseeRename(
        provider,
        type,
        decodeObject(type.valueType, request.priorState) ?? {},
        config,
      );
      return {
        ...answer,
        diagnostics: [...(answer.diagnostics ?? []), ...diagnosticMessages(taken, type.stepsOf)],
      };
    }
    // Terraform shows no warning of the second of the two plans of a replacement, but its errors.
    const early = [
      ...waitingFindings(type, replacementOf(type, config)),
      ...(await foreseeCreate(provider, type, config)),
    ].filter(({ severity }) => severity === "warning");
    const told = diagnosticMessages(early, type.stepsOf);
    return { ...answer, diagnostics: [...(answer.diagnostics ?? []), ...told] };
  }
  const { workspace } = readPrivate(request.priorPrivate);
  const found = diagnosticMessages(
    [
      ...(await foreseeCreate(provider, type, config)),
      ...(await protectedBefore(provider, type, config, workspace !== undefined)),
    ],
    type.stepsOf,
  );
  return { ...answer, diagnostics: [...(answer.diagnostics ?? []), ...found] };
};

/** Returns what an apply would make of a resource, and what the catalog says against it. */
const planResourceChange: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = decodeObject(type.valueType, request.priorState);
  const config = decodeObject(type.valueType, request.config);
  const { session } = provider;
  const priorPrivate = readPrivate(request.priorPrivate);
  if (isNullMessage(request.proposedNewState) || !config) {
    const found = prior ? await planRemoval(provider, type, { prior, config, kept: priorPrivate }) : [];
    return {
      plannedState: request.proposedNewState,
      plannedPrivate: request.priorPrivate,
      diagnostics: diagnosticMessages(found, type.stepsOf),
    };
  }
  const catalog = await session?.reads.catalog();
  const meanings = await meaningsOf(session, type, prior, config);
  const input = { type, prior, config, priorPrivate, catalog, meanings };
  const change = await planWithOthers(session, input);
  if (prior === undefined) session?.plansNew.add(type.resource.type);
  else session?.plannedAsIs.add(addressOfId(type.resource, textIn(prior, "id") ?? ""));
  const found = await findingsOf(session, input, change);
  const replacement = prior === undefined ? replacementOf(type, config) : undefined;
  const isUnchanged = isSameValue(change.planned, prior ?? null);
  if (session !== undefined && !isUnchanged && followsChanges(type.resource)) session.changes.count.runs += 1;
  return {
    // What is imported stands in the block: Terraform takes a block that nobody wrote for a mistake of the plan unless it
    // is told so.
    legacyTypeSystem: showsUnwrittenBlock(type, config, change.planned),
    plannedState: isUnchanged ? request.priorState : encodeMessage(type.valueType, change.planned),
    requiresReplace: change.replaced.map((path) => pathMessage(type.stepsOf(path) ?? [])),
    // A deletion that goes first is given it too, and keeps what the state has where it fails.
    plannedPrivate:
      replacement === undefined
        ? request.priorPrivate
        : writePrivate({ ...priorPrivate, nonce: randomUUID(), replacement }),
    diagnostics: diagnosticMessages(found, type.stepsOf),
  };
};

/** Plans a deletion, or that what was made elsewhere is forgotten. Returns what is said of it. */
async function planRemoval(
  provider: Provider,
  type: TerraformShape,
  { prior, config = {}, kept }: Removal,
): Promise<readonly Diagnostic[]> {
  if (isMadeElsewhere(type, prior)) return [forgotten(type, nameIn(type, prior))];
  const { session } = provider;
  const noted = noteRemoved(session, type, { prior, kept });
  const held = session ? await heldFindings(provider, session, type, prior) : [];
  return [...checkProtection(session, type, [prior, config], "delete"), ...noted, ...held];
}

interface Removal {
  readonly prior: TerraformObject;
  readonly config: TerraformObject | undefined;
  readonly kept: PrivateData;
}

/** Returns what is said of a planned change, and remembers it for what reacts to it. */
async function findingsOf(
  session: Session | undefined,
  { type, prior, config, priorPrivate: kept }: ChangeInput,
  change: PlannedChange,
): Promise<readonly Diagnostic[]> {
  const replaces = change.replaced.length > 0 || isReplacement(prior, kept);
  const attribute = type.resource.nameAttribute;
  return [
    ...change.diagnostics,
    ...(session ? await offerFindings(session, type, { prior, config }, change) : []),
    ...(session ? await archivedFindings(session, type, change) : []),
    ...(replaces ? checkProtection(session, type, prior ? [prior, config] : [config], "replace") : []),
    ...(await preservedFindings(session, type, prior, config)),
    ...(session?.isApplying && prior ? lateReplacement(type, prior, change) : []),
    ...(session ? await planWarnings(session, type, prior, change) : []),
    ...(session ? sameNames(session, type, { prior, planned: change.planned, replaces }) : []),
    ...notePlanned(session, type, { prior, kept, change }).map((one) => ({ ...one, attribute })),
  ];
}

/** Whether what is planned as a creation takes the place of something: `-replace` is told by its private data alone. */
const isReplacement = (prior: TerraformObject | undefined, kept: PrivateData): boolean =>
  prior === undefined && kept.workspace !== undefined;

/** Plans a resource; one that reacts runs where nothing of itself differs, but of what it reacts to. */
async function planWithOthers(session: Session | undefined, input: ChangeInput): Promise<PlannedChange> {
  const { type, prior, config, priorPrivate: kept } = input;
  const change = planChange(input);
  if (!type.reacts || prior === undefined || change.acts) return change;
  const isEdited = !isSameValue(change.planned, prior);
  const runs = await runsBecauseOfOthers(session, { type, prior, config, kept, isEdited });
  return runs ? planChange({ ...input, runs }) : change;
}
