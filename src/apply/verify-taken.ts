import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Attributes } from "../model/attributes";
import type { LiveResource } from "../model/live";
import type { AppliableValue, ResourceType } from "../model/resource-type";
import { Secret } from "../model/secret";
import { plainEqual } from "../model/value";
import type { Change } from "../plan/plan";

/**
 * Compares the answer of a write with what was sent. A field that did not take is an error that names it, never
 * a silent success. Secrets are masked in every answer and cannot be compared.
 */
export function verifyTaken(
  change: Change,
  type: ResourceType,
  sent: ReadonlyMap<string, AppliableValue>,
  live: LiveResource,
  defaults: Attributes,
): Diagnostic | undefined {
  const refused = pathsNotTaken(type, sent, live, defaults);
  const [first] = refused;
  if (first === undefined) return undefined;
  const fields = refused.join(", ");
  return error(
    "apply.not_taken",
    `${change.address}: the service accepted the change, but ${fields} did not take`,
    {
      address: change.address,
      attribute: first,
      range: change.subject.desired?.attributes.get(first)?.range,
      detail: "The answer of the service still shows another value.",
      hint: "run rnv plan to see what is live now; the value may not be allowed for this kind or plan",
    },
  );
}

/** Attribute paths whose value in the answer is another than the one that was sent. */
export function pathsNotTaken(
  type: ResourceType,
  sent: ReadonlyMap<string, AppliableValue>,
  live: LiveResource,
  defaults: Attributes,
): readonly string[] {
  const isRefused = (path: string, value: AppliableValue): boolean => {
    const rule = type.rules[path];
    if (!rule || rule.change === "local" || rule.secret || value instanceof Secret) return false;
    if (type.parents.some((parent) => parent.attribute === path)) return false;
    const shown = live.attributes.get(path) ?? defaults.get(path);
    const wanted = value ?? defaults.get(path) ?? null;
    if (shown === undefined) return wanted !== null;
    return wanted !== shown && !(rule.equal ?? plainEqual)(wanted, shown);
  };
  const refused: string[] = [];
  for (const [path, value] of sent) if (isRefused(path, value)) refused.push(path);
  return refused;
}
