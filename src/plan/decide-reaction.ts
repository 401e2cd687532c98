import { warning } from "../diagnostics/diagnostic";
import type { ReactionContext, Upstream } from "../model/resource-type";
import { asksForRun } from "./asks-for-run";
import type { DecisionContext } from "./deciding";
import type { Decision } from "./decision";
import { diffAttributes } from "./diff-attributes";
import { followedSiblings } from "./graph";
import { appearanceOf, attributesAfter, nameAfter } from "./neighbours";
import type { AttributeChange, Trigger } from "./plan";
import { createdAttributes, goesWithParent, resolveInstance } from "./resolved-subject";
import { isGone, type ResourceInstance } from "./subject";

/**
 * What becomes of a resource without a life of its own: it runs when its type says why, or when what it is declared
 * to be (a pinned commit) is not what is live. One that ran before rnv knew it is taken over silently.
 */
export function decideReaction(instance: ResourceInstance, context: DecisionContext): Decision {
  const about = resolveInstance(instance, context);
  const { resolved, undecided } = about;
  const { live, recorded, parent } = instance;
  const isNew = isGone(instance) || goesWithParent(instance, context.decisions);
  const diff = !isNew && (live || recorded) ? diffAttributes(instance, about) : undefined;
  const around = parent === undefined ? undefined : context.decisions.get(parent);
  const reactionContext: ReactionContext = {
    declared: resolved,
    recorded,
    live: isNew ? undefined : live,
    parent: around && attributesAfter(around),
    parentDeclares: (path) => around?.instance.desired?.attributes.has(path) === true,
    // One that never runs does not ask.
    get upstream() {
      return upstreamOf(instance, context);
    },
  };
  const reaction = instance.type.reacts?.reason(reactionContext);
  const differing = (): readonly AttributeChange[] =>
    diff?.changes ?? createdAttributes(about).filter(({ path }) => !isPlacing(instance, path));
  const reason = reaction === undefined ? whatDiffers(differing()) : reaction;

  const held = reason === null ? undefined : instance.type.reacts?.held?.(reactionContext);
  if (held !== undefined)
    return { ...undecided, held, diagnostics: [cannotRun(instance, reason ?? undefined, held)] };
  if (reason !== null) {
    const isUpdate = recorded !== undefined && !isNew;
    return {
      ...undecided,
      action: isUpdate ? "update" : "create",
      attributes: isUpdate ? differing() : createdAttributes(about),
      released: diff?.released ?? [],
      drift: diff?.drift ?? [],
      reason,
      trigger: () => triggerOf(instance, reactionContext, context),
    };
  }
  const action = recorded ? (isNew ? "forget" : "no-op") : live && !isNew ? "adopt" : "no-op";
  return action === "no-op" ? undecided : { ...undecided, action };
}

const whatDiffers = (changes: readonly AttributeChange[]): string | null =>
  changes.length > 0 ? `${changes.map((change) => change.path).join(", ")} differs` : null;

const cannotRun = ({ address, desired }: ResourceInstance, reason: string | undefined, held: string) =>
  warning("plan.not_deployed", `${address} cannot run: ${held}`, {
    address,
    detail: `What is changed is saved and does not run${reason === undefined ? "" : ` (${reason})`}; an apply ends with exit 7 until it does.`,
    hint: "take archived out of ignoreChanges to restore the service, or restore it in the dashboard; then apply again",
    ...(desired && { range: desired.range }),
  });

/** It says where a thing stands or how it is called, not what it is. */
const isPlacing = ({ type }: ResourceInstance, path: string): boolean =>
  path === type.nameAttribute || type.parents.some(({ attribute }) => attribute === path);

/** Its parent first, then what it follows by address. */
function upstreamOf(
  instance: ResourceInstance,
  { children, decisions, instances }: DecisionContext,
): Upstream[] {
  const parent = instance.parent && instances.get(instance.parent);
  return [...(parent ? [parent] : []), ...followedSiblings(instance, children)].map(
    ({ address, live, recorded }) => {
      const decision = decisions.get(address);
      const isNew = decision?.action === "create" || decision?.action === "replace";
      const id = isNew ? undefined : (recorded?.id ?? live?.id);
      return {
        address,
        ...(id !== undefined && { id }),
        writes: recorded?.writes ?? 0,
        changes: decision !== undefined && asksForRun(decision, decision.instance.type),
        // Worked out for those that ask: by far the most do not.
        get name() {
          return decision && nameAfter(decision);
        },
        get appears() {
          return decision && appearanceOf(decision);
        },
      };
    },
  );
}

/** Asks the type what it would do had this or that not changed. */
function triggerOf(
  { type, recorded }: ResourceInstance,
  reactionContext: ReactionContext,
  context: DecisionContext,
): Trigger {
  const runs = (changed: Partial<ReactionContext>): boolean =>
    typeof type.reacts?.reason({ ...reactionContext, ...changed }) === "string";
  const { live } = reactionContext;
  if (live?.lacks !== undefined && !runs({ upstream: [], live: { ...live, lacks: undefined } }))
    return { kind: "itself" };
  if (runs({ upstream: [], ...(recorded && { recorded: { ...recorded, inputs: {} } }) }))
    return { kind: "always" };
  const now = reactionContext.upstream;
  const quiet = (one: Upstream): Upstream[] => (one.changes ? asRecorded(one, context) : [one]);
  if (runs({ upstream: now.flatMap(quiet) })) return { kind: "itself" };
  const isBehind = (cause: Upstream): boolean =>
    runs({ upstream: now.flatMap((one) => (one === cause ? [one] : quiet(one))) });
  return {
    kind: "changes",
    of: now.filter((one) => one.changes && isBehind(one)).map(({ address }) => address),
  };
}

/** As if this plan did nothing about it. */
function asRecorded({ address, writes }: Upstream, { instances }: DecisionContext): Upstream[] {
  const id = instances.get(address)?.recorded?.id;
  return id === undefined ? [] : [{ address, id, writes, changes: false }];
}
