import { brief, loadText, mistakesIn, removeFolders } from "./load";

afterAll(removeFolders);

const api = (body: string): string => `services:\n  api:\n    kind: web\n${body}`;

/** `code line:column pointed at`, summary and hint of every finding, one line each. */
async function told(text: string | Uint8Array): Promise<string[]> {
  const found = await loadText(text);
  expect(found.desired).toBeUndefined();
  return found.diagnostics.map((one) =>
    `${brief(one).replace(" rnv.yaml:", " ")} | ${one.summary} | ${one.hint}`.replace("manifest.", ""),
  );
}

describe("a text that does not parse is one finding, where it is wrong, with what to write", () => {
  it.each(mistakesIn("syntax.txt"))("%s", async (_, text, expected) => {
    expect(await told(text)).toEqual([expected]);
  });

  it.each([
    ["Windows line ends", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark", (text: string) => `\ufeff${text}`],
  ])("is found at the same line and column with %s", async (_, written) => {
    const text = api("    configuration:\n      branch: feat: x\n");
    expect(await told(written(text))).toEqual(await told(text));
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
