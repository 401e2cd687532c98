import type { SourceRange } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { AbsentParts } from "../model/desired";
import type { MapEntry, MapNode } from "./tree";
import { type AttributeShape, type BlockType, sourceKeys } from "./type-index";

export interface WrittenAttribute {
  readonly shape: AttributeShape;
  readonly entry: MapEntry;
}

export interface Block {
  readonly blockType: BlockType;
  readonly address: Address;
  readonly name: string;
  readonly names: readonly string[];
  readonly parent?: Block | undefined;
  /** The key that opens it; for an implicit block that of its parent. */
  readonly range: SourceRange;
  readonly written: readonly WrittenAttribute[];
  /** A source of blocks in it that is not here. */
  readonly absent?: AbsentParts | undefined;
  /** The groups and files that bring it, as written. */
  readonly from?: string | undefined;
  /** The reason why a source that may replace the value is not here. */
  readonly unread?: string | undefined;
  /** `lifecycle`, `import`, `dependsOn` and `sensitive`; most blocks have none of them. */
  readonly meta?: ReadonlyMap<string, MapEntry> | undefined;
  /** False where the value is no block or has a wrong key: its missing keys are then not reported. */
  readonly isReadable: boolean;
}

export function secretNamesIn(blocks: Iterable<Block>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { written } of blocks)
    for (const { shape, entry } of written) {
      if (!shape.secret || entry.value.kind !== "map") continue;
      const name = entry.value.entries.get("fromEnv")?.value;
      if (name?.kind === "scalar" && typeof name.value === "string") names.add(name.value);
    }
  return names;
}

/** A mapping that is the value of the shorthand attribute: `{ fromEnv: NAME }`. */
export const isValueOf = (blockType: BlockType, node: MapNode): boolean =>
  blockType.shorthand?.secret === true && namesSource(node);

export const namesSource = ({ entries }: MapNode): boolean => sourceKeys.some((key) => entries.has(key));
