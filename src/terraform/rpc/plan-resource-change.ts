import { randomUUID } from "node:crypto";
import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { protectionAttribute } from "../../model/text";
import { Unknown } from "../../model/value";
import { replacementOf, waitingFindings } from "../apply/check-replacement";
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
import {
  diagnosticMessages,
  noPrivateData,
  type PrivateData,
  pathMessage,
  readPrivate,
  writePrivate,
} from "../messages";
import { type Doubt, toldUnlessInState } from "../plan/doubts";
import { heldFindings } from "../plan/held";
import { meaningsOf } from "../plan/meanings";
import { type ChangeInput, type PlannedChange, planChange } from "../plan/plan-change";
import { archivedFindings, checkProtection, lateReplacement, offerFindings } from "../plan/plan-findings";
import { notePlannedName } from "../plan/planned-names";
import { forgotten, isMadeElsewhere, preservedFindings } from "../preserved";
import type { Provider, RpcAnswer, Session } from "../provider";
import { followsChanges } from "../reactions/known-changes";
import { notePlanned, noteRemoved } from "../reactions/note-changes";
import { runsBecauseOfOthers } from "../reactions/react";
import { importedState } from "../refreshed-state";
import { declaredIn, nameIn, parentIn, showsUnwrittenBlock, textIn } from "../schema/attributes";
import {
  configIn,
  inSettings,
  isEmptyBlockMoved,
  leftInBlock,
  resetIn,
  stepsIn,
  withoutReset,
  writtenIn,
} from "../schema/settings-value";
import { isAdoptable, type TerraformShape } from "../schema/terraform-shape";
import { encodeMessage, isNullMessage } from "../values/codec";
import { isSameValue, type TerraformObject } from "../values/terraform-value";
import { planWarnings } from "../warnings";

/** PlanResourceChange, and what stands already of what it would create. */
export const planWithForesight: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const answer = await planResourceChange(provider, request);
  // Of most resources of a plan nothing changes.
  if (answer.plannedState === request.priorState) return answer;
  const type = provider.typeNamed(request.typeName);
  const config = configIn(type, request.config);
  if (config === undefined) return answer;
  if (!isNullMessage(request.priorState)) {
    if (answer.requiresReplace?.length === 0) {
      const taken = await foreseeRename(provider, type, configIn(type, request.priorState) ?? {}, config);
      return {
        ...answer,
        diagnostics: [...(answer.diagnostics ?? []), ...diagnosticMessages(taken, stepsIn(type, config))],
      };
    }
    // Terraform shows no warning of the second of the two plans of a replacement, but its errors.
    const early = [
      ...waitingFindings(type, replacementOf(type, config)),
      ...(await foreseeCreate(provider, type, config)),
    ].filter(({ severity }) => severity === "warning");
    const told = diagnosticMessages(early, stepsIn(type, config));
    return { ...answer, diagnostics: [...(answer.diagnostics ?? []), ...told] };
  }
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

/** Returns what an apply would make of a resource, and what the catalog says against it. */
const planResourceChange: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = configIn(type, request.priorState);
  const config = configIn(type, request.config);
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
  const forms = { written: writtenIn(type, request.config), prior: writtenIn(type, request.priorState) };
  const { written } = forms;
  const isForPeople = prior !== undefined && session?.isApplying !== true;
  const diagnostics = [...found, ...(isForPeople ? leftInBlock(type, change.planned, forms) : [])];
  const isUnchanged =
    isSameValue(change.planned, prior ?? null) && !isEmptyBlockMoved(type, written, forms.prior);
  if (session !== undefined && !isUnchanged && followsChanges(type.resource)) session.changes.count.runs += 1;
  const reset = prior && resetIn(type, change.planned, forms);
  const planned = withoutReset(type, inSettings(type, change.planned, written), reset, written);
  return {
    // What is imported stands in the block: Terraform takes a block that nobody wrote for a mistake of the plan unless it
    // is told so.
    legacyTypeSystem: showsUnwrittenBlock(type, written, planned),
    plannedState: isUnchanged ? request.priorState : encodeMessage(type.valueType, planned),
    requiresReplace: change.replaced.map((path) => pathMessage(stepsIn(type, config)(path) ?? [])),
    // A deletion that goes first is given it too, and keeps what the state has where it fails.
    plannedPrivate:
      replacement === undefined
        ? reset === undefined
          ? request.priorPrivate
          : writePrivate({ ...priorPrivate, reset })
        : writePrivate({ ...priorPrivate, reset: undefined, nonce: randomUUID(), replacement }),
    diagnostics: diagnosticMessages(diagnostics, stepsIn(type, config)),
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
  noteRemoved(session, type, { prior, kept });
  const held = session ? await heldFindings(provider, session, type, prior) : [];
  return [...checkProtection(session, type, [prior, config], "delete"), ...held];
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

interface Named {
  readonly prior: TerraformObject | undefined;
  readonly planned: TerraformObject;
  /** Terraform plans what is replaced twice: it must not stand in its own way. */
  readonly replaces: boolean;
}

/** Returns the error of a name that the plan gives to two. */
function sameNames(
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

/**
 * Returns what a plan says of a create whose name something bears already: that it is taken over, or an error. Nothing
 * where the name, or the place, is not known yet; and nothing in an apply, which looks itself.
 */
async function foreseeCreate(
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
async function foreseeRename(
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

/** Limits how long the plan of another address is waited for, and how often it is looked for. */
const [looks, pauseMs] = [10, 50];

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
