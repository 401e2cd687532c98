import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const shapes = resolve(__dirname, "../../src/api/wire/shapes.ts");

/** A field of an answer, and the comment that gives its meaning. */
export interface WireField {
  /** The schema that it is of, as `shapes.ts` calls it. */
  readonly schema: string;
  readonly name: string;
  /** Empty: no comment gives it. */
  readonly meaning: string;
}

/**
 * Returns the fields of the schemas in `shapes.ts`. The meaning of a field is in the comment right above it, or above a group
 * of fields that the comment names. That of `{ project }`, `page: page.optional()` and `id` is above the schema that they name. Fields
 * inside a field share its meaning.
 */
export function wireFields(source = readFileSync(shapes, "utf8")): readonly WireField[] {
  const declared = new Map<string, string>();
  const found: WireField[] = [];
  let schema: string | undefined;
  let comment = "";
  let isRightAbove = false;
  let meaning = "";
  for (const line of source.split("\n")) {
    const [, said] = /^\s*\/\*\* (.*) \*\/$/.exec(line) ?? [];
    if (said !== undefined) {
      comment = said;
      isRightAbove = true;
      continue;
    }
    const [, start] = /^(?:export )?const (\w+) = /.exec(line) ?? [];
    if (start !== undefined) declared.set(start, comment);
    if (/looseObject\(\{|\.extend\(\{/.test(line)) schema ??= start;
    for (const [text, name = "", named = name] of line.matchAll(field)) {
      const isInside = /^( {4}|[{,])/.test(text) && start === undefined;
      const own = isRightAbove || new RegExp(`^(\\w+, )*${name}\\b`).test(comment) ? comment : "";
      if (!isInside) meaning = (name === named && declared.get(name)) || own;
      if (schema !== undefined) found.push({ schema, name, meaning });
    }
    // Above a schema of several lines a comment is about the whole.
    isRightAbove = false;
    if (/\}\)[^}]*;$/.test(line)) schema = undefined;
    if (schema === undefined || start !== undefined) comment = "";
  }
  return found;
}

/** A field, and the schema that it has: `page: page.optional()`, or `page`. */
const field = /(?:^ {2,}|[{,] )(\w+)(?=: (\w+)|,$| \})/g;

/** Returns the sentences of the interface that a meaning quotes, and the gaps that it names. */
export function partsOf(meaning: string): { readonly sentences: string[]; readonly gaps: string[] } {
  const parts = [...meaning.matchAll(/(gap )?"([^"]+)"/gi)];
  const texts = (isGap: boolean) =>
    parts.flatMap(([, gap, text = ""]) => ((gap !== undefined) === isGap ? [text] : []));
  return { sentences: texts(false), gaps: texts(true) };
}
