import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { terraformNameOf } from "../../../src/model/text";
import { resourceTypes } from "../../../src/resources";
import { referencePages } from "../../../tools/reference-pages";

const folder = resolve(__dirname, "../../../docs/provider");

describe("the reference of the provider", () => {
  it("is what npm run docs:provider writes", () => {
    const written = readdirSync(folder).filter((name) => name.endsWith(".md"));
    const pages = referencePages();
    expect(written.sort()).toEqual([...pages.keys()].sort());
    for (const [name, text] of pages)
      expect([name, readFileSync(join(folder, name), "utf8")]).toEqual([name, text]);
  });

  it("has a page for every resource type, and a word on every attribute", () => {
    const pages = referencePages();
    for (const type of resourceTypes) expect(pages.has(`resource-${terraformNameOf(type)}.md`)).toBe(true);
    for (const [name, text] of pages)
      expect([name, text.match(/^\| `[^|]*\| [^|]*\|\s*\|$/gm)]).toEqual([name, null]);
  });
});
