import type { Address } from "../model/address";
import { ruleAt } from "../model/resource-type";
import type { ResolvedValue } from "../model/value";
import type { DecisionContext } from "./deciding";
import { type Decision, decideNothing } from "./decision";
import { fingerprintSecrets } from "./fingerprint-secrets";
import type { AttributeChange } from "./plan";
import { resolveAttributes } from "./resolve";
import type { Revealed, SecretPrints } from "./secret-prints";
import { shownValue } from "./shown-value";
import type { ResourceInstance } from "./subject";

/** A declared instance with its references and secrets looked up. */
export interface ResolvedInstance {
  readonly instance: ResourceInstance;
  readonly resolved: ReadonlyMap<string, ResolvedValue>;
  readonly secrets: ReadonlyMap<string, SecretPrints>;
  /** Its secrets as they are live, where they were asked for. */
  readonly revealed?: Revealed;
  /** What every decision about it starts from. */
  readonly undecided: Decision;
}

export function resolveInstance(
  instance: ResourceInstance,
  { input, lookup }: DecisionContext,
): ResolvedInstance {
  const attributes = resolveAttributes(instance, lookup);
  const { resolved } = attributes;
  const secrets = fingerprintSecrets(instance, attributes, {
    key: input.fingerprintKey,
    previousKey: input.previousFingerprintKey,
  });
  const undecided = decideNothing(instance, resolved, secrets.size > 0 ? printsOfNow(secrets) : undefined);
  const revealed = input.revealed?.get(instance.address);
  const isOfThis = revealed?.id === instance.live?.id && revealed?.updatedAt === instance.live?.updatedAt;
  if (!revealed || !isOfThis) return { instance, resolved, secrets, undecided };
  return { instance, resolved, secrets, revealed, undecided: { ...undecided, isRevealed: true } };
}

function printsOfNow(secrets: ReadonlyMap<string, SecretPrints>): Record<string, string> {
  const prints: Record<string, string> = {};
  for (const [path, { now }] of secrets) if (now !== undefined) prints[path] = now;
  return prints;
}

/** Every declared field but those that only rnv reads; null means that the service decides. */
export function createdAttributes({ instance, resolved }: ResolvedInstance): AttributeChange[] {
  const attributes: AttributeChange[] = [];
  for (const path of [...resolved.keys()].sort()) {
    const rule = ruleAt(instance.type, path);
    const value = resolved.get(path);
    if (!rule || rule.change === "local" || value === undefined || value === null) continue;
    const isPlacement = instance.type.parents.some(({ attribute }) => attribute === path);
    const range = instance.desired?.attributes.get(path)?.range ?? instance.desired?.range;
    attributes.push({
      path,
      before: { kind: "absent" },
      after: shownValue(value, rule.secret === true),
      cause: "edit",
      forcesReplacement: false,
      ...(isPlacement && { isPlacement }),
      ...(range && { range }),
    });
  }
  return attributes;
}

/** Its parent is deleted, replaced or made anew in this plan, and the service takes it along. */
export function goesWithParent(
  instance: ResourceInstance,
  decisions: ReadonlyMap<Address, Decision>,
): boolean {
  if (!instance.parent || !instance.type.removedWithParent) return false;
  const parent = decisions.get(instance.parent);
  if (parent?.action === "delete") return parent.onRemove === "delete";
  return parent?.action === "replace" || parent?.action === "create";
}

/** Nothing is done about a resource that a finding stands against. */
export const refuse = (
  { undecided }: ResolvedInstance,
  diagnostic: Decision["diagnostics"][number],
): Decision => ({
  ...undecided,
  diagnostics: [diagnostic],
});

/** At the name, where one is written, else at the block. */
export function place({ desired, type }: ResourceInstance) {
  const range = (type.nameAttribute && desired?.attributes.get(type.nameAttribute)?.range) ?? desired?.range;
  return range ? { range } : {};
}
