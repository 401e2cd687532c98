import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planCase } from "../support/golden-case";
import { rowsIn } from "../support/rows";

// A case is a folder: `case.yaml` is what is there, `expected.txt` what is told. A few have their plan as JSON too.
// `digests.tsv` has the digests and records of some: comments on pull requests hold those that an earlier version made.
const isUpdate = process.env.RNV_UPDATE_GOLDEN === "1";
const cases = readdirSync(__dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const storedPrints = new Map(
  rowsIn(join(__dirname, "digests.tsv")).map(([name = "", digest, record]) => [name, `${digest} ${record}`]),
);

describe("golden plans", () => {
  it("are never rewritten in CI", () => {
    expect(isUpdate && process.env.CI === "true").toBe(false);
  });

  it.each(cases)("%s", async (name) => {
    const file = (base: string): string => join(__dirname, name, base);
    const { text, json, prints } = await planCase(file("case.yaml"));
    compare(file("expected.txt"), text);
    if (existsSync(file("plan.json"))) compare(file("plan.json"), json);
    expect(prints).toBe(storedPrints.get(name) ?? prints);
  });
});

function compare(path: string, text: string): void {
  if (isUpdate && process.env.CI !== "true") writeFileSync(path, text);
  expect(existsSync(path)).toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
}
