import { join } from "node:path";
import { normalizeArgv } from "../../../src/cli/argv";
import { rowsIn } from "../../support/rows";

const values = ["out", "o", "file", "f", "target", "chdir", "lock-timeout"];
const flags = ["auto-approve", "json", "no-input", "no-color", "detailed-exitcode"];
const options = new Map([
  ...values.map((name) => [name, "value"] as const),
  ...flags.map((name) => [name, "flag"] as const),
]);

it.each(rowsIn(join(__dirname, "argv.tsv")))("`%s` is read as `%s`", (line = "", expected = "") => {
  expect(normalizeArgv(line.split(" "), options).join(" ")).toBe(expected);
});

it("a value keeps its equals sign and its line breaks", () => {
  expect(normalizeArgv(["-out=a=b\nc"], options)).toEqual(["--out=a=b\nc"]);
});
