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

const alias = "write &name before the first such value; text that begins with * needs quotes";

describe("a text that does not parse is one finding, where it is wrong, with what to write", () => {
  it.each([
    [
      "tabs",
      "services:\n\tapi:\n\t\tkind: web\n",
      "syntax 2:1 \tapi: | a tab indents this line: YAML is indented by spaces | write spaces",
    ],
    [
      "a tab in one line",
      api("\tarchived: true\n    environment: x\n"),
      "syntax 4:1 \tarchived: true | a tab indents this line: YAML is indented by spaces | write spaces",
    ],
    [
      "a tab in the midst",
      fields("      branch: a\n\t  runtime: b\n      plan: c\n"),
      "syntax 6:1 \t  runtime: b | a tab indents this line: YAML is indented by spaces | write spaces",
    ],
    [
      "an open quote at the end",
      fields('      branch: "main\n      runtime: node\n'),
      'syntax 5:15 "main | the " that opens here is not closed | write " where it ends, or remove it',
    ],
    [
      "an open single quote",
      fields("      branch: 'main\n      runtime: node\n  worker: { kind: worker }\n"),
      "syntax 5:15 'main | the ' that opens here is not closed | write ' where it ends, or remove it",
    ],
    [
      "a quote that another ends",
      fields('      branch: "main\n      runtime: "node"\n'),
      'syntax 5:15 "main | the " that opens here is not closed | write " where it ends, or remove it',
    ],
    [
      "a quote before a key",
      fields('      "branch: main\n'),
      'syntax 5:7 "branch: main | the " that opens here is not closed | write " where it ends, or remove it',
    ],
    [
      "an apostrophe in single quotes",
      fields("      startCommand: 'it's'\n"),
      "syntax 5:25 s' | text goes on after its closing quote | put quotes around all of it; inside '…' an apostrophe is written twice: ''",
    ],
    [
      "text after a quote",
      fields('      branch: "node" x.js\n'),
      "syntax 5:22 x.js | text goes on after its closing quote | put quotes around all of it; inside '…' an apostrophe is written twice: ''",
    ],
    [
      "a colon in a value",
      fields("      branch: feat: x\n      runtime: node\n"),
      'syntax 5:15 feat: x | text that holds ": " needs quotes | write it in quotes: key: "…"',
    ],
    [
      "two of them, and a comment",
      fields("      branch: a b: c: d # why\n"),
      'syntax 5:15 a b: c: d # why | text that holds ": " needs quotes | write it in quotes: key: "…"',
    ],
    [
      "a colon and quotes in a value",
      fields('      branch: say: "x"\n'),
      'syntax 5:15 say: "x" | text that holds ": " needs quotes | write it in quotes: key: "…"',
    ],
    [
      "a missing colon",
      api("    configuration\n      branch: main\n"),
      "syntax 4:5 configuration | a colon is missing | a line is `key: value`, with a space after the colon",
    ],
    [
      "a missing colon before a value",
      fields("      branch main\n      runtime: node\n"),
      "syntax 5:7 branch main | a colon is missing | a line is `key: value`, with a space after the colon",
    ],
    [
      "an equals sign",
      fields("      branch = main\n      runtime: node\n"),
      "syntax 5:7 branch = main | a colon is missing | a line is `key: value`, with a space after the colon",
    ],
    [
      "no space after a colon, first",
      fields("      branch:main\n      runtime: node\n"),
      "syntax 5:7 branch:main | a colon is missing | a line is `key: value`, with a space after the colon",
    ],
    [
      "no space after a colon, last",
      fields("      runtime: node\n      branch:main\n"),
      "syntax 6:7 branch:main | a colon is missing | a line is `key: value`, with a space after the colon",
    ],
    [
      "a line that is too deep",
      fields("      branch: main\n        runtime: node\n"),
      "syntax 6:9 runtime: node | this line is indented by 8 spaces, and the line above by 6 | indent the keys of one mapping, and the items of one list, alike",
    ],
    [
      "a line between two levels",
      fields("      branch: main\n     runtime: node\n      plan: free\n"),
      "syntax 6:6 runtime: node | this line is indented by 5 spaces, and the line above by 6 | indent the keys of one mapping, and the items of one list, alike",
    ],
    [
      "an item between two levels",
      fields("      ipAllowList:\n        - a\n       - b\n"),
      "syntax 7:8 - b | this line is indented by 7 spaces, and the line above by 8 | indent the keys of one mapping, and the items of one list, alike",
    ],
    [
      "@",
      fields("      branch: @x/y\n"),
      'syntax 5:15 @x/y | text that begins with @ needs quotes | write it in quotes: key: "…"',
    ],
    [
      "a backtick",
      fields("      branch: `x`\n"),
      'syntax 5:15 `x` | text that begins with ` needs quotes | write it in quotes: key: "…"',
    ],
    [
      "%",
      fields("      branch: %X%\n"),
      'syntax 5:15 %X% | text that begins with % needs quotes | write it in quotes: key: "…"',
    ],
    [
      "stars",
      fields("      branch: * * * * *\n"),
      'syntax 5:15 * * * * * | text that begins with * needs quotes | write it in quotes: key: "…"',
    ],
    [
      "a schedule",
      fields("      branch: */5 * * * *\n"),
      'syntax 5:15 */5 * * * * | text that begins with * needs quotes | write it in quotes: key: "…"',
    ],
    [
      "&",
      fields("      branch: & x\n"),
      'syntax 5:15 & x | text that begins with & needs quotes | write it in quotes: key: "…"',
    ],
    [
      "a dash",
      fields("      branch: - x\n"),
      'syntax 5:15 - x | text that begins with - needs quotes | write it in quotes: key: "…"',
    ],
    [
      "an open [",
      fields("      ipAllowList: [a, b\n      runtime: node\n"),
      "syntax 5:20 [a, b | the [ that opens here is not closed | write ] where it ends, or remove it",
    ],
    [
      "an open {",
      api("    configuration: { branch: a\n    environment: x\n"),
      "syntax 4:20 { branch: a | the { that opens here is not closed | write } where it ends, or remove it",
    ],
    [
      "one } too many",
      api("    configuration: { branch: a }}\n"),
      "syntax 4:33 } | this does not belong to the entry before it | check the indentation, the quotes and the brackets of this line and of the one above it",
    ],
    [
      "a key among list items",
      fields("      ipAllowList:\n        - a\n        runtime: node\n"),
      "syntax 7:9 runtime: node | list items and keys stand side by side | indent the items of a list below its key, and begin each of them with -",
    ],
    [
      "a list item among keys",
      fields("      branch: main\n      - a\n"),
      "syntax 6:7 - a | list items and keys stand side by side | indent the items of a list below its key, and begin each of them with -",
    ],
    [
      "text beside |",
      fields("      branch: | x\n"),
      "syntax 5:17 x | a line break is expected | the text of | and > begins on the line below them",
    ],
    [
      "a bracket that closes left of its key",
      api("    configuration: {\n      branch: a\n  }\n"),
      "syntax 6:3 } | this line is indented too little | indent what is in brackets or quotes deeper than its key, and a closing bracket at least as far",
    ],
    [
      "a missing comma",
      api("    configuration: { branch: a\n      runtime: b }\n"),
      'syntax 5:14 : b } | a comma is missing between two entries, or text needs quotes | inside { } and [ ], text with ": " or ${…} needs quotes',
    ],
    [
      "a colon in braces",
      api("    configuration: { branch: feat: x }\n"),
      'syntax 4:34 : x } | a comma is missing between two entries, or text needs quotes | inside { } and [ ], text with ": " or ${…} needs quotes',
    ],
    [
      "a reference in braces",
      api(`    configuration: { branch: ${open}env.X} }\n`),
      'syntax 4:31 {env.X} } | a comma is missing between two entries, or text needs quotes | inside { } and [ ], text with ": " or ${…} needs quotes',
    ],
    [
      "a merge conflict",
      fields("<<<<<<< HEAD\n      branch: a\n=======\n      branch: b\n>>>>>>> x\n"),
      "syntax 5:1 <<<<<<< HEAD | unresolved merge conflict | keep one side, and remove the lines <<<<<<<, ======= and >>>>>>>",
    ],
    [
      "Windows line ends",
      fields("      branch: feat: x\n").replaceAll("\n", "\r\n"),
      'syntax 5:15 feat: x | text that holds ": " needs quotes | write it in quotes: key: "…"',
    ],
    [
      "a byte order mark",
      `\ufeff${fields("      branch: feat: x\n")}`,
      'syntax 5:15 feat: x | text that holds ": " needs quotes | write it in quotes: key: "…"',
    ],
    [
      "a backslash",
      fields('      branch: "C:\\path\\dir"\n'),
      "syntax 5:19 path\\dir\" | unknown escape sequence | write \\\\ for a backslash, or use single quotes: '…'",
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
      `syntax 3:8 *bsae | the alias names no anchor before it | ${alias}`,
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
      "a duplicate key",
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
