import type { Address } from "../model/address";
import { ruleAt } from "../model/rule-at";
import type { ResolvedValue } from "../model/value";
import type { Deciding } from "./deciding";
import { type Decision, decideNothing } from "./decision";
import { fingerprintSecrets } from "./fingerprint-secrets";
import type { AttributeChange } from "./plan";
import { resolveAttributes } from "./resolve";
import type { Revealed, SecretPrints } from "./secret-prints";
import { shownValue } from "./shown-value";
import type { Subject } from "./subject";

/** A declared subject with its references and secrets looked up. */
export interface ResolvedSubject {
  readonly subject: Subject;
  readonly resolved: ReadonlyMap<string, ResolvedValue>;
  readonly secrets: ReadonlyMap<string, SecretPrints>;
  /** Its secrets as they are live, where they were asked for. */
  readonly revealed?: Revealed;
  /** What every decision about it starts from. */
  readonly undecided: Decision;
}

export function resolveSubject(subject: Subject, { input, lookup }: Deciding): ResolvedSubject {
  const attributes = resolveAttributes(subject, lookup);
  const { resolved } = attributes;
  const secrets = fingerprintSecrets(subject, attributes, {
    key: input.fingerprintKey,
    previousKey: input.previousFingerprintKey,
  });
  const undecided = decideNothing(subject, resolved, secrets.size > 0 ? printsOfNow(secrets) : undefined);
  const revealed = input.revealed?.get(subject.address);
  const isOfThis = revealed?.id === subject.live?.id && revealed?.updatedAt === subject.live?.updatedAt;
  if (!revealed || !isOfThis) return { subject, resolved, secrets, undecided };
  return { subject, resolved, secrets, revealed, undecided: { ...undecided, isRevealed: true } };
}

function printsOfNow(secrets: ReadonlyMap<string, SecretPrints>): Record<string, string> {
  const prints: Record<string, string> = {};
  for (const [path, { now }] of secrets) if (now !== undefined) prints[path] = now;
  return prints;
}

/** Every declared field but those that only rnv reads; null means that the service decides. */
export function createdAttributes({ subject, resolved }: ResolvedSubject): AttributeChange[] {
  const attributes: AttributeChange[] = [];
  for (const path of [...resolved.keys()].sort()) {
    const rule = ruleAt(subject.type, path);
    const value = resolved.get(path);
    if (!rule || rule.change === "local" || value === undefined || value === null) continue;
    const isPlacement = subject.type.parents.some(({ attribute }) => attribute === path);
    const range = subject.desired?.attributes.get(path)?.range ?? subject.desired?.range;
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
export function goesWithParent(subject: Subject, decisions: ReadonlyMap<Address, Decision>): boolean {
  if (!subject.parent || !subject.type.removedWithParent) return false;
  const parent = decisions.get(subject.parent);
  if (parent?.action === "delete") return parent.onRemove === "delete";
  return parent?.action === "replace" || parent?.action === "create";
}

/** Nothing is done about a resource that a finding stands against. */
export const refuse = (
  { undecided }: ResolvedSubject,
  diagnostic: Decision["diagnostics"][number],
): Decision => ({
  ...undecided,
  diagnostics: [diagnostic],
});

/** At the name, where one is written, else at the block. */
export function place({ desired, type }: Subject) {
  const range = (type.nameAttribute && desired?.attributes.get(type.nameAttribute)?.range) ?? desired?.range;
  return range ? { range } : {};
}
