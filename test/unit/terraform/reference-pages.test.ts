import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { load } from "js-yaml";
import { camelCase, snakeCase, terraformNameOf } from "../../../src/model/terraform-names";
import { resourceTypes } from "../../../src/resources";
import { providerParts, type SchemaMessage } from "../../../tools/docs/provider-schema";
import { examplesFolder, referencePages, writtenFolders } from "../../../tools/docs/reference-pages";

const docs = resolve(__dirname, "../../../docs");
const filesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];

describe("the reference of the provider", () => {
  it("is what npm run docs writes, in the registries' layout", async () => {
    const pages = await referencePages();
    const written = writtenFolders.flatMap((folder) =>
      filesIn(join(docs, folder)).map((name) => `${folder}/${name}`),
    );
    expect(["index.md", ...written].sort()).toEqual([...pages.keys()].sort());
    for (const [name, text] of pages)
      expect([name, readFileSync(join(docs, name), "utf8")]).toEqual([name, text]);
  });

  it("is beside pages for the command line, and nothing else that a registry does not show", () => {
    const known = ["index.md", "guides", "cli", "explain", ...writtenFolders];
    expect(readdirSync(docs).filter((name) => !known.includes(name))).toEqual([]);
  });

  it("has a page for every resource type, each with an example, and no example without its page", async () => {
    const pages = await referencePages();
    for (const type of resourceTypes)
      expect(pages.has(`resources/${terraformNameOf(type).replace("rnv_", "")}.md`)).toBe(true);
    const examples = filesIn(examplesFolder).filter((name) => name.endsWith(".tf"));
    expect(examples.map((name) => name.replace(/\.tf$/, ".md")).sort()).toEqual([...pages.keys()].sort());
  });

  it("has a word on every attribute, block and parameter", async () => {
    const pages = await referencePages();
    const parts = await providerParts();
    expect(parts.resources.size).toBeGreaterThan(5);
    for (const [name, text] of pages) {
      // Fields of objects have no words of their own in the protocol.
      const own = text.split('<a id="')[0] ?? "";
      expect([name, own.match(/^- `[^`]*` \([^)]*\)\s*(\(see.*)?$/gm)]).toEqual([name, null]);
    }
  });

  it("sets in an example of what Terraform 1.11 does not apply only what there is", async () => {
    const { actions, listResources } = await providerParts();
    for (const [folder, kind] of [["actions", actions] as const, ["list-resources", listResources] as const])
      for (const [name, { block }] of kind) {
        const example = readFileSync(join(examplesFolder, folder, `${name.replace("rnv_", "")}.tf`), "utf8");
        expect(example).toContain(`"${name}"`);
        const inner = /^ {2}config \{\n(.*?)^ {2}\}/ms.exec(example)?.[1] ?? "";
        const given = [...inner.matchAll(/^ {4}(\w+) +=/gm)].map(([, attribute]) => attribute);
        const attributes = block?.attributes ?? [];
        expect([name, given]).toEqual([
          name,
          given.filter((one) => attributes.some((attribute) => attribute.name === one)),
        ]);
        for (const one of attributes)
          if (one.required) expect([name, given]).toEqual([name, expect.arrayContaining([one.name])]);
      }
  });

  it("has the names that both programs of the guide to Pulumi set, in camel case", async () => {
    const { resources } = await providerParts();
    const guide = readFileSync(join(docs, "guides/pulumi.md"), "utf8");
    const [program, inYaml] = ["ts", "yaml"].map((language) => guide.split(`\n\`\`\`${language}\n`)[1] ?? "");
    const declared = Object(load(inYaml?.split("```")[0] ?? "")).resources;
    const check = (given: object, block: SchemaMessage["block"]): void => {
      const attributes = (block?.attributes ?? []).map(({ name = "" }) => camelCase(name));
      const blocks = new Map(
        (block?.blockTypes ?? []).map((one) => [camelCase(one.typeName ?? ""), one.block]),
      );
      for (const [name, value] of Object.entries(given)) {
        expect([...attributes, ...blocks.keys()]).toContain(name);
        expect(program).toMatch(new RegExp(`\\b${name}: `));
        if (blocks.has(name)) check(value, blocks.get(name));
      }
    };
    expect(Object.keys(declared)).toHaveLength(4);
    for (const { type, properties } of Object.values<{ type: string; properties: object }>(declared)) {
      expect(program).toContain(`new ${type.replace(":", ".")}(`);
      check(properties, resources.get(snakeCase(type.replace("rnv:", "rnv")))?.block);
    }
  });
});
