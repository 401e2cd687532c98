import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planCase } from "../support/golden-case";

// A case is a folder: `case.yaml` is what is there, `expected.txt` what is told. A few have their plan as JSON too.
const isUpdate = process.env.RNV_UPDATE_GOLDEN === "1";
const cases = readdirSync(__dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe("golden plans", () => {
  it("are never rewritten in CI", () => {
    expect(isUpdate && process.env.CI === "true").toBe(false);
  });

  it.each(cases)("%s", async (name) => {
    const file = (base: string): string => join(__dirname, name, base);
    const { text, json } = await planCase(file("case.yaml"));
    compare(file("expected.txt"), text);
    if (existsSync(file("plan.json"))) compare(file("plan.json"), json);
  });
});

function compare(path: string, text: string): void {
  if (isUpdate && process.env.CI !== "true") writeFileSync(path, text);
  expect(existsSync(path)).toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
}
