import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Reaction, ReactionContext, Upstream } from "../model/resource-type";
import { decideDeclared, errorAt } from "./decide-declared";
import { asksForRun, type Decision, type Decisions, decideNothing, isMade, withLifecycle } from "./decision";
import { diffAttributes, diffRecorded } from "./diff";
import { childrenByParent, followedSiblings, type PlanScope } from "./graph";
import { confirmedDeletions } from "./guards";
import {
  isGone,
  isRetained,
  type ResourceInstance,
  type ResourceInstances,
  recordedOwners,
  wasApplied,
  whyAgain,
  whyGone,
} from "./instances";
import { phrasesFor } from "./phrases";
import { type AttributeChange, operationOf, type PlanInput } from "./plan";
import {
  appearanceOf,
  attributesAfter,
  createdAttributes,
  type DecisionContext,
  goesWithParent,
  lookupIn,
  nameAfter,
  refuse,
  resolveInstance,
} from "./resolve-value";

/** Decides every instance once, each after its dependencies. Instances out of scope stay as they are. */
export function decideAll(
  input: PlanInput,
  instances: ResourceInstances,
  order: readonly Address[],
  scope: PlanScope,
): Decisions {
  const decisions = new Map<Address, Decision>();
  const context: DecisionContext = {
    input,
    instances,
    children: childrenByParent(instances),
    decisions,
    lookup: lookupIn(decisions),
    owners: recordedOwners(instances),
  };
  for (const address of order) {
    const instance = instances.get(address);
    if (!instance) continue;
    decisions.set(address, scope.has(address) ? decide(instance, context) : decideNothing(instance));
  }
  return decisions;
}

function decide(instance: ResourceInstance, context: DecisionContext): Decision {
  if (isRetained(instance)) return decideRetained(instance, context);
  if (context.input.options.mode === "refresh-only") return decideRefresh(instance);
  const move = moveBetweenStacks(instance, context.input);
  if (move !== undefined) return { ...decideNothing(instance), diagnostics: move };
  if (instance.removed) return decideRemoval(instance, context);
  const { reacts } = instance.type;
  const decision = reacts ? decideReaction(instance, reacts, context) : decideDeclared(instance, context);
  // Conflicts with it are resolved first.
  return decision.diagnostics.some(({ severity }) => severity === "error")
    ? decision
    : withLifecycle(decision);
}

/** Returns the error of a resource, not of its parts, that is recorded in a stack and declared in another stack. */
function moveBetweenStacks(instance: ResourceInstance, input: PlanInput): readonly Diagnostic[] | undefined {
  const { address, type, desired, recorded, removed, live } = instance;
  const move = recorded
    ? removed && input.declaredElsewhere?.get(address)
    : live && input.ownedElsewhere?.get(live.id);
  if (!move || isGone(instance)) return undefined;
  if (type.removedWithParent) return [];
  const { stack, address: other, command } = move;
  const [from, to] = recorded ? [address, other] : [other, address];
  const line = phrasesFor(desired ?? { constructPath: stack }).move(from, to);
  const edit = from === to ? "" : `write ${line} on it${recorded ? ` in ${stack}` : ""}, `;
  const where = recorded ? `declared in the stack ${stack} now` : `recorded in the stack ${stack}`;
  const hint = `to move it, ${recorded ? "" : `take it out of ${stack}, `}${edit}run ${command}`;
  return [errorAt(instance, "manifest.moved", `${address} is ${where}, as ${other}`, { hint })];
}

/** Keeps a retained resource as it is, and forgets it where it was deleted outside of rnv, or its parent was. */
function decideRetained(instance: ResourceInstance, { decisions }: DecisionContext): Decision {
  const nothing = decideNothing(instance);
  const around = instance.parent && decisions.get(instance.parent);
  const wentWith = around && isRetained(around.instance) && around.action === "forget";
  return isGone(instance) || wentWith
    ? { ...nothing, action: "forget", reason: "it was archived here, and deleted outside of rnv" }
    : { ...nothing, retains: true };
}

function decideCompared(instance: ResourceInstance): Decision {
  const nothing = decideNothing(instance);
  return instance.live && instance.recorded ? { ...nothing, drift: diffRecorded(instance) } : nothing;
}

/** Decides for `-refresh-only`: forgets a resource that is gone, shows drift, sends nothing and ignores the manifest. */
function decideRefresh(instance: ResourceInstance): Decision {
  const compared = decideCompared(instance);
  return isGone(instance) ? { ...compared, action: "forget", reason: whyGone(instance) } : compared;
}

function decideRemoval(instance: ResourceInstance, context: DecisionContext): Decision {
  const { decisions } = context;
  const nothing = decideCompared(instance);
  const forget: Decision = { ...nothing, action: "forget" };
  const withParent = goesWithParent(instance, decisions);
  // A verb such as `rnv deploy` left it: nothing of it was applied, it was never declared, and is not missed.
  if (instance.type.reacts && instance.recorded && !wasApplied(instance) && !withParent) return nothing;
  if (isGone(instance) && !isDeletedAgain(nothing, context.input))
    return { ...forget, reason: whyGone(instance) };
  if (staysWithParent(instance, decisions)) return { ...nothing, retains: true };
  if (instance.type.removal === "forget" && !withParent) return forget;
  if (nothing.onRemove === "retain") return { ...forget, reason: "onRemove: retain" };
  if (context.input.desired.removed.some(({ address, isKept }) => isKept && address === instance.address))
    return { ...forget, reason: "removed with destroy = false" };
  const archived = { action: "delete", retains: true } as const;
  if (nothing.onRemove === "archive" && instance.type.archives)
    return { ...nothing, ...archived, reason: "onRemove: archive; declared again, it is restored" };
  if (instance.type.removedWithParent && isKept(instance.parent && decisions.get(instance.parent)))
    return { ...forget, reason: `${instance.parent} is kept` };
  const kept = keptChild(instance, context);
  if (kept) return { ...forget, retains: kept.retains, reason: `it still holds ${kept.instance.address}` };
  return { ...nothing, action: "delete", onRemove: "delete", withParent, reason: whyAgain(instance) };
}

