import { join } from "node:path";
import type { SourceNode } from "../../../src/declaration/tree";
import { SourceFile } from "../../../src/diagnostics/diagnostic";
import { parseYaml } from "../../../src/manifest/text/yaml";
import { fc } from "../../support/fixed-seed";
import { textIn } from "../../support/rows";
import { inSoak } from "../../support/soak";
import { outline, outlineByYaml } from "./outline-by-yaml";

/** Documents in each of the searches; `RNV_FUZZ_DOCUMENTS=100000 npx jest test/unit/manifest/yaml.test` tries 100,000. */
const documents = Number(process.env.RNV_FUZZ_DOCUMENTS ?? inSoak(2_000, 60));

/** What a manifest must not hold though it is YAML: nothing is compared then. */
const beyondYaml = /^(?:manifest\.(?:invalid_type|invalid_name|unsupported|too_deep|too_large)|.* alias )/;

/** The library `yaml` takes a value below such a comment for a key, and a tab on an empty line for indentation. */
const misread = /: +\r?\n#|^ *\t\s*(?:$|~|null\b|&|---)/m;

/** Texts that the library `yaml` reads, and we refuse. */
let refused = 0;

/** True when both libraries read the text; they must read the same, and where `yaml` refuses it, so must we. */
function agrees(text: string): boolean {
  const told: string[] = [];
  const { root } = parseYaml(new SourceFile("f"), text, ({ code, summary }) =>
    told.push(`${code} ${summary}`),
  );
  if (told.some((finding) => beyondYaml.test(finding))) return false;
  if (told.some((finding) => finding.startsWith("manifest.syntax"))) {
    if (outlineByYaml(text) !== undefined) refused += 1;
    return false;
  }
  const expected = outlineByYaml(text);
  if (expected === undefined && misread.test(text)) return false;
  const found = root === undefined ? null : outline(root);
  // Said in full only where it is wrong: the comparison below is too slow for a hundred thousand documents.
  if (JSON.stringify(found) !== JSON.stringify(expected))
    expect({ text, told, found }).toEqual({ text, told, found: expected });
  return true;
}

const manifest = textIn(join(__dirname, "whole.yaml"));

const pieces = fc.constantFrom(
  ..."\n| |  |:|: |#| #|-|- |,|{|}|[|]|\"|'|a|1|.|0|e|+|null|true|~|\n  |\n\n|a: b\n|{ a: 1 }|[a, b]".split(
    "|",
  ),
  ..."!|&|&a |*|*shared|?|? |\\|\\u00e9|\\x|%|@|`|\t|\r\n|é|\u00a0|\u2028|\u0085|\ufeff|😀|---\n|\n...\n|<<: ".split(
    "|",
  ),
  ..."|,>,|\n,>-\n".split(","),
);

const shortPieces = fc.constantFrom(
  ..."a|b|1|0|.|:|: | |  |\n|\n  |- |{|}|[|]|, |,|\"|'|#| #|e1|x|$|/|+|null|~|&a |*a|? |!|%|---|\t|\r\n|<<|\\|@".split(
    "|",
  ),
  ..."|,>,|\n ,>\n ".split(","),
);

describe("parseYaml", () => {
  beforeEach(() => {
    refused = 0;
  });

  it("reads the parts of manifests as the library yaml does", () => {
    expect(agrees(manifest)).toBe(true);
    expect(agrees(manifest.replaceAll("\n", "\r\n"))).toBe(true);
  });

  it("never differs from the library yaml, whatever is changed in a manifest", () => {
    const edit = fc.record({ at: fc.nat(manifest.length), drop: fc.nat(3), piece: pieces });
    let read = 0;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const text = edits.reduce(
          (changed, { at, drop, piece }) => changed.slice(0, at) + piece + changed.slice(at + drop),
          manifest,
        );
        if (agrees(text)) read += 1;
      }),
      { numRuns: documents },
    );
    expect(read).toBeGreaterThan(documents / 10);
    expect(refused).toBeLessThan(documents / 100);
  }, 3_600_000);

  it("never differs from the library yaml on short texts", () => {
    fc.assert(
      fc.property(fc.array(shortPieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        for (const whole of [text, `a: ${text}`, `a: ${text}\nb: 1\n`]) agrees(whole);
      }),
      { numRuns: documents },
    );
    expect(refused).toBeLessThan(documents / 50);
  }, 3_600_000);

  it.each([
    ["words of older versions of YAML as text", "a: [yes, off, y]\n", ["yes", "off", "y"]],
    ["numbers", "a: [0o17, 012, 0x1F, +.5, 1e3, -0]\n", [15, 12, 31, 0.5, 1000, -0]],
    ["nothing", "a: [~, null, ]\nb:\n", [null, null]],
    ["text that is folded", "a: >-\n  b\n  c\n\n  d\n", "b c\nd"],
    ["text as it stands", "a: |+\n  b\n   c\n\n", "b\n c\n\n"],
    ["text over lines", 'a: "b\n  c\\\n  d"\n', "b cd"],
    ["a pair in a list", "a: [b: 1]\n", [{ b: 1 }]],
  ])("reads %s", (_, text, expected) => {
    const { root, failed } = parseYaml(new SourceFile("f"), text, () => undefined);
    expect([failed, plainOf(root?.entries.get("a")?.value)]).toEqual([false, expected]);
  });

  it.each([
    ["behind a list, on its line", "a:\n- b c: 1\n- 'd' e: 1\n"],
    ["behind a list at the indentation of its key", "a:\n- 'b' c: 1\n"],
    ["behind a bracket", "a: [b] c\n"],
    ["behind a text", "a: 'b' c: 1\n"],
  ])("refuses text %s", (_, text) => {
    const codes: string[] = [];
    const { root } = parseYaml(new SourceFile("f"), text, ({ code }) => codes.push(code));
    expect([root, codes]).toEqual([undefined, ["manifest.syntax"]]);
  });
});

function plainOf(node: SourceNode | undefined): unknown {
  if (node?.kind === "list") return node.items.map(plainOf);
  if (node?.kind === "map")
    return Object.fromEntries([...node.entries.values()].map(({ key, value }) => [key, plainOf(value)]));
  return node?.value;
}
