import { parseSimpleYaml } from "../../../src/manifest/parse-simple-yaml";
import { parseAnyYaml } from "../../../src/manifest/parse-yaml";
import type { SourceNode } from "../../../src/manifest/source-tree";
import { fc } from "../../support/fixed-seed";

/** Documents in each of the two searches; `npm run fuzz` tries 100,000. */
const documents = Number(process.env.RNV_FUZZ_DOCUMENTS ?? 1000);

/** Values and places; where a block collection ends is of no interest. */
function outline(node: SourceNode): unknown {
  const { start, end } = node.range;
  if (node.kind === "scalar") return [node.value, start, end];
  if (node.kind === "list") return [start, node.items.map(outline)];
  return [
    start,
    [...node.entries.values()].map(({ key, keyRange, value }) => [key, keyRange, outline(value)]),
  ];
}

/** True when the fast parser gave an answer; it must then be the one of the YAML parser. */
function agrees(text: string): boolean {
  const simple = parseSimpleYaml("f", text);
  if (simple === undefined) return false;
  const codes: string[] = [];
  const { root } = parseAnyYaml("f", text, (diagnostic) => codes.push(diagnostic.summary));
  const isSame =
    codes.length === 0 &&
    root !== undefined &&
    JSON.stringify(outline(simple)) === JSON.stringify(outline(root));
  // Said in full only where it is wrong: the comparison below is too slow for a hundred thousand documents.
  if (!isSame)
    expect({ text, codes, read: outline(simple) }).toEqual({ text, codes: [], read: root && outline(root) });
  return true;
}

const manifest = `# comment
version: 1

projects:
  shop:   # the shop
    name: "Shop: the first"
    services:
      api:
        kind: web # immutable
        configuration:
          repository: https://git.example.com/shop/api#main
          port: 8080
          startCommand: npm start -- --port=$PORT
          runtime: null
          healthCheckPath: 'it is /healthz'
          ipAllowList:
          - 10.0.0.1/8
          - "::1"
          ignorePaths: [ docs/a.md, "b c", [] ]
        variables:
          LOG_LEVEL: info
          URL: { fromEnv: SHOP_URL }
          HOST: \${service.shop.worker.internalHost}
          EMPTY: {}
        deploy:
      worker: { kind: web, archived: true }
outputs:
`;

describe("parseSimpleYaml", () => {
  it("reads what manifests are made of, as the YAML parser does", () => {
    expect(agrees(manifest)).toBe(true);
  });

  it.each([
    ["a block scalar", "a: |\n  b\n"],
    ["text over two lines", "a: b\n  c\n"],
    ["a repeated key", "a: 1\na: 2\n"],
    ["an anchor", "a: &b c\n"],
    ["a tab", "a:\tb\n"],
    ["a document mark", "a: 1\n---\n"],
    ["a signed fraction", "a: +.1\n"],
    ["an escape", 'a: "\\n"\n'],
    ["a colon in plain text", "a: b: c\n"],
    ["a number that is not whole", "a: 1.10\n"],
    ["a leading zero", "a: 0123\n"],
    ["a hexadecimal number", "a: 0x1F\n"],
    ["an infinite number", "a: .inf\n"],
    ["indentation that goes back half way", "a:\n    b: 1\n  c: 2\n"],
    ["text after a quoted value", 'a: "b" c\n'],
    ["a list of mappings", "a:\n  - b: 1\n"],
    ["nothing", ""],
    ["deep nesting", Array.from({ length: 80 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
  ])("leaves %s to the YAML parser", (_, text) => expect(parseSimpleYaml("f", text)).toBeUndefined());

  it("never differs from the YAML parser, whatever is changed in a manifest", () => {
    const pieces = fc.constantFrom(
      ..."\n| |  |:|: |#| #|-|- |,|{|}|[|]|\"|'|a|1|.|0|e|+|null|true|~|\n  |\n\n|a: b\n|{ a: 1 }|[a, b]|!|&|*|?|\\|%|@|`|\t|é|\u00a0|\u2028|\u0085|😀|---\n|...\n|<<: ".split(
        "|",
      ),
      "|",
      ">",
    );
    const edit = fc.record({ at: fc.nat(manifest.length), drop: fc.nat(3), piece: pieces });
    let answered = 0;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const text = edits.reduce(
          (t, { at, drop, piece }) => t.slice(0, at) + piece + t.slice(at + drop),
          manifest,
        );
        if (agrees(text)) answered += 1;
      }),
      { numRuns: documents },
    );
    expect(answered).toBeGreaterThan(documents / 20);
  }, 3_600_000);

  it("never differs from the YAML parser on short texts", () => {
    const pieces = fc.constantFrom(
      ..."a|b|1|0|.|:|: | |  |\n|- |{|}|[|]|, |\"|'|#| #|e1|x|$|/|+|null|~".split("|"),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        agrees(`a: ${parts.join("")}`);
        agrees(parts.join(""));
      }),
      { numRuns: documents },
    );
  }, 3_600_000);
});
