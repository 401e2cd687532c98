import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ManifestBlock, writeManifest } from "../../../src/manifest/write";
import type { Address } from "../../../src/model/address";
import { Template } from "../../../src/model/value";
import { resourceTypes } from "../../../src/resources";
import { expectText } from "../../support/expected-text";
import { anyCharacter, fc } from "../../support/fixed-seed";
import { briefs, folderWith, load } from "./load";

let folder: string | undefined;

/** Everything but links to parents, and what the loader adds by itself. */
async function readBack(text: string): Promise<Map<string, Record<string, unknown>>> {
  folder ??= folderWith({});
  writeFileSync(join(folder, "rnv.yaml"), text);
  const found = await load(folder);
  expect(briefs(found).filter((brief) => !brief.startsWith("manifest.empty"))).toEqual([]);
  const resources = new Map<string, Record<string, unknown>>();
  for (const [address, { attributes }] of found.desired?.resources ?? []) {
    const plain = [...attributes].filter(([, { value }]) => !(value instanceof Template));
    resources.set(address, Object.fromEntries(plain.map(([path, { value }]) => [path, value])));
  }
  return resources;
}

const block = (
  type: string,
  names: readonly string[],
  attributes: Readonly<Record<string, never | string | number | boolean | null | object>>,
): ManifestBlock => ({
  type,
  names,
  attributes: new Map(Object.entries(attributes)) as ManifestBlock["attributes"],
});

describe("writeManifest", () => {
  it("nests blocks, leaves default names out, and uses the short forms", () => {
    const text = writeManifest(
      [
        block("variable", ["shop", "api", "KEY"], { key: "KEY", preserve: true }),
        block("layout", ["shop"], { positions: "auto" }),
        block("service", ["docs"], { name: "The docs", kind: "static" }),
        {
          ...block("service", ["shop", "api"], { name: "api", kind: "web", "configuration.branch": "1.10" }),
          meta: { import: "0f" },
        },
        block("project", ["shop"], { name: "shop", description: "costs ${5}" }),
        block("deployment", ["shop", "api"], {}),
      ],
      resourceTypes,
    );
    expectText(join(__dirname, "expected/written.yaml"), text);
  });

  it("gives text that reads back as the same attributes, whatever the strings are", async () => {
    const nasty = fc.constantFrom(
      ..."null|~|true|1.10|0o17|0x1F|1e3|.inf|<<|- a|? a|a: b|a #b|#a|&a|*a|!a|%a|@a|`a|[a|{a|'a|\"a|---|...".split(
        "|",
      ),
      ..."a\n| a|a |\n\na\n|a\n b|\ta|a\tb|$${|$$${x}|${env.HOME}|\u0000|\u0085|\u2028|\ufeffa|\r|a\r\nb|é😀|\u007f".split(
        "|",
      ),
    );
    const text = fc.oneof(
      nasty,
      fc.string({ unit: anyCharacter }),
      fc.array(nasty, { maxLength: 5 }).map((parts) => parts.join("")),
    );
    const name = fc.constantFrom("a", "B-1", "constructor", "null", "1", "1e3", "0x1f", "true", "toString");
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          name,
          fc.record({
            description: text,
            list: fc.array(
              text.filter((one) => one !== ""),
              { maxLength: 4 },
            ),
          }),
          { noNullPrototype: true, maxKeys: 3 },
        ),
        async (projects) => {
          const blocks = Object.entries(projects).flatMap(([key, { description, list }]) => [
            block("project", [key], { name: key, description }),
            block("service", [key, key], {
              name: key,
              kind: "web",
              "configuration.ipAllowList": list,
              archived: false,
            }),
          ]);
          const read = await readBack(writeManifest(blocks, resourceTypes));
          for (const { type, names, attributes } of blocks) {
            const address = [type, ...names].join(".") as Address;
            expect(read.get(address)).toEqual(Object.fromEntries(attributes));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
