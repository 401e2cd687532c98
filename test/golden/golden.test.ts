import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expectText } from "../support/expected-text";
import { planCase } from "../support/golden-case";
import { rowsIn } from "../support/rows";

// A case is a folder: `case.yaml` is what is there, `expected.txt` what is told. A few have their plan as JSON too.
// `digests.tsv` has the digests and records of some: comments on pull requests hold those that an earlier version made.
const cases = readdirSync(__dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const storedPrints = new Map(
  rowsIn(join(__dirname, "digests.tsv")).map(([name = "", digest, record]) => [name, `${digest} ${record}`]),
);

describe("golden plans", () => {
  it.each(cases)("%s", async (name) => {
    const file = (base: string): string => join(__dirname, name, base);
    const { text, json, prints } = await planCase(file("case.yaml"));
    expectText(file("expected.txt"), text);
    if (existsSync(file("plan.json"))) expectText(file("plan.json"), json);
    expect(prints).toBe(storedPrints.get(name) ?? prints);
  });
});
