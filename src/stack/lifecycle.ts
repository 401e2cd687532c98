import type { SourceRange } from "../diagnostics/diagnostic";
import type { Block } from "../manifest/blocks";
import type { MapEntry, SourceNode } from "../manifest/tree";
import { camelCase, snakeCase, terraformPrefix } from "../model/text";
import { entryAt, type ResourceSource } from "./block-attributes";
import type { Json, JsonLocation } from "./document";
import type { StackType } from "./names";
import type { BlockReader } from "./resolve";
import { commentOf, nestedBlocks, unsupported } from "./stack";

/** Reads `lifecycle`, the id to import and the comment of rnv as entries of a manifest. */
export function readMeta(
  { resource: { body, location }, type, reader }: ResourceSource,
  imported: MapEntry | undefined,
): Pick<Block, "meta"> & { readonly movedFrom: readonly MapEntry[] } {
  const comment = commentOf(body, terraformPrefix);
  const commentLocation = location.at("//").at(terraformPrefix);
  const lifecycle = new Map<string, MapEntry>();
  for (const block of nestedBlocks({ value: body, location }, "lifecycle"))
    readLifecycle(block, type, lifecycle, reader);
  if (comment?.on_remove !== undefined) {
    const at = commentLocation.at("on_remove");
    lifecycle.set("onRemove", entryAt("onRemove", literal(comment.on_remove, at), at));
  }
  const meta = new Map<string, MapEntry>();
  if (lifecycle.size > 0) {
    const at = location.at("lifecycle");
    meta.set("lifecycle", entryAt("lifecycle", { kind: "map", entries: lifecycle, range: at }, at));
  }
  if (imported !== undefined) meta.set("import", imported);
  const before = Array.isArray(comment?.moved_from) ? (comment.moved_from as readonly Json[]) : [];
  const movedFrom = before.map((from, i) => {
    const at = commentLocation.at("moved_from").at(i);
    return entryAt("from", literal(from, at), at);
  });
  return { meta, movedFrom };
}

/** A value that is taken as it is written, without expressions. */
const literal = (value: Json, range: SourceRange): SourceNode =>
  value === null || typeof value !== "object"
    ? { kind: "scalar", value, range }
    : { kind: "list", items: [], range };

function readLifecycle(
  { value: body, location }: ReturnType<typeof nestedBlocks>[number],
  type: StackType,
  lifecycle: Map<string, MapEntry>,
  reader: BlockReader,
): void {
  for (const [key, value] of Object.entries(body)) {
    const at = location.at(key);
    if (key === "prevent_destroy") {
      const node = reader.read(value, at);
      if (node !== undefined) lifecycle.set("preventDestroy", entryAt("preventDestroy", node, at));
    } else if (key === "ignore_changes")
      lifecycle.set("ignoreChanges", entryAt("ignoreChanges", ignoredPaths(value, at, type), at));
    else if (key === "precondition" || key === "postcondition") continue;
    else if (key !== "//" && !(key === "create_before_destroy" && value === false))
      reader.refuse(unsupported(`lifecycle.${key}`), at.keyRange);
  }
}

/** `configuration.health_check_path` in rnv's words; `all` names every attribute. */
function ignoredPaths(value: Json, range: JsonLocation, { placed }: StackType): SourceNode {
  const all = [...placed.paths.keys()];
  if (value === "all") return { kind: "list", range, items: all.map((path) => literal(path, range)) };
  if (!Array.isArray(value)) return literal(value, range);
  const known = new Map(
    [...all, ...placed.groups.keys()].map((path) => [path.split(".").map(snakeCase).join("."), path]),
  );
  // A further field of an open group is in no list.
  const nameOf = (item: Json): Json =>
    typeof item === "string" ? (known.get(item) ?? (item.includes(".") ? camelCase(item) : item)) : item;
  return { kind: "list", items: value.map((item: Json, i) => literal(nameOf(item), range.at(i))), range };
}
