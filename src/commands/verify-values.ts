import type { Reads } from "../api/reads";
import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { AppliedValue } from "../model/state";
import type { DriftedResource } from "../plan/classify-drift";
import type { AttributeChange, Change } from "../plan/plan";
import { resourceTypes } from "../resources";
import { checkStateKey } from "../state/state-key";
import type { Prepared } from "./prepare";

/**
 * `rnv drift --verify-values`: reveals each recorded secret and compares its fingerprint. The only thing in rnv that
 * reveals. A generated value has no fingerprint to compare with and is left out.
 */
export async function verifyValues(prepared: Prepared): Promise<readonly DriftedResource[]> {
  const { connection, plan, fingerprintKey, input } = prepared;
  const missing = input.state && checkStateKey(input.state, fingerprintKey);
  if (missing) throw new DiagnosticsError([missing]);
  if (!fingerprintKey) return [];
  const checked = await Promise.all(
    plan.changes.map(async (change) => ({
      address: change.address,
      fields: await changedSecrets(connection.reads, change, fingerprintKey),
    })),
  );
  return checked.filter(({ fields }) => fields.length > 0);
}

async function changedSecrets(
  reads: Reads,
  change: Change,
  key: Uint8Array,
): Promise<readonly AttributeChange[]> {
  const { live, recorded } = change.subject;
  const type = resourceTypes.find((candidate) => candidate.type === change.type);
  const isKnown = Object.values(recorded?.applied ?? {}).some(isComparable);
  if (!live || !recorded || !type?.reveal || !isKnown || (change.drift ?? []).length > 0) return [];
  const values = await type.reveal(reads, live);
  return [...values].flatMap(([path, secret]): AttributeChange[] => {
    const applied = recorded.applied[path];
    if (applied === undefined || !isComparable(applied)) return [];
    if (secret.fingerprint(key, change.address) === applied.fingerprint) return [];
    const sides = { before: { kind: "secret" }, after: { kind: "secret" } } as const;
    return [{ path, ...sides, cause: "drift", forcesReplacement: false }];
  });
}

const isComparable = (value: AppliedValue): value is { readonly fingerprint: string } =>
  value !== null &&
  typeof value === "object" &&
  "fingerprint" in value &&
  !String(value.fingerprint).startsWith("generate:");
