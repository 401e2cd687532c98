import type { SourceRange } from "../diagnostics/diagnostic";
import type { ListNode, MapEntry, MapNode, ScalarNode, SourceNode } from "../manifest/tree";

/** A value as a node of a manifest. */
export const scalarNode = (value: ScalarNode["value"], range: SourceRange): ScalarNode => ({
  kind: "scalar",
  value,
  range,
});

export const listNode = (items: readonly SourceNode[], range: SourceRange): ListNode => ({
  kind: "list",
  items,
  range,
});

/** A mapping whose keys are at the ranges of their values, unless an entry says where its key is. */
export const mapNode = (
  entries: Iterable<readonly [key: string, value: SourceNode, keyRange?: SourceRange]>,
  range: SourceRange,
): MapNode => ({
  kind: "map",
  entries: new Map([...entries].map(([key, value, keyRange]) => [key, entryNode(key, value, keyRange)])),
  range,
});

export const entryNode = (key: string, value: SourceNode, keyRange = value.range): MapEntry => ({
  key,
  keyRange,
  value,
});
