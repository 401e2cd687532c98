import { readFileSync } from "node:fs";

/** The rows of a file of cases: one a line, fields between tabs; `#` begins a comment. */
export const rowsIn = (file: string): readonly string[][] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split("\t"));
