/** A value as JSON, or why JSON cannot hold it. */
export type JsonResult = { readonly json: string } | { readonly problem: string };

/** Writes a plain value as JSON, a line for each part; undefined counts as left out. */
export function manifestJson(value: unknown): JsonResult {
  const problem = problemIn(value, [], []);
  if (problem !== undefined) return { problem };
  const withoutGaps = (_key: string, part: unknown): unknown =>
    Array.isArray(part) ? part.filter((item) => item !== undefined) : part;
  // YAML, which reads it, takes no other form of these.
  const json = JSON.stringify(value, withoutGaps, 2).replace(
    /[\x7f-\x9f\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return { json };
}

type Path = readonly (string | number)[];

function problemIn(value: unknown, path: Path, around: readonly object[]): string | undefined {
  const refuse = (problem: string): string => `${pathText(path) || "the manifest"} ${problem}`;
  if (value === null || ["string", "boolean", "undefined"].includes(typeof value)) return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : refuse(`is ${value}`);
  if (typeof value !== "object") return refuse(`is a ${typeof value}`);
  if (around.includes(value)) return refuse("refers to a value that it is in");
  const className = classOf(value);
  if (className !== undefined) return refuse(`is an object of the class ${className}`);
  const stepTo = (key: string) => (Array.isArray(value) ? Number(key) : key);
  return Object.entries(value)
    .map(([key, part]) => problemIn(part, [...path, stepTo(key)], [...around, value]))
    .find((problem) => problem !== undefined);
}

/** Returns the name of the class of an object that is neither a list nor plain. */
function classOf(value: object): string | undefined {
  const prototype: unknown = Array.isArray(value) ? null : Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? undefined : (value.constructor?.name ?? "unknown");
}

/** `projects.shop.services.api`, `moved[0].from` */
export const pathText = (path: Path): string =>
  path
    .map((step, i) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^[\w-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
      return i === 0 ? step : `.${step}`;
    })
    .join("");
