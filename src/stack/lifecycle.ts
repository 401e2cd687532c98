import type { SourceRange } from "../diagnostics/diagnostic";
import type { Block } from "../manifest/blocks";
import type { MapEntry, SourceNode } from "../manifest/tree";
import { camelCase, snakeCase, terraformPrefix } from "../model/text";
import { entryAt, type ResourceSource } from "./block-attributes";
import type { Json, JsonNode } from "./document";
import type { StackType } from "./names";
import type { BlockReader } from "./resolve";
import { commentOf, itemsOf, nestedBlocks, unsupported } from "./stack";

/** Reads `lifecycle`, the id to import and the comment of rnv as entries of a manifest. */
export function readMeta(
  { resource: { block }, type, reader }: ResourceSource,
  imported: MapEntry | undefined,
): Pick<Block, "meta"> & { readonly movedFrom: readonly MapEntry[] } {
  const comment = commentOf(block, terraformPrefix);
  const lifecycle = new Map<string, MapEntry>();
  for (const inner of nestedBlocks(block, "lifecycle")) readLifecycle(inner, type, lifecycle, reader);
  const onRemove = comment.at("on_remove");
  if (onRemove.value !== undefined)
    lifecycle.set("onRemove", entryAt("onRemove", literal(onRemove.value, onRemove), onRemove));
  const meta = new Map<string, MapEntry>();
  if (lifecycle.size > 0) {
    const at = block.at("lifecycle");
    meta.set("lifecycle", entryAt("lifecycle", { kind: "map", entries: lifecycle, range: at }, at));
  }
  if (imported !== undefined) meta.set("import", imported);
  const movedFrom = itemsOf(comment.at("moved_from")).map((at) =>
    entryAt("from", literal(at.value ?? null, at), at),
  );
  return { meta, movedFrom };
}

/** A value that is taken as it is written, without expressions. */
const literal = (value: Json, range: SourceRange): SourceNode =>
  value === null || typeof value !== "object"
    ? { kind: "scalar", value, range }
    : { kind: "list", items: [], range };

function readLifecycle(
  block: JsonNode,
  type: StackType,
  lifecycle: Map<string, MapEntry>,
  reader: BlockReader,
): void {
  for (const [key, at] of block.entries) {
    if (key === "prevent_destroy") {
      const node = reader.read(at);
      if (node !== undefined) lifecycle.set("preventDestroy", entryAt("preventDestroy", node, at));
    } else if (key === "ignore_changes")
      lifecycle.set("ignoreChanges", entryAt("ignoreChanges", ignoredPaths(at, type), at));
    else if (key === "precondition" || key === "postcondition") continue;
    else if (key !== "create_before_destroy" || at.value !== false)
      reader.refuse(unsupported(`lifecycle.${key}`), at.keyRange);
  }
}

/** `configuration.health_check_path` in rnv's words; `all` names every attribute. */
function ignoredPaths(at: JsonNode, { placed }: StackType): SourceNode {
  const { value = null } = at;
  const all = [...placed.paths.keys()];
  if (value === "all") return { kind: "list", range: at, items: all.map((path) => literal(path, at)) };
  if (!Array.isArray(value)) return literal(value, at);
  const known = new Map(
    [...all, ...placed.groups.keys()].map((path) => [path.split(".").map(snakeCase).join("."), path]),
  );
  // A further field of an open group is in no list.
  const nameOf = (item: Json): Json =>
    typeof item === "string" ? (known.get(item) ?? (item.includes(".") ? camelCase(item) : item)) : item;
  return { kind: "list", items: value.map((item: Json, i) => literal(nameOf(item), at.at(i))), range: at };
}
