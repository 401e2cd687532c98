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

const service = (name: string): string => `      ${name}:
        kind: web
        configuration:
          branch: main # as everywhere
          runtime:
          plan: "starter"
          port: 8080
          replicas: null
          buildCommand: make ${name}
          startCommand: 'npm start'
          paths: [ a, "b" ]
          region: auto
        archived: false
        environment: production
`;

/** Services that say the same of most things. */
const alike = `projects:\n  shop:\n    services:\n${["api", "web", "worker", "cron"].map(service).join("")}`;

/** Changes it at up to three places; how many of the texts the fast parser answered. */
function answersToChanged(original: string): number {
  const pieces = fc.constantFrom(
    ..."\n| |  |:|: |#| #|-|- |,|{|}|[|]|\"|'|a|1|.|0|e|+|null|true|~|\n  |\n\n|a: b\n|{ a: 1 }|[a, b]|!|&|*|?|\\|%|@|`|\t|é|\u00a0|\u2028|\u0085|😀|---\n|...\n|<<: ".split(
      "|",
    ),
    "|",
    ">",
  );
  const edit = fc.record({ at: fc.nat(original.length), drop: fc.nat(3), piece: pieces });
  let answered = 0;
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const text = edits.reduce(
        (t, { at, drop, piece }) => t.slice(0, at) + piece + t.slice(at + drop),
        original,
      );
      if (agrees(text)) answered += 1;
    }),
    { numRuns: documents },
  );
  return answered;
}

describe("parseSimpleYaml", () => {
  it("reads what manifests are made of, as the YAML parser does", () => {
    expect(agrees(manifest)).toBe(true);
  });

  it.each([
    ["a list below a key that had no value", "a:\n  x:\n  y: 1\nb:\n  x:\n  - 1\n  y: 1\n"],
    [
      "a line indented as in another mapping of that key",
      "a:\n  k:\n    x:\n    y: 1\nk:\n  x:\n    y: 1\n    z: 1\n  w: 1\n",
    ],
    ["a comment below", "a:\n  x: 1\n  y: 1\nb:\n  x: 1\n  # z\n  y: 1\n"],
    ["deeper lines below a key that had no value", "a:\n  x:\n  y: 1\nb:\n  x:\n    z: 1\n  y: 1\n"],
    ["an end within", "a:\n  x: 1\n  y: 1\nb:\n  x: 1\n  "],
    ["other keys in the same place", "a:\n  x: 1\n  y: 1\nb:\n  z: 1\n  x: 1\n  y: 1\n"],
  ])("reads lines that are repeated up to %s as the YAML parser does", (_, text) => {
    expect(agrees(text)).toBe(true);
  });

  it.each([
    ["a key that is repeated in a mapping too", "a:\n  x: 1\n  y: 1\nb:\n  x: 1\n  x: 1\n  y: 1\n"],
    ["text that goes on below", "a:\n  x: 1\n  y: 1\nb:\n  x: 1\n    z\n  y: 1\n"],
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
    expect(answersToChanged(manifest)).toBeGreaterThan(documents / 20);
  }, 3_600_000);

  it("never differs from the YAML parser, whatever is changed where most lines are repeated", () => {
    expect(agrees(alike)).toBe(true);
    expect(answersToChanged(alike)).toBeGreaterThan(documents / 20);
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
