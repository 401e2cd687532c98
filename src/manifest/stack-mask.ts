import { snakeCase } from "../model/terraform-name";
import type { Program, Stack } from "./stack";
import { isObject, type Json, type Place } from "./stack-document";
import type { PlacedType } from "./type-index";

/** A value without text of its own: `${rnv_service.api.url}`, `${var.x}`. */
const onlyNames = /^\$\{[\w.\-[\]]+\}$/;

/**
 * The text of a stack for code frames: what may be a secret is starred out, offsets and lines as they were. Locals,
 * defaults and outputs may hold secrets as well as the attributes that do; what only names something stays.
 */
export function maskStack(stack: Stack, program: Pick<Program, "types">): string {
  const ranges: [number, number][] = [];
  const hide = (value: Json, place: Place): void => {
    if (typeof value === "string" || typeof value === "number") {
      if (!onlyNames.test(String(value))) ranges.push([place.start, place.end]);
    } else if (value !== null && typeof value === "object")
      for (const [key, inner] of Object.entries(value))
        hide(inner, place.at(Array.isArray(value) ? Number(key) : key));
  };
  for (const { value, place } of stack.locals.values()) hide(value, place);
  for (const { value, place } of [...stack.variables.values(), ...stack.outputs.values()])
    if (isObject(value)) for (const key of ["default", "value"]) hide(value[key] ?? null, place.at(key));
  for (const { terraformType, body, place } of stack.resources) {
    const placed = program.types.get(terraformType);
    const open = placed === undefined ? new Set<string>() : openKeys(placed);
    if (placed !== undefined && open === undefined) continue;
    for (const [key, value] of Object.entries(body)) if (!open?.has(key)) hide(value, place.at(key));
  }
  return star(stack.document.text, ranges);
}

const meta = ["//", "depends_on", "lifecycle", "provider"];

/** Attributes that are no secrets, of a type that has any; undefined where a type has none. */
function openKeys(placed: PlacedType): ReadonlySet<string> | undefined {
  const shapes = [...placed.attributes];
  if (!shapes.some(([, { secret }]) => secret)) return undefined;
  const open = shapes.flatMap(([key, { secret }]) => (secret ? [] : [snakeCase(key)]));
  return new Set([...open, ...meta, ...placed.type.parents.map(({ attribute }) => snakeCase(attribute))]);
}

function star(text: string, ranges: readonly (readonly [number, number])[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (start < at) continue;
    pieces.push(text.slice(at, start), stars(text.slice(start, end)));
    at = end;
  }
  return [...pieces, text.slice(at)].join("");
}

/**
 * The text of a file that is no JSON. Up to where it fails only keys and punctuation are shown; from there on nothing
 * can be told apart any more.
 */
export function maskBrokenStack(text: string, failedAt: number): string {
  const texts = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
  const before = text.slice(0, failedAt).replace(texts, (found, colon) => (colon ? found : stars(found)));
  return before + stars(text.slice(failedAt));
}

const stars = (text: string): string => text.replace(/[^\r\n]/g, "*");
