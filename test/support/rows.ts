import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The rows of a file of cases: one a line, fields between tabs; `#` begins a comment. */
export const rowsIn = (file: string): readonly string[][] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split("\t"));

/** The cases of a JSON or YAML file: of values that are no plain text. */
export function casesIn<Case>(file: string): readonly Case[] {
  const text = readFileSync(file, "utf8");
  return file.endsWith(".yaml") ? parse(text) : JSON.parse(text);
}

/** The text of a file, in which `<name>` stands for the value of that name. */
export const textIn = (
  file: string,
  values: Readonly<Record<string, string | number | boolean>> = {},
): string =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`<${name}>`, () => `${value}`),
    readFileSync(file, "utf8"),
  );
