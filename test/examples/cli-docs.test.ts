import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { diagnosticCodes } from "../../src/diagnostics/diagnostic";
import { cliPages } from "../../tools/write-cli-docs";

const folder = resolve(__dirname, "../../docs/cli");

describe("the reference in docs/cli", () => {
  it.each(Object.entries(cliPages()))("%s is what npm run docs:cli writes", (name, text) => {
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  });

  it("has an anchor for each diagnostic code", () => {
    const page = readFileSync(join(folder, "codes.md"), "utf8");
    expect(diagnosticCodes.filter((code) => !page.includes(`<a id="${code}"></a>`))).toEqual([]);
  });
});
