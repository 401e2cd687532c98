import { existsSync, readFileSync, writeFileSync } from "node:fs";

const isUpdate = process.env.RNV_UPDATE_GOLDEN === "1";
if (isUpdate && process.env.CI === "true") throw new Error("expected texts are never rewritten in CI");

/** Compares a text with the content of a file, which `npm run golden` writes. */
export function expectText(path: string, text: string): void {
  if (isUpdate) writeFileSync(path, text);
  expect(existsSync(path)).toBe(true);
  expect(text).toBe(readFileSync(path, "utf8"));
}
