import { join } from "node:path";
import {
  escapeHtml,
  escapeJson,
  escapeMarkdown,
  escapeText,
  fencedBlock,
  shorten,
} from "../../../src/report/escape-text";
import { anyCharacter, fc } from "../../support/fixed-seed";
import { casesIn, rowsIn } from "../../support/rows";

describe("escapeText", () => {
  it.each(casesIn<[string, string, string]>(join(__dirname, "escapes.json")))(
    "shows %s as an escape",
    (_, text, expected) => {
      expect(escapeText(text)).toBe(expected);
    },
  );

  it("holds no hidden character and no command, whatever comes in", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = escapeText(text);
        expect(shown).not.toMatch(forbidden);
        expect(shown).not.toMatch(/^\s*::|##\w*\[/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("Markdown", () => {
  it.each(rowsIn(join(__dirname, "markdown-escapes.tsv")))(
    "keeps %s from meaning anything",
    (_, text, expected) => {
      expect(escapeMarkdown(text)).toBe(expected);
    },
  );

  it("fences a block with more backticks than it holds", () => {
    expect(fencedBlock(["```", "x"], "diff")).toBe("````diff\n```\nx\n````");
  });

  it("keeps joined emoji whole in pages, and escapes every other joiner", () => {
    expect(escapeHtml("\u{1F468}\u200d\u{1F469}\u{1F3FD}\u200d\u{1F467} <b>")).toBe(
      "\u{1F468}\u200d\u{1F469}\u{1F3FD}\u200d\u{1F467} &lt;b&gt;",
    );
    expect(escapeHtml("a\u200db \u{1F468}\u200dx \u200d\u{1F468}")).toBe(
      "a\\u200db \u{1F468}\\u200dx \\u200d\u{1F468}",
    );
  });

  it("has nothing but code spans and plain words, whatever comes in", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const bare = escapeMarkdown(text).replace(/(`+)(?!`).*?[^`]\1(?!`)/gs, "");
        expect(bare).not.toMatch(/[<>&[\]@#*_`|\\~{}]|:\/\/|www\./i);
      }),
      { numRuns: 500 },
    );
  });
});

it("escapes the characters that HTML reads", () => {
  expect(escapeHtml(`<a href="x">&'`)).toBe("&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
});

it("cuts by characters, not by code units", () => {
  expect(shorten("🚀🚀🚀🚀🚀", 4)).toBe("🚀...");
  expect(shorten("abcd", 4)).toBe("abcd");
});

it("writes JSON that reads back unchanged and shows nothing hidden", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const json = escapeJson({ [text]: text }, 2);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [text]: text })));
      expect(json.replaceAll("\n", "")).not.toMatch(forbidden);
      expect(json).not.toMatch(/##\w*\[/);
    }),
    { numRuns: 300 },
  );
});

const forbidden = /[\p{Cc}\p{Cs}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u2028\u2029]/u;

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...casesIn<string>(join(__dirname, "hostile-parts.json"))),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));