/** Returns true for a deletion that was requested before and is wanted here: it may have failed. */
const isDeletedAgain = ({ instance: { address, read }, onRemove }: Decision, input: PlanInput): boolean =>
  read.kind === "gone" &&
  read.ending !== undefined &&
  onRemove === "delete" &&
  (input.options.mode === "destroy" || confirmedDeletions(input)(address));

function staysWithParent({ parent, type }: ResourceInstance, decisions: Decisions): boolean {
  const around = parent && decisions.get(parent);
  if (around === undefined || !type.removedWithParent) return false;
  return isRetained(around.instance) || operationOf(around) === "archive";
}

function isKept(decision: Decision | undefined): decision is Decision {
  if (!decision?.instance.removed || isGone(decision.instance)) return false;
  return ["forget", "archive"].includes(operationOf(decision));
}

/** Returns a child that stays, an archived one first: the service would refuse to delete the parent. */
function keptChild(instance: ResourceInstance, { children, decisions }: DecisionContext) {
  const kept = (children.get(instance.address) ?? [])
    .filter(({ type }) => !type.removedWithParent)
    .map(({ address }) => decisions.get(address))
    .filter(isKept);
  return kept.find(({ retains }) => retains) ?? kept[0];
}

/**
 * Decides a resource without a life of its own. It runs for a reason of its type, or when a declared field (a pinned
 * commit) is not live. A run from before rnv is taken over without a report.
 */
function decideReaction(instance: ResourceInstance, reacts: Reaction, context: DecisionContext): Decision {
  const about = resolveInstance(instance, context);
  const { resolved, undecided } = about;
  const { live, recorded, parent } = instance;
  const isNew = isGone(instance) || goesWithParent(instance, context.decisions);
  const diff = !isNew && (live || recorded) ? diffAttributes(instance, about) : undefined;
  const around = parent && context.decisions.get(parent);
  const reactionContext: ReactionContext = {
    declared: resolved,
    recorded,
    live: isNew ? undefined : live,
    parent: around && attributesAfter(around),
    parentDeclares: (path) => around?.instance.desired?.attributes.has(path) === true,
    upstream: upstreamOf(instance, context),
  };
  const held = reacts.held?.(reactionContext);
  // A deployment of an interrupted run is waited for, and is not started again.
  const isAsked = context.input.options.replace.includes(instance.address) && !recorded?.pending;
  if (isAsked && held !== undefined) return refuse(about, cannotRun(error, instance, held));
  const reaction = isAsked ? "--replace asks for it" : reacts.reason(reactionContext);
  const differing = (): readonly AttributeChange[] =>
    diff?.changes ??
    createdAttributes(about).filter((one) => !one.placement && one.path !== instance.type.nameAttribute);
  const reason = reaction === undefined ? differingField(differing()) : reaction;

  if (reason !== null) {
    if (held !== undefined) {
      const detail = `What is changed is saved and does not run (${reason}); an apply ends with exit 7 until it does.`;
      return { ...undecided, held, diagnostics: [cannotRun(warning, instance, held, detail)] };
    }
    const isUpdate = recorded !== undefined && !isNew;
    return {
      ...undecided,
      action: isUpdate ? "update" : "create",
      attributes: isUpdate ? differing() : createdAttributes(about),
      released: diff?.released ?? [],
      drift: diff?.drift ?? [],
      reason,
    };
  }
  const action = recorded ? (isNew ? "forget" : "no-op") : live && !isNew ? "adopt" : "no-op";
  return action === "no-op" ? undecided : { ...undecided, action };
}

const differingField = (changes: readonly AttributeChange[]): string | null =>
  changes.length > 0 ? `${changes.map((change) => change.path).join(", ")} differs` : null;

const cannotRun = (
  severity: typeof error | typeof warning,
  { address, desired }: ResourceInstance,
  held: string,
  detail?: string,
) =>
  severity("plan.not_deployed", `${address} cannot run: ${held}`, {
    address,
    detail,
    hint: "restore the service: take archived out of it, or out of its ignoreChanges, or use the dashboard; then apply again",
    range: desired?.range,
  });

function upstreamOf(
  instance: ResourceInstance,
  { children, decisions, instances }: DecisionContext,
): Upstream[] {
  const parent = instance.parent && instances.get(instance.parent);
  return [...(parent ? [parent] : []), ...followedSiblings(instance, children)].map(
    ({ address, live, recorded }) => {
      const decision = decisions.get(address);
      const isNew = decision !== undefined && isMade(decision);
      return {
        address,
        id: isNew ? undefined : (recorded?.id ?? live?.id),
        writes: recorded?.writes ?? 0,
        changes: decision !== undefined && asksForRun(decision, decision.instance.type),
        name: decision && nameAfter(decision),
        appears: decision && appearanceOf(decision),
      };
    },
  );
}
