import type { ResourceType } from "../model/resource-type";
import type { Library, ReferableLike } from "./library";

/** A resource of ours that lies in another. */
interface Member {
  readonly construct: ReferableLike;
  readonly type: ResourceType;
  /** The id of its parent as it was given: text, or a token. */
  readonly parentId: unknown;
}

const membersOfStack = new WeakMap<object, Member[]>();

/** The members of a stack by what they lie in; made again when one is added. */
const groupsOfStack = new WeakMap<object, ReadonlyMap<ReferableLike, readonly Member[]>>();

/** Tokens that are ids of our constructs, whatever stack they are in; the library keeps every token as well. */
const ownIds = new Set<unknown>();

/** Notes the token that always stands for the id of one construct. */
export const addOwnId = (token: unknown): unknown => ownIds.add(token);

/** Notes what a resource lies in. */
export function addMember(library: Library, member: Member): void {
  const stack = library.TerraformStack.of(member.construct);
  const members = membersOfStack.get(stack);
  if (members === undefined) membersOfStack.set(stack, [member]);
  else members.push(member);
  groupsOfStack.delete(stack);
}

/**
 * The resources of the stack that are applied before this one: those under the same parent whose types it follows, in
 * the order of the program. rnv knows this order; Terraform knows only what the JSON says.
 */
export function followedBy(
  library: Library,
  construct: ReferableLike,
  { follows }: ResourceType,
): readonly ReferableLike[] {
  if (follows.length === 0) return [];
  const stack = library.TerraformStack.of(construct);
  const groups = groupsOfStack.get(stack) ?? groupMembers(library, stack);
  const siblings = (groups.get(construct) ?? []).filter(({ type }) => follows.includes(type.type));
  return siblings.map((sibling) => sibling.construct).filter(isWritten);
}

function groupMembers(library: Library, stack: object): ReadonlyMap<ReferableLike, readonly Member[]> {
  const byParent = new Map<unknown, Member[]>();
  const groups = new Map<ReferableLike, Member[]>();
  for (const member of membersOfStack.get(stack) ?? []) {
    const parent = identityOf(library, member);
    const group = byParent.get(parent) ?? [];
    group.push(member);
    byParent.set(parent, group);
    groups.set(member.construct, group);
  }
  groupsOfStack.set(stack, groups);
  return groups;
}

/** Parents are one when they have the same id: that of a construct of ours, else what it is in the end. */
function identityOf(library: Library, { construct, parentId }: Member): unknown {
  if (ownIds.has(parentId)) return parentId;
  const resolver = new library.DefaultTokenResolver(new library.StringConcat());
  return library.Tokenization.resolve(parentId, { scope: construct, resolver, preparing: false });
}

/** Of a resource that was moved to another construct the library writes the `moved` block alone. */
const isWritten = (construct: ReferableLike): boolean =>
  (construct as { readonly _hasMoved?: boolean })._hasMoved !== true;
