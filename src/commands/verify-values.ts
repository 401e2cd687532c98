import { diagnosticOf } from "../api/api-error";
import type { Reads } from "../api/reads";
import { type Diagnostic, hasErrors, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import { pathsWith } from "../model/resource-type";
import { Secret } from "../model/secret";
import { isFingerprint } from "../model/state";
import { GeneratedSecret } from "../model/value";

import { makePlan } from "../plan/make-plan";
import type { Change, Plan, PlanInput, Revealed, SecretPrints } from "../plan/plan";
import { printsOfRevealed } from "../plan/resolve";
import { typeNamed } from "../resources";
import { checkStateKey } from "../state/key";
import type { PlanRequest } from "./context";

/**
 * Makes the plan of `first`, and with `--verify-values` makes it again from the revealed values. A plan that cannot be
 * applied reveals nothing: each value is an event in the service's audit log.
 */
export async function verifyValues(
  first: PlanInput,
  { verifyValues: isWanted, revealed: saved, secrets }: PlanRequest,
  reads: Reads,
): Promise<{
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly refusals: readonly Diagnostic[];
}> {
  const input = saved ? { ...first, revealed: saved } : first;
  const plan = makePlan(input);
  if (saved || !isWanted || hasErrors(plan.diagnostics)) return { input, plan, refusals: [] };
  const against = secrets === "skip" ? "recorded" : "declared";
  const { revealed, diagnostics } = await revealValues({ input, plan, reads, against });
  const seen = { ...input, revealed };
  return { input: seen, plan: makePlan(seen), refusals: diagnostics };
}

interface Revealing {
  readonly input: PlanInput;
  /** Made without revealed values: it tells which to reveal. */
  readonly plan: Plan;
  readonly reads: Reads;
  /** Live values are compared with the `recorded` (drift) or with the `declared` (a plan that would set them). */
  readonly against: "declared" | "recorded";
}

/**
 * `--verify-values`: reveals live secrets once and keeps their fingerprints. Nothing else in rnv reveals. Where they are
 * compared with declared values, only the secrets that the plan would set are revealed.
 */
async function revealValues(revealing: Revealing): Promise<{
  readonly revealed: ReadonlyMap<Address, Revealed>;
  readonly diagnostics: readonly Diagnostic[];
}> {
  const { input, plan, against } = revealing;
  const missing = input.state && !input.fingerprintKey && checkStateKey(input.state, undefined);
  if (missing) return { revealed: new Map(), diagnostics: [missing] };
  // A value that is no secret may be the only one: without a key it is not compared.
  const hasKey = input.fingerprintKey !== undefined;
  const diagnostics: Diagnostic[] = [];
  const found = await Promise.all(
    plan.changes.map(async (change) => {
      const paths = against === "declared" ? pathsToSet(change, hasKey) : pathsRecorded(change, hasKey);
      const { live } = change.instance;
      if (!live || paths.length === 0) return [];
      try {
        return [[change.address, await reveal(revealing, { change, live, paths })] as const];
      } catch (failure) {
        diagnostics.push(notRevealed(change, failure));
        return [];
      }
    }),
  );
  return { revealed: new Map(found.flat()), diagnostics: sortDiagnostics(diagnostics) };
}

/** Secrets that the plan would set, and whose text is known here. */
function pathsToSet({ action, type, attributes, instance }: Change, hasKey: boolean): readonly string[] {
  if (action !== "adopt" && action !== "update") return [];
  const { resolved, recorded } = instance;
  return secretPathsOf(type).filter((path) => {
    if (!attributes.some((change) => change.path === path)) return false;
    const value = resolved.get(path);
    // A generated value that has changed since cannot be compared.
    if (value instanceof GeneratedSecret) return !isFingerprint(recorded?.applied[path]);
    return value instanceof Secret || (hasKey && typeof value === "string");
  });
}

/** Secrets that seem to be as recorded. A generated secret has no fingerprint to compare with. */
function pathsRecorded({ type, drift, instance }: Change, hasKey: boolean): readonly string[] {
  if ((drift ?? []).length > 0) return [];
  return secretPathsOf(type).filter((path) => {
    const value = instance.recorded?.applied[path];
    if (!isFingerprint(value)) return hasKey && typeof value === "string";
    return !value.fingerprint.startsWith("generate:");
  });
}

const secretPathsOf = (type: string): readonly string[] => {
  const resource = typeNamed(type);
  return resource?.reveal ? pathsWith(resource, "secret") : [];
};

/** Without the value, the plan would write a secret that may be equal. */
function notRevealed({ address, instance }: Change, failure: unknown): Diagnostic {
  const range = instance.desired?.range;
  const found = diagnosticOf(failure, { address, ...(range && { range }) });
  const without = "without --verify-values nothing is revealed, and what differs or is unknown is written";
  return { ...found, hint: found.hint === undefined ? without : `${found.hint}; ${without}` };
}

interface RevealTarget {
  readonly change: Change;
  readonly live: LiveResource;
  readonly paths: readonly string[];
}

async function reveal({ input, reads }: Revealing, { change, live, paths }: RevealTarget): Promise<Revealed> {
  const { address, previousAddress, instance, type } = change;
  const values = await typeNamed(type)?.reveal?.(reads, live);
  const prints: Record<string, SecretPrints> = {};
  for (const path of paths) {
    const value = values?.get(path);
    const at = { address, previousAddress };
    if (value) prints[path] = printsOfRevealed(value, instance.resolved.get(path), at, input);
  }
  return { id: live.id, ...(live.updatedAt !== undefined && { updatedAt: live.updatedAt }), prints };
}
