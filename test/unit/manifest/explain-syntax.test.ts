import { brief, loadText, removeFolders } from "./load";

afterAll(removeFolders);

const open = "$" + "{";
const api = (body: string): string => `services:\n  api:\n    kind: web\n${body}`;
const fields = (body: string): string => api(`    configuration:\n${body}`);

/** `code line:column pointed at`, summary and hint of every finding, one line each. */
async function told(text: string | Uint8Array): Promise<string[]> {
  const found = await loadText(text);
  expect(found.desired).toBeUndefined();
  return found.diagnostics.map((one) =>
    `${brief(found, one).replace(" rnv.yaml:", " ")} | ${one.summary} | ${one.hint}`.replace("manifest.", ""),
  );
}

const tab = "a tab indents this line: YAML is indented by spaces";
const quote = "the quote that opens here is not closed on its line";
const colon = 'the text holds ": ", which makes a mapping of it';
const alias = "write &name before the first such value; text that begins with * needs quotes";

describe("a text that does not parse is one finding, where it is wrong, with what to write", () => {
  it.each([
    [
      "tabs",
      "services:\n\tapi:\n\t\tkind: web\n",
      `syntax 2:1 | ${tab} | write spaces; 2 lines of the file begin with a tab`,
    ],
    [
      "a tab in one line",
      api("\tarchived: true\n    environment: x\n"),
      `syntax 4:1 | ${tab} | write spaces`,
    ],
    [
      "a tab in the midst",
      fields("      branch: a\n\t  runtime: b\n      plan: c\n"),
      `syntax 6:1 | ${tab} | write spaces`,
    ],
    [
      "an open quote at the end",
      fields('      branch: "main\n      runtime: node\n'),
      `syntax 5:15 "main | ${quote} | write " where the text ends, or remove the first`,
    ],
    [
      "an open single quote",
      fields("      branch: 'main\n      runtime: node\n  worker: { kind: worker }\n"),
      `syntax 5:15 'main | ${quote} | write ' where the text ends, or remove the first`,
    ],
    [
      "a quote that another ends",
      fields('      branch: "main\n      runtime: "node"\n'),
      `syntax 5:15 "main | ${quote} | write " where the text ends, or remove the first`,
    ],
    [
      "a quote before a key",
      fields('      "branch: main\n'),
      `syntax 5:7 "branch: main | ${quote} | write " where the text ends, or remove the first`,
    ],
    [
      "an apostrophe in single quotes",
      fields("      startCommand: 'it's'\n"),
      "syntax 5:24 's' | the quote closes here, and text follows | inside '…' an apostrophe is written twice: ''; or use double quotes",
    ],
    [
      "text after a quote",
      fields('      branch: "node" x.js\n'),
      "syntax 5:22 x.js | text goes on after its closing quote | put quotes around all of it, or around none",
    ],
    [
      "a colon in a value",
      fields("      branch: feat: x\n      runtime: node\n"),
      `syntax 5:15 feat: x | ${colon} | quote it: branch: "feat: x"`,
    ],
    [
      "two of them, and a comment",
      fields("      branch: a b: c: d # why\n"),
      `syntax 5:15 a b: c: d | ${colon} | quote it: branch: "a b: c: d"`,
    ],
    [
      "a colon and quotes in a value",
      fields('      branch: say: "x"\n'),
      `syntax 5:15 say: "x" | ${colon} | quote it: branch: 'say: "x"'`,
    ],
    [
      "a missing colon",
      api("    configuration\n      branch: main\n"),
      "syntax 4:5 configuration | a colon is missing | write configuration:",
    ],
    [
      "a missing colon before a value",
      fields("      branch main\n      runtime: node\n"),
      "syntax 5:7 branch main | a colon is missing | a line here is `key: value`",
    ],
    [
      "an equals sign",
      fields("      branch = main\n      runtime: node\n"),
      "syntax 5:7 branch = main | a colon is missing | write branch: main",
    ],
    [
      "no space after a colon, first",
      fields("      branch:main\n      runtime: node\n"),
      "syntax 5:7 branch:main | a space is missing after the colon | write branch: main",
    ],
    [
      "no space after a colon, last",
      fields("      runtime: node\n      branch:main\n"),
      "syntax 6:7 branch:main | a space is missing after the colon | write branch: main",
    ],
    [
      "a line that is too deep",
      fields("      branch: main\n        runtime: node\n"),
      "syntax 6:9 runtime | this line is indented deeper than branch above it, which has a value already | indent it by 6 spaces",
    ],
    [
      "a line between two levels",
      fields("      branch: main\n     runtime: node\n      plan: free\n"),
      "syntax 6:6 runtime | the line is indented by 5 spaces, as no line above it | indent it by 4 or 6 to go with the lines above",
    ],
    [
      "an item between two levels",
      fields("      ipAllowList:\n        - a\n       - b\n"),
      expect.stringContaining("syntax 7:8 - b | the line is indented by 7 spaces"),
    ],
    [
      "@",
      fields("      branch: @x/y\n"),
      'syntax 5:15 @x/y | text that begins with @ needs quotes | quote it: branch: "@x/y"',
    ],
    [
      "a backtick",
      fields("      branch: `x`\n"),
      'syntax 5:15 `x` | text that begins with ` needs quotes | quote it: branch: "`x`"',
    ],
    [
      "%",
      fields("      branch: %X%\n"),
      'syntax 5:15 %X% | text that begins with % needs quotes | quote it: branch: "%X%"',
    ],
    [
      "stars",
      fields("      branch: * * * * *\n"),
      'syntax 5:15 * * * * * | text that begins with * needs quotes | quote it: branch: "* * * * *"',
    ],
    [
      "a schedule",
      fields("      branch: */5 * * * *\n"),
      'syntax 5:15 */5 * * * * | text that begins with * needs quotes | quote it: branch: "*/5 * * * *"',
    ],
    [
      "&",
      fields("      branch: & x\n"),
      'syntax 5:15 & x | text that begins with & needs quotes | quote it: branch: "& x"',
    ],
    [
      "a dash",
      fields("      branch: - x\n"),
      'syntax 5:15 - x | text that begins with - needs quotes | quote it: branch: "- x"',
    ],
    [
      "an open [",
      fields("      ipAllowList: [a, b\n      runtime: node\n"),
      "syntax 5:20 [ | the [ that opens here is not closed | write ] at its end",
    ],
    [
      "an open {",
      api("    configuration: { branch: a\n    environment: x\n"),
      "syntax 4:20 { | the { that opens here is not closed | write } at its end",
    ],
    [
      "one } too many",
      api("    configuration: { branch: a }}\n"),
      "syntax 4:33 } | the } closes nothing | remove it, or quote the text",
    ],
    [
      "a key among list items",
      fields("      ipAllowList:\n        - a\n        runtime: node\n"),
      "syntax 7:9 runtime | a key follows an item of a list | indent it like the key of the list, or begin it with -",
    ],
    [
      "a list item among keys",
      fields("      branch: main\n      - a\n"),
      "syntax 6:7 - a | a list item follows a key of a mapping | indent it below the key of its list, or remove the -",
    ],
    [
      "text beside |",
      fields("      branch: | x\n"),
      "syntax 5:17 x | a line break is expected | the text of | and > begins on the line below them",
    ],
    [
      "a bracket that closes left of its key",
      api("    configuration: {\n      branch: a\n  }\n"),
      "syntax 6:3 } | the } is indented less than the key of what it closes | indent it as far as that key",
    ],
    [
      "a missing comma",
      api("    configuration: { branch: a\n      runtime: b }\n"),
      "syntax 5:14 : | a comma is missing | put a comma between two entries of [ ] or { }",
    ],
    [
      "a colon in braces",
      api("    configuration: { branch: feat: x }\n"),
      'syntax 4:34 : x } | inside { } and [ ], text with ": " needs quotes | write "…"',
    ],
    [
      "a reference in braces",
      api(`    configuration: { branch: ${open}env.X} }\n`),
      `syntax 4:30 ${open}env.X} | inside { } and [ ], text with ${open}…} needs quotes | write "${open}…}"`,
    ],
    [
      "a merge conflict",
      fields("<<<<<<< HEAD\n      branch: a\n=======\n      branch: b\n>>>>>>> x\n"),
      "syntax 5:1 <<<<<<< HEAD | unresolved merge conflict | keep one side, and remove the lines <<<<<<<, ======= and >>>>>>>",
    ],
    [
      "Windows line ends",
      fields("      branch: feat: x\n").replaceAll("\n", "\r\n"),
      `syntax 5:15 feat: x | ${colon} | quote it: branch: "feat: x"`,
    ],
    [
      "a byte order mark",
      `\ufeff${fields("      branch: feat: x\n")}`,
      `syntax 5:15 feat: x | ${colon} | quote it: branch: "feat: x"`,
    ],
    [
      "a backslash",
      fields('      branch: "C:\\path\\dir"\n'),
      "syntax 5:19 p | unknown escape sequence | write \\\\ for a backslash, or use single quotes: '…'",
    ],
    [
      "an unknown alias",
      api("    configuration: *defaults\n"),
      `syntax 4:20 *defaults | the alias names no anchor before it | ${alias}`,
    ],
    [
      "an unknown alias in a merge",
      fields("      <<: *defaults\n      branch: main\n"),
      `syntax 5:11 *defaults | the alias names no anchor before it | ${alias}`,
    ],
    [
      "a misspelt alias",
      "services:\n  api: &base { kind: web }\n  web: *bsae\n",
      'syntax 3:8 *bsae | the alias names no anchor before it | did you mean "base"?',
    ],
    [
      "a second document",
      "services: {}\n---\nservices: {}\n",
      "unsupported 2:1 --- | a manifest holds one YAML document | put the second document into a file of its own",
    ],
    [
      "an empty second document",
      "services: {}\n---\n",
      "unsupported 2:1 --- | a manifest holds one YAML document | remove this line",
    ],
    [
      "a key that stands twice",
      fields("      branch: a\n      branch: b\n"),
      'duplicate_key 6:7 branch | duplicate key "branch" | remove one of the two',
    ],
  ])("%s", async (_, text, expected) => {
    expect(await told(text)).toEqual([expected]);
  });

  it.each([
    ["a colon", "A: pass: word"],
    ["a reserved character", "A: @word"],
    ["a tab", "A: x\n\tB: word"],
    ["no colon", "A: x\n      word\n      B: y"],
    ["no space", "A: x\n      B:word"],
    ["a deeper line", "A: x\n        word: y"],
    ["an open quote", 'A: "word'],
    ["a star", "A: *word x"],
    ["text after a quote", 'A: "x" word'],
    ["an escape", 'A: "\\word"'],
  ])("shows nothing of a variable's value: %s", async (_, lines) => {
    const found = await loadText(api(`    variables:\n      ${lines}\n`));
    expect(found.diagnostics.filter(({ code }) => code === "manifest.syntax")).toHaveLength(1);
    expect(JSON.stringify(found.diagnostics)).not.toMatch(/word/);
  });
});
