import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planCase } from "../support/golden-case";

const isUpdate = process.env.RNV_UPDATE_GOLDEN === "1";
const cases = readdirSync(__dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe("golden plans", () => {
  it("are never rewritten in CI", () => {
    expect(isUpdate && process.env.CI === "true").toBe(false);
  });

  it.each(cases)("%s", async (name) => {
    const folder = join(__dirname, name);
    const outcome = await planCase(folder);
    for (const [file, text] of Object.entries(outcome)) {
      const path = join(folder, file);
      if (isUpdate && process.env.CI !== "true") writeFileSync(path, text);
      expect(existsSync(path)).toBe(true);
      expect(text).toBe(readFileSync(path, "utf8"));
    }
  });
});
