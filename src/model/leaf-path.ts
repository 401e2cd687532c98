import type { AttributeRule } from "./resource-type";

/**
 * Attribute paths of a block: its keys, with the groups flattened one level (`configuration.branch`). Records and
 * objects that are no group, such as a layout's positions, are one attribute each.
 */
export type LeafPath<Block, Group extends string = never> =
  | Exclude<keyof Block & string, Group>
  | {
      [G in Group & keyof Block]: G extends string ? `${G}.${keyof NonNullable<Block[G]> & string}` : never;
    }[Group & keyof Block];

/** One rule for every attribute path of a block and for its parent attributes: a field without one does not compile. */
export type RulesOf<Block, ParentAttribute extends string = never, Group extends string = never> = Readonly<
  Record<LeafPath<Block, Group> | ParentAttribute, AttributeRule>
>;
