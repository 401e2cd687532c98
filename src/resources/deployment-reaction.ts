import { typeOf } from "../model/address";
import type { ReactionContext, Upstream } from "../model/resource-type";

/** Why a service is deployed again, undefined for no reason, null where it must not be (DESIGN section 4, "Deploys"). */
export function deploymentReaction(context: ReactionContext): string | null | undefined {
  const { declared, recorded } = context;
  const when = declared.get("when") ?? "changed";
  if (when === "never" || (isArchived(context) && context.parentDeclares?.("archived") !== false))
    return null;
  if (when === "always") return "always";
  const { upstream } = context;
  const changing = upstream.filter(({ changes }) => changes);
  if (changing.length > 0) return `${listed(changing)} ${changing.length === 1 ? "changes" : "change"}`;
  const inputs = recorded?.inputs ?? {};
  const written = upstream.filter(({ id, writes }) => writes !== ((id === undefined ? 0 : inputs[id]) ?? 0));
  if (written.length > 0) return `${listed(written)} changed since the last deploy`;
  const ids = new Set(upstream.map(({ id }) => id));
  const removed = Object.keys(inputs).filter((id) => !ids.has(id)).length;
  if (removed === 0) return undefined;
  return removed === 1 ? "a variable is removed" : `${removed} variables are removed`;
}

/** An archived service takes no deployment (interface, "Service"); one that nobody here archived is to be told. */
export const deploymentHeld = (context: ReactionContext): string | undefined =>
  isArchived(context) ? "its service is archived, and ignoreChanges leaves it so" : undefined;

const isArchived = ({ parent }: ReactionContext): boolean => parent?.get("archived") === true;

/** `service.shop.api and 2 variables`: one of a type by its address, more of them counted. */
function listed(upstream: readonly Upstream[]): string {
  const byType = new Map<string, Upstream[]>();
  for (const one of upstream) {
    const type = typeOf(one.address);
    byType.set(type, [...(byType.get(type) ?? []), one]);
  }
  const names = [...byType].map(([type, [first, ...others]]) =>
    others.length === 0 && first !== undefined ? first.address : `${others.length + 1} ${type}s`,
  );
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
