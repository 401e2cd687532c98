import { diagnosticOf } from "../api/api-error";
import type { Reads } from "../api/reads";
import { type Diagnostic, hasErrors, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { pathsWith } from "../model/resource-type";
import { Secret } from "../model/secret";
import { isKeyed } from "../model/state";
import { makePlan } from "../plan/make-plan";
import {
  type Change,
  instanceOf,
  type PlanInput,
  type PlannedInstance,
  type Revealed,
  type SecretPrints,
} from "../plan/plan";
import { printsOf } from "../plan/resolve";
import { typeNamed } from "../resources";
import { checkStateKey } from "../state/key";
import type { PlanRequest } from "./context";

/**
 * `--verify-values`: reveals live secrets once and adds their fingerprints to the input of a plan. Nothing else in rnv
 * reveals. A plan that cannot be applied reveals nothing: each value is an event in the service's audit log.
 */
export async function revealValues(
  input: PlanInput,
  { verifyValues, revealed: saved, secrets }: PlanRequest,
  reads: Reads,
): Promise<{ readonly input: PlanInput; readonly refusals: readonly Diagnostic[] }> {
  if (saved) return { input: { ...input, revealed: saved }, refusals: [] };
  // Made without revealed values: it tells which to reveal.
  const plan = verifyValues ? makePlan(input) : undefined;
  if (!plan || hasErrors(plan.diagnostics)) return { input, refusals: [] };
  const missing = input.state && !input.fingerprintKey && checkStateKey(input.state, undefined);
  if (missing) return { input: { ...input, revealed: new Map() }, refusals: [missing] };
  const refusals: Diagnostic[] = [];
  const hasKey = input.fingerprintKey !== undefined;
  const revealing = plan.changes.map(async (change): Promise<readonly [Address, Revealed][]> => {
    const { address, type } = change;
    const instance = instanceOf(plan, change);
    const { live, recorded } = instance;
    const paths = pathsToReveal(change, instance, secrets !== "skip", hasKey);
    if (!live || paths.length === 0) return [];
    try {
      const values = await typeNamed(type)?.reveal?.(reads, live);
      const prints: Record<string, SecretPrints> = {};
      for (const path of paths) {
        const value = values?.get(path);
        if (value) prints[path] = printsOf(value, { address, recorded }, input);
      }
      const { id, updatedAt } = live;
      return [[address, { id, ...(updatedAt !== undefined && { updatedAt }), prints }]];
    } catch (failure) {
      refusals.push(notRevealed(change, failure));
      return [];
    }
  });
  const found = await Promise.all(revealing);
  return { input: { ...input, revealed: new Map(found.flat()) }, refusals: sortDiagnostics(refusals) };
}

/** Returns the secrets that the plan would set and whose text is here, or those that seem to be as recorded. */
function pathsToReveal(
  { action, type, attributes, drift = [] }: Change,
  { resolved, recorded }: PlannedInstance,
  isDeclared: boolean,
  hasKey: boolean,
): readonly string[] {
  const resource = typeNamed(type);
  const isCompared = isDeclared ? action === "adopt" || action === "update" : drift.length === 0;
  if (!resource?.reveal || !isCompared) return [];
  return pathsWith(resource, "secret").filter((path) => {
    if (isDeclared && !attributes.some((change) => change.path === path)) return false;
    const value = isDeclared ? resolved.get(path) : recorded?.applied[path];
    // A value that is no secret may be the only one: without a key it is not compared.
    return value instanceof Secret || isKeyed(value) || (hasKey && typeof value === "string");
  });
}

/** Without the value, the plan would write a secret that may be equal. */
function notRevealed({ address, range }: Change, failure: unknown): Diagnostic {
  const found = diagnosticOf(failure, { address, ...(range && { range }) });
  const without = "without --verify-values nothing is revealed, and what differs or is unknown is written";
  return { ...found, hint: found.hint === undefined ? without : `${found.hint}; ${without}` };
}
