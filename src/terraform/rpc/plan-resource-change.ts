import { randomUUID } from "node:crypto";
import type { Diagnostic } from "../../diagnostics/diagnostic";
import { replacementOf, waitingFindings } from "../apply/check-replacement";
import { addressOfId } from "../confirm-deleted";
import { diagnosticMessages, type PrivateData, pathMessage, readPrivate, writePrivate } from "../messages";
import { meaningsOf, wasRead } from "../plan/meanings";
import { type ChangeInput, type PlannedChange, planChange } from "../plan/plan-change";
import { checkProtection, lateReplacement, offerFindings } from "../plan/plan-findings";
import { forgotten, isMadeElsewhere, preservedFindings } from "../preserved";
import type { RpcAnswer, Session } from "../provider";
import { notePlanned, noteRemoved } from "../reactions/note-changes";
import { runsBecauseOfOthers } from "../reactions/react";
import { nameIn, showsUnwrittenBlock, textIn } from "../schema/attributes";
import { configIn, stepsIn } from "../schema/settings-value";
import type { TerraformShape } from "../schema/terraform-shape";
import { decodeObject, encodeMessage, isNullMessage } from "../values/codec";
import { isSameValue, type TerraformObject } from "../values/terraform-value";
import { planWarnings } from "../warnings";

/** PlanResourceChange: what an apply would make of a resource, and what the catalog says against it. */
export const planResourceChange: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = decodeObject(type.valueType, request.priorState);
  const config = configIn(type, request.config);
  const { session } = provider;
  const priorPrivate = readPrivate(request.priorPrivate);
  if (isNullMessage(request.proposedNewState) || !config) {
    const found = prior ? planRemoval(session, type, { prior, config, kept: priorPrivate }) : [];
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
  const diagnostics = [...(await findingsOf(session, input, change))];
  const replacement = prior === undefined ? replacementOf(type, config) : undefined;
  // Terraform plans a replacement twice: the second time as a create, with what it was given the first time.
  if (replacement && request.priorPrivate.length > 0) diagnostics.push(...waitingFindings(type, replacement));
  const isUnchanged = isSameValue(change.planned, prior ?? null);
  return {
    // What is imported, or given by `settings`, stands in the block: Terraform takes a block that nobody wrote for a
    // mistake of the plan unless it is told so.
    legacyTypeSystem: showsUnwrittenBlock(
      type,
      decodeObject(type.valueType, request.config) ?? {},
      change.planned,
    ),
    plannedState: isUnchanged ? request.priorState : encodeMessage(type.valueType, change.planned),
    requiresReplace: change.replaced.map((path) => pathMessage(type.stepsOf(path) ?? [])),
    // A deletion that goes first is given it too, and keeps what the state has where it fails.
    plannedPrivate:
      replacement === undefined
        ? request.priorPrivate
        : writePrivate({ ...priorPrivate, nonce: randomUUID(), replacement }),
    diagnostics: diagnosticMessages(diagnostics, stepsIn(type, config)),
  };
};

/** Plans a deletion, or that what was made elsewhere is forgotten. Returns what is said of it. */
function planRemoval(
  session: Session | undefined,
  type: TerraformShape,
  { prior, config = {}, kept }: Removal,
): readonly Diagnostic[] {
  if (isMadeElsewhere(type, prior)) return [forgotten(type, nameIn(type, prior))];
  noteRemoved(session, type, { prior, kept });
  return checkProtection(session, type, [prior, config], "delete");
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
    ...(session ? await offerFindings(session, type, config, prior === undefined, change) : []),
    ...(replaces ? checkProtection(session, type, prior ? [prior, config] : [config], "replace") : []),
    ...(await preservedFindings(session, type, prior, config)),
    ...(session && prior && !wasRead(session, type, prior)
      ? lateReplacement(session, type, prior, change)
      : []),
    ...(session ? await planWarnings(session, type, prior, change) : []),
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
