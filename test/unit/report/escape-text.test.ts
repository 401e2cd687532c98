import {
  escapeHtml,
  escapeJson,
  escapeMarkdown,
  escapeText,
  fencedBlock,
  shorten,
} from "../../../src/report/escape-text";
import { anyCharacter, fc } from "../../support/fixed-seed";

describe("escapeText", () => {
  it.each([
    ["an escape sequence", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["a line break", "a\nb\r\n", "a\\nb\\r\\n"],
    ["a tab", "a\tb", "a\\tb"],
    ["a noncharacter", "a\ufffe\u{1ffff}", "a\\ufffe\\ud83f\\udfff"],
    ["a C1 control", "\u009b31m", "\\u009b31m"],
    ["a bidi override", "abc\u202Etxt.exe", "abc\\u202etxt.exe"],
    ["a bidi isolate", "\u2066x\u2069", "\\u2066x\\u2069"],
    ["a zero-width space", "ad\u200Bmin", "ad\\u200bmin"],
    ["a byte order mark", "\uFEFFx", "\\ufeffx"],
    ["a no-break space", "a\u00A0b", "a\\u00a0b"],
    ["a line separator", "a\u2028b", "a\\u2028b"],
    ["a tag character", "a\u{E0041}b", "a\\udb40\\udc41b"],
    ["a lone surrogate", "a\uD800b", "a\\ud800b"],
    ["a Hangul filler", "a\u3164b", "a\\u3164b"],
    ["a workflow command", "::error::x", "\\u003a:error::x"],
    ["a workflow command behind spaces", "  ::set-output name=a::b", "  \\u003a:set-output name=a::b"],
    ["a runner command anywhere", "x ##[add-mask]y", "x \\u0023#[add-mask]y"],
    ["a pipeline command", "##vso[task.complete]", "\\u0023#vso[task.complete]"],
  ])("shows %s as an escape", (_, text, expected) => {
    expect(escapeText(text)).toBe(expected);
  });

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
  it.each([
    ["plain words", "checkout is not complete, see (2/3).", "checkout is not complete, see (2/3)."],
    ["a mention", "ask @admin now", "ask `@admin` now"],
    ["a link", "see [x](http://evil.example)", "see `[x](http://evil.example)`"],
    ["an image", "![x](y)", "`![x](y)`"],
    ["a bare address", "https://evil.example", "`https://evil.example`"],
    ["an address without a scheme", "www.evil.example", "`www.evil.example`"],
    ["HTML", "<img src=x onerror=alert(1)>", "`<img` `src=x` `onerror=alert(1)>`"],
    ["emphasis", "*a* _b_", "`*a*` `_b_`"],
    ["an issue", "#12", "`#12`"],
    ["a list item", "- x", "`-` x"],
    ["a numbered item", "1. x", "`1.` x"],
    ["backticks", "a `b` c", "a `` `b` `` c"],
    ["an emoji name", ":skull:", "`:skull:`"],
  ])("keeps %s from meaning anything", (_, text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  it("fences a block with more backticks than it holds", () => {
    expect(fencedBlock(["```", "x"], "diff")).toBe("````diff\n```\nx\n````");
  });

  it("emoji joined to one stay whole in pages, and no other joiner does", () => {
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

it("escapes what HTML reads", () => {
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
      fc.constantFrom(
        "::error::",
        "##[group]",
        "##vso[",
        "\u001b[2J",
        "\u202E",
        "\u200B",
        "\n",
        "\r",
        "`",
        "```",
        "|",
        "\\",
        "@admin",
        "<script>",
        "[x](y)",
        "![i](j)",
        "https://e.example",
        "www.e.example",
        "#1",
        "**",
        " ",
        "\uD800",
      ),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));
