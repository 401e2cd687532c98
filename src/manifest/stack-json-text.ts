import type { Plain } from "../model/value";

const escaped: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON as Terraform's `jsonencode` writes it: sorted keys, no white space, HTML characters escaped. */
export const jsonEncode = (value: Plain): string =>
  JSON.stringify(sorted(value)).replace(/[<>&\u2028\u2029]/g, (character) => escaped[character] as string);

function sorted(value: Plain): Plain {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  const object = value as Record<string, Plain>;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, sorted(object[key] as Plain)]),
  );
}
