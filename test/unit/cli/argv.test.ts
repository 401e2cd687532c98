import { join } from "node:path";
import { normalizeArgv } from "../../../src/cli/argv";
import { rowsIn } from "../../support/rows";

const options = new Map<string, "flag" | "value">([
  ["out", "value"],
  ["o", "value"],
  ["file", "value"],
  ["f", "value"],
  ["target", "value"],
  ["chdir", "value"],
  ["lock-timeout", "value"],
  ["auto-approve", "flag"],
  ["json", "flag"],
  ["no-input", "flag"],
  ["no-color", "flag"],
  ["detailed-exitcode", "flag"],
]);

it.each(rowsIn(join(__dirname, "argv.tsv")))("`%s` is read as `%s`", (line = "", expected = "") => {
  expect(normalizeArgv(line.split(" "), options).join(" ")).toBe(expected);
});

it("a value keeps its equals sign and its line breaks", () => {
  expect(normalizeArgv(["-out=a=b\nc"], options)).toEqual(["--out=a=b\nc"]);
});
