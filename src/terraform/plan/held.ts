import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { shortList } from "../../model/text";
import { resourceTypes } from "../../resources";
import { addressOfId } from "../confirm-deleted";
import type { Provider, Session } from "../provider";
import { nameIn, textIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import { toldUnlessInState } from "./doubts";

/**
 * Returns the errors of a deletion of what holds things that are not deleted with it: the service deletes only what is
 * empty (interface, "Projects"), and would say so after all the rest is gone. What the state holds is taken to go too.
 */
export async function heldFindings(
  provider: Provider,
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
): Promise<readonly Diagnostic[]> {
  const { resource } = type;
  const id = textIn(prior, "id");
  if (resource.deletes?.holdings === undefined || id === undefined) return [];
  const inside = await insideOf(session, resource.type, id);
  const holdings = await resource.deletes.holdings(session.reads, id);
  const told = (one: LiveResource): string => `the ${one.type} "${one.name}" (id ${one.id})`;
  const keyOf = (one: LiveResource) => addressOfId({ type: one.type }, one.id);
  const found = (): readonly string[] => [
    ...holdings.map(({ kind, name }) => `the ${kind} "${name}"`),
    ...inside.filter((one) => !provider.inState.has(keyOf(one))).map(told),
  ];
  const name = `${resource.type} "${nameIn(type, prior)}"`;
  const tell = () => [
    error("guard.holds_others", `the ${name} holds what is not deleted with it: ${shortList(found())}`, {
      detail: "That is not managed here, and only what is empty can be deleted.",
      hint: `delete that or move it elsewhere first; to keep the ${resource.type}, take it out of the state with a removed block`,
    }),
  ];
  if (holdings.length > 0) return tell();
  return toldUnlessInState(provider, session, { kind: "held", keys: inside.map(keyOf), name, tell });
}

/** Returns what lies in `id` and is a resource of its own. */
async function insideOf(session: Session, parent: string, id: string): Promise<readonly LiveResource[]> {
  const types = resourceTypes.filter(
    ({ parents, removedWithParent }) => !removedWithParent && parents.some(({ type }) => type === parent),
  );
  const lists = await Promise.all(types.map(({ list }) => list(session.reads)));
  return lists.flatMap((list) => list ?? []).filter(({ parentId }) => parentId === id);
}
