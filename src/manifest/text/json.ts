/** A value as JSON, or why JSON cannot hold it. */
export type JsonResult = { readonly json: string } | { readonly problem: string };

/** Writes a plain value as JSON, a line for each part; undefined counts as left out. */
export function jsonOf(value: unknown): JsonResult {
  const problem = problemIn(value, [], []);
  return problem === undefined ? { json: jsonText(value) } : { problem };
}

function jsonText(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, part) => (Array.isArray(part) ? part.filter((item) => item !== undefined) : part),
    2,
  );
  // YAML, which reads it, takes no other form of these.
  return text.replace(
    /[\x7f-\x9f\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

type Path = readonly (string | number)[];

function problemIn(value: unknown, path: Path, around: readonly object[]): string | undefined {
  const refuse = (problem: string): string =>
    `${path.length === 0 ? "the manifest" : pathText(path)} ${problem}`;
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (value === undefined) return path.length === 0 ? refuse("is undefined") : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : refuse(`is ${value}`);
  if (typeof value !== "object") return refuse(`is a ${typeof value}`);
  if (around.includes(value)) return refuse("refers to a value that it is in");
  const className = classOf(value);
  if (className !== undefined) return refuse(`is an object of the class ${className}`);
  const parts: readonly [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, i) => [i, item])
    : Object.entries(value);
  for (const [key, part] of parts) {
    const problem = problemIn(part, [...path, key], [...around, value]);
    if (problem !== undefined) return problem;
  }
  return undefined;
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
