import type { Construct } from "constructs";
import type { ResourceType } from "../model/resource-type";
import { snakeCase } from "../model/text";
import type { GivenProps } from "./fields";
import type { Library, ReferableLike } from "./library";

/** A resource of rnv with a parent. */
interface Member {
  readonly construct: ReferableLike;
  readonly type: ResourceType;
  /** Returns the id of its parent as it was given last: text, or a token. */
  readonly parentId: () => unknown;
}

interface StackMembers {
  readonly members: Member[];
  /** Each construct with all members of its parent; grouped when it is asked for, again after a change. */
  groups?: ReadonlyMap<ReferableLike, readonly Member[]> | undefined;
}

const membersOfStack = new WeakMap<object, StackMembers>();

/** The construct of rnv that a token is the id of, whatever stack it is in; the library keeps every token as well. */
const ownIds = new Map<unknown, ReferableLike>();

/** Records the token that always stands for the id of one construct. */
export const addOwnId = (token: unknown, construct: ReferableLike): unknown => ownIds.set(token, construct);

/** Returns the construct of rnv that an id was taken from. */
export const constructOfId = (id: unknown): ReferableLike | undefined => ownIds.get(id);

/** Returns a text, the name of the construct instead of its id: it stays as it is where the construct moves. */
export function stableText(library: Library, user: ReferableLike, value: unknown): string {
  const named = ownIds.get(value) as (ReferableLike & { givenField(name: string): unknown }) | undefined;
  const nameAttribute = named && typeOfConstruct.get(named)?.nameAttribute;
  if (named !== undefined && nameAttribute !== undefined)
    return resolved(library, named, named.givenField(snakeCase(nameAttribute)));
  return value === undefined ? "" : resolved(library, user, value);
}

/** Records a resource that has a parent. */
export function addMember(library: Library, member: Member): void {
  const stack = library.TerraformStack.of(member.construct);
  const { members } = membersOfStack.get(stack) ?? { members: [] };
  members.push(member);
  membersOfStack.set(stack, { members });
}

/** Groups the members of the stack anew when they are asked for next: a parent was set. */
export function forgetGroups(library: Library, construct: Construct): void {
  const stack = membersOfStack.get(library.TerraformStack.of(construct));
  if (stack !== undefined) stack.groups = undefined;
}

/**
 * The resources of the stack under the same parent as `construct`, of the types `follows`, in the order of the program.
 * Where they are applied first, rnv knows that order; Terraform knows only the order that the JSON gives.
 */
export function followedBy(
  library: Library,
  construct: ReferableLike,
  follows: readonly string[],
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
    if (parent === undefined) continue;
    const group = byParent.get(parent) ?? [];
    group.push(member);
    byParent.set(parent, group);
    groups.set(member.construct, group);
  }
  return groups;
}

/** The id of a parent, equal for the same parent: the token of a construct of rnv, else the text that it resolves to. */
function identityOf(library: Library, { construct, parentId }: Member): unknown {
  const given = parentId();
  if (given === undefined || ownIds.has(given)) return given;
  return resolved(library, construct, given);
}

function resolved(library: Library, scope: ReferableLike, value: unknown): string {
  const resolver = new library.DefaultTokenResolver(new library.StringConcat());
  return library.Tokenization.resolve(value, { scope, resolver, preparing: false });
}

/** False for a resource that was removed, is left out, or was moved to another construct: the library writes a `moved` block alone. */
const isWritten = (construct: ReferableLike): boolean =>
  (construct as { readonly _hasMoved?: boolean })._hasMoved !== true &&
  construct.node.scope?.node.tryFindChild(construct.node.id) === construct;

/** The resource types of the constructs of rnv. */
const typeOfConstruct = new WeakMap<object, ResourceType>();

export const noteType = (construct: object, type: ResourceType): unknown =>
  typeOfConstruct.set(construct, type);

export const hasType = (construct: object): boolean => typeOfConstruct.has(construct);

/** The parent that was given, else the nearest construct above that is one. */
export function parentOf(
  type: ResourceType,
  scope: Construct,
  props: GivenProps,
): { readonly attribute: string; readonly id: unknown } | undefined {
  for (const parent of type.parents) {
    const given = props[parent.type] as { readonly id: string } | undefined;
    const id = given?.id ?? props[parent.attribute];
    if (id !== undefined) return { attribute: parent.attribute, id };
    const above = [...scope.node.scopes]
      .reverse()
      .find((one) => typeOfConstruct.get(one)?.type === parent.type);
    if (above !== undefined)
      return { attribute: parent.attribute, id: (above as unknown as { readonly id: string }).id };
  }
  return undefined;
}
