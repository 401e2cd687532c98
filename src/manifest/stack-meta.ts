import type { Address } from "../model/address";
import { camelCase, snakeCase, terraformPrefix } from "../model/terraform-name";
import type { MapEntry, SourceNode } from "./source-tree";
import { commentOf, type Program, type Stack, type StackResource } from "./stack";
import { isObject, type Json, type JsonObject, type Place } from "./stack-document";
import { type Expression, parseExpression } from "./stack-expression";
import { addressOfResource } from "./stack-names";
import { StackProblem, unsupported } from "./stack-problem";
import type { Reader } from "./stack-reader";
import { understood } from "./stack-values";
import type { PlacedType } from "./type-index";

interface Meta {
  /** `lifecycle` and `import`, in the words of a manifest. */
  readonly meta: ReadonlyMap<string, MapEntry>;
  readonly movedFrom: readonly MapEntry[];
}

const nothing: Meta = { meta: new Map(), movedFrom: [] };

/** What a resource says about its life: `lifecycle`, an `import` block that names it, and the comment of rnv. */
export function metaEntries(
  { body, place }: StackResource,
  placed: PlacedType,
  address: Address,
  reader: Reader,
  imports: ReadonlyMap<Address, MapEntry>,
): Meta {
  const comment = commentOf(body, terraformPrefix);
  const imported = imports.get(address);
  if (body.lifecycle === undefined && comment === undefined && imported === undefined) return nothing;
  const meta = new Map<string, MapEntry>();
  const lifecycle = new Map<string, MapEntry>();
  for (const { value, place: at } of blocksOf(body.lifecycle, place.at("lifecycle")))
    readLifecycle(value, at, placed, lifecycle, reader);
  const commentPlace = place.at("//").at(terraformPrefix);
  if (comment?.on_remove !== undefined) {
    const at = commentPlace.at("on_remove");
    lifecycle.set("onRemove", entry("onRemove", literal(comment.on_remove, at), at));
  }
  if (lifecycle.size > 0) {
    const at = place.at("lifecycle");
    meta.set("lifecycle", entry("lifecycle", { kind: "map", entries: lifecycle, range: at }, at));
  }
  if (imported !== undefined) meta.set("import", imported);
  const before = Array.isArray(comment?.moved_from) ? (comment.moved_from as readonly Json[]) : [];
  const movedFrom = before.map((from, i) => {
    const at = commentPlace.at("moved_from").at(i);
    return entry("from", literal(from, at), at);
  });
  return { meta, movedFrom };
}

/** A nested block stands alone or in a list. */
export const blocksOf = (
  value: Json | undefined,
  place: Place,
): readonly { value: JsonObject; place: Place }[] =>
  (Array.isArray(value)
    ? (value as readonly Json[]).map((item, i) => ({ item, at: place.at(i) }))
    : [{ item: value, at: place }]
  ).flatMap(({ item, at }) => (isObject(item) ? [{ value: item, place: at }] : []));

const entry = (key: string, value: SourceNode, place: Place): MapEntry => ({
  key,
  keyRange: place.keyPlace,
  value,
});

/** A value that is not worked out: what a comment holds. */
export const literal = (value: Json, range: Place): SourceNode =>
  value === null || typeof value !== "object"
    ? { kind: "scalar", value, range }
    : { kind: "list", items: [], range };

function readLifecycle(
  body: JsonObject,
  place: Place,
  placed: PlacedType,
  into: Map<string, MapEntry>,
  reader: Reader,
): void {
  for (const [key, value] of Object.entries(body)) {
    const at = place.at(key);
    if (key === "prevent_destroy") {
      const node = reader.read(value, at);
      if (node !== undefined) into.set("preventDestroy", entry("preventDestroy", node, at));
    } else if (key === "ignore_changes") {
      const node = ignoredPaths(value, at, placed);
      into.set("ignoreChanges", entry("ignoreChanges", node, at));
    } else if (key === "create_before_destroy" && value === false) continue;
    else if (key !== "//") reader.refuse(unsupported(`lifecycle.${key}`), at.keyPlace);
  }
}

/** `configuration.health_check_path` in the words of a manifest; `all` names every attribute. */
function ignoredPaths(value: Json, place: Place, placed: PlacedType): SourceNode {
  const all = [...placed.paths.keys()];
  if (value === "all")
    return {
      kind: "list",
      range: place,
      items: all.map((path) => ({ kind: "scalar", value: path, range: place })),
    };
  if (!Array.isArray(value)) return literal(value, place);
  const known = new Map(
    [...all, ...placed.groups.keys()].map((path) => [path.split(".").map(snakeCase).join("."), path]),
  );
  const items = value.map((item: Json, i): SourceNode => {
    const path = typeof item === "string" ? known.get(item) : undefined;
    // A further field of an open group is in no list.
    return literal(
      path ?? (typeof item === "string" && item.includes(".") ? camelCase(item) : item),
      place.at(i),
    );
  });
  return { kind: "list", items, range: place };
}

/** Addresses that `depends_on` names. */
export function dependsOnOf(
  { body, place }: Pick<StackResource, "body" | "place">,
  stack: Stack,
  program: Program,
  reader: Reader,
): readonly Address[] {
  const value = body.depends_on;
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    reader.refuse(new StackProblem("manifest.invalid_type", "depends_on is a list"), place.at("depends_on"));
    return [];
  }
  return value.flatMap((item: Json, i) => {
    // Data sources are read before anything changes.
    if (isDataName(item, stack)) return [];
    const address = resourceNamed(item, place.at("depends_on").at(i), program, reader);
    return address === undefined ? [] : [address];
  });
}

/** `data.rnv_service.api`, declared in this stack. */
const isDataName = (value: Json, { data }: Stack): boolean =>
  typeof value === "string" && value.startsWith("data.") && data.has(value.slice("data.".length));

/** `rnv_service.api`, as blocks name a resource. */
export function resourceNamed(
  value: Json,
  place: Place,
  program: Program,
  reader: Reader,
): Address | undefined {
  try {
    const text = typeof value === "string" ? value.replace(/^\$\{(.*)\}$/, "$1") : "";
    const found = understood(() => parseExpression(text));
    const [type, name, ...rest] = stepsOf(found);
    const placed = program.types.get(type ?? "");
    if (placed === undefined || name === undefined || rest.length > 0)
      throw unsupported(JSON.stringify(text));
    return addressOfResource(placed, name);
  } catch (cause) {
    if (!(cause instanceof StackProblem)) throw cause;
    reader.refuse(cause, place);
    return undefined;
  }
}

function stepsOf(expression: Expression): readonly string[] {
  if (expression.kind === "root") return [expression.name];
  if (expression.kind === "access" && expression.key.kind === "value")
    return [...stepsOf(expression.of), String(expression.key.value)];
  throw unsupported("that expression");
}
