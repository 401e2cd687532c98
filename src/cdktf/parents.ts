import type { Construct } from "constructs";
import { append } from "../model/collections";
import type { ResourceType } from "../model/resource-type";
import { snakeCase } from "../model/terraform-names";
import type { FieldOwner, GivenProps, Written } from "./construct-fields";
import type { Identified } from "./constructs";
import type { Library, ReferableLike } from "./host-library";
import { mark, markOf, sharedMark } from "./shared";

interface StackMembers {
  /** The resources that have a parent, in the order of the program. */
  readonly members: FieldOwner[];
  /** Each of them with all that have its parent; grouped when it is asked for, again after a change. */
  groups?: ReadonlyMap<Construct, readonly FieldOwner[]> | undefined;
}

const membersIn = (library: Library, construct: Construct): StackMembers =>
  sharedMark(library.TerraformStack.of(construct), "members", () => ({ members: [] }));

/** The constructs of rnv in an app, by the token of their ID; the library keeps every token as well. */
const idsOf = ({ node }: Construct): Map<unknown, FieldOwner> =>
  sharedMark(node.root, "ids", () => new Map());

/** Records the token that always stands for the ID of one construct. */
export const addOwnId = (token: unknown, construct: FieldOwner): unknown =>
  idsOf(construct).set(token, construct);

export const constructOfId = (user: Construct, id: unknown): FieldOwner | undefined => idsOf(user).get(id);

/** Returns a text, the name of the construct instead of its id: it stays as it is where the construct moves. */
export function stableText(library: Library, user: ReferableLike, value: unknown): string {
  const named = constructOfId(user, value);
  const nameAttribute = named && typeOfConstruct(named)?.nameAttribute;
  if (named !== undefined && nameAttribute !== undefined)
    return resolved(library, named, named.givenField(snakeCase(nameAttribute)));
  return value === undefined ? "" : resolved(library, user, value);
}

export function addMember(library: Library, construct: FieldOwner): void {
  membersIn(library, construct).members.push(construct);
  forgetGroups(library, construct);
}

/** Groups the members of the stack again when they are read next: a parent was set. */
export function forgetGroups(library: Library, construct: Construct): void {
  membersIn(library, construct).groups = undefined;
}

/**
 * The resources of the stack under the same parent as `construct`, of the types `follows`, in the order of the program.
 * They are applied first: rnv knows that order; Terraform knows only the order that the JSON gives.
 */
export function followedBy(
  library: Library,
  construct: ReferableLike,
  follows: readonly string[],
): readonly ReferableLike[] {
  if (follows.length === 0) return [];
  const stack = membersIn(library, construct);
  stack.groups ??= groupMembers(library, stack.members);
  const siblings = stack.groups.get(construct) ?? [];
  return siblings.filter((one) => follows.includes(typeOfConstruct(one)?.type ?? "") && isWritten(one));
}

function groupMembers(library: Library, members: readonly FieldOwner[]): NonNullable<StackMembers["groups"]> {
  const byParent = new Map<unknown, FieldOwner[]>();
  const groups = new Map<Construct, FieldOwner[]>();
  for (const member of members) {
    const parent = parentIdentity(library, member);
    if (parent === undefined) continue;
    append(byParent, parent, member);
    groups.set(member, byParent.get(parent) ?? []);
  }
  return groups;
}

/** Returns the id of a parent, equal for the same parent: the token of a construct of rnv, else the text that it resolves to. */
export function parentIdentity(library: Library, construct: FieldOwner): unknown {
  const { parents = [] } = typeOfConstruct(construct) ?? {};
  const given = parents.map(({ attribute }) => construct.givenField(snakeCase(attribute))).find((id) => id);
  if (given === undefined || constructOfId(construct, given) !== undefined) return given;
  return resolved(library, construct, given);
}

/** Returns the service and the workspace that the provider of a construct names; two keys of one workspace see the same. */
export function workspaceOf(library: Library, construct: ReferableLike): string {
  const stack = library.TerraformStack.of(construct);
  const { given = {} } = (construct.provider ?? markOf(stack, "provider") ?? {}) as { given?: Written };
  const settings = [given.base_url, given.workspace_id].filter((setting) => setting !== undefined);
  return settings.map((setting) => resolved(library, construct, setting)).join(" ");
}

function resolved(library: Library, scope: Construct, value: unknown): string {
  const resolver = new library.DefaultTokenResolver(new library.StringConcat());
  return library.Tokenization.resolve(value, { scope, resolver, preparing: false });
}

/** Returns true if a resource was moved to another construct: the library writes a `moved` block alone. */
export const hasMoved = (construct: Construct): boolean =>
  (construct as { readonly _hasMoved?: boolean })._hasMoved === true;

/** False for a resource that was removed, is left out, or was moved to another construct, itself or one above. */
export const isWritten = (construct: ReferableLike): boolean =>
  construct.node.scopes.every(
    (one) =>
      !hasMoved(one) &&
      (one.node.scope === undefined || one.node.scope.node.tryFindChild(one.node.id) === one),
  );

export const noteType = (construct: object, type: ResourceType): unknown => mark(construct, "type", type);

export const typeOfConstruct = (construct: object): ResourceType | undefined => markOf(construct, "type");

/** The parent that was given, else the nearest construct above that is one. */
export function parentOf(
  type: ResourceType,
  scope: Construct,
  props: GivenProps,
): { readonly attribute: string; readonly id: unknown } | undefined {
  for (const { type: wanted, attribute } of type.parents) {
    const given = props[wanted] as Identified | undefined;
    const above = scope.node.scopes.findLast((construct) => typeOfConstruct(construct)?.type === wanted);
    const id = given?.id ?? props[attribute] ?? (above as Partial<Identified> | undefined)?.id;
    if (id !== undefined) return { attribute, id };
  }
  return undefined;
}
