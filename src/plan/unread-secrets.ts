import type { Address } from "../model/address";
import { Secret } from "../model/secret";
import { type ResolvedValue, UnreadSecret } from "../model/value";
import type { Decision } from "./decision";
import { secretPaths } from "./fingerprint-secrets";
import type { Change, Unchecked } from "./plan";
import { isFingerprint } from "./subject";

/**
 * Declared secrets that were not compared with what is recorded: their text is not here, or the key of fingerprints is
 * not. What is set anyway needs no comparison. Sorted by address.
 */
export function unreadSecrets(decisions: ReadonlyMap<Address, Decision>): readonly Unchecked[] {
  const unread: Unchecked[] = [];
  for (const { instance, resolved, fingerprints, action, attributes } of decisions.values()) {
    const { address, recorded, type, desired } = instance;
    if (!recorded || instance.removed || action === "create" || action === "replace") continue;
    for (const path of secretPaths(type)) {
      const isCompared = path in fingerprints || !isFingerprint(recorded.applied[path]);
      if (isCompared || attributes.some((change) => change.path === path)) continue;
      if (desired?.lifecycle.ignoreChanges.includes(path)) continue;
      const reason = reasonOf(resolved.get(path));
      if (reason !== undefined) unread.push({ address, attribute: path, reason });
    }
  }
  return unread.sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Secrets of a change that have no fingerprint, so that no saved plan is bound to them; sorted. */
export function unboundSecrets({ instance }: Pick<Change, "instance">): readonly string[] {
  const unbound: string[] = [];
  for (const [path, value] of instance.resolved)
    if (reasonOf(value) !== undefined && !(path in instance.fingerprints)) unbound.push(path);
  return unbound.sort();
}

function reasonOf(value: ResolvedValue | undefined): string | undefined {
  if (value instanceof UnreadSecret) return value.reason;
  return value instanceof Secret ? "the key of fingerprints is not here (RNV_STATE_KEY)" : undefined;
}
