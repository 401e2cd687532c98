import type { ResourceType } from "../model/resource-type";
import type { Library, ReferableLike } from "./constructs";

/** A resource of rnv with a parent. */
interface Member {
  readonly construct: ReferableLike;
  readonly type: ResourceType;
  /** The id of its parent as it was given: text, or a token. */
  readonly parentId: unknown;
}

interface StackMembers {
  readonly members: Member[];
  /** Each construct with all members of its parent; grouped when it is asked for, again after a member was added. */
  groups?: ReadonlyMap<ReferableLike, readonly Member[]>;
}

const membersOfStack = new WeakMap<object, StackMembers>();

/** Tokens that are ids of constructs of rnv, whatever stack they are in; the library keeps every token as well. */
const ownIds = new Set<unknown>();

/** Records the token that always stands for the id of one construct. */
export const addOwnId = (token: unknown): unknown => ownIds.add(token);

/** Records the parent of a resource. */
export function addMember(library: Library, member: Member): void {
  const stack = library.TerraformStack.of(member.construct);
  const { members } = membersOfStack.get(stack) ?? { members: [] };
  members.push(member);
  membersOfStack.set(stack, { members });
}

/**
 * The resources of the stack that are applied before `construct`: those under the same parent whose types it follows, in
 * the order of the program. rnv knows this order; Terraform knows only the order that the JSON gives.
 */
export function followedBy(
  library: Library,
  construct: ReferableLike,
  { follows }: ResourceType,
): readonly ReferableLike[] {
  const stack = follows.length === 0 ? undefined : membersOfStack.get(library.TerraformStack.of(construct));
  if (stack === undefined) return [];
  stack.groups ??= groupMembers(library, stack.members);
  const siblings = (stack.groups.get(construct) ?? []).filter(({ type }) => follows.includes(type.type));
  return siblings.map((sibling) => sibling.construct).filter(isWritten);
}

function groupMembers(library: Library, members: readonly Member[]): NonNullable<StackMembers["groups"]> {
  const byParent = new Map<unknown, Member[]>();
  const groups = new Map<ReferableLike, Member[]>();
  for (const member of members) {
    const parent = identityOf(library, member);
    const group = byParent.get(parent) ?? [];
    group.push(member);
    byParent.set(parent, group);
    groups.set(member.construct, group);
  }
  return groups;
}

/** The id of a parent, equal for the same parent: the token of a construct of rnv, else the text that it resolves to. */
function identityOf(library: Library, { construct, parentId }: Member): unknown {
  if (ownIds.has(parentId)) return parentId;
  const resolver = new library.DefaultTokenResolver(new library.StringConcat());
  return library.Tokenization.resolve(parentId, { scope: construct, resolver, preparing: false });
}

/** False for a resource that was moved to another construct: the library writes its `moved` block alone. */
const isWritten = (construct: ReferableLike): boolean =>
  (construct as { readonly _hasMoved?: boolean })._hasMoved !== true;
