import { join } from "node:path";
import { casesIn } from "../../support/rows";
import { brief, loadText, mistakesIn, withApi } from "./load";

/** `code line:column pointed at`, summary and hint of every finding, one line each. */
async function told(text: string | Uint8Array): Promise<string[]> {
  const found = await loadText(text);
  expect(found.desired).toBeUndefined();
  return found.diagnostics.map((one) =>
    `${brief(one).replace(" rnv.yaml:", " ")} | ${one.summary} | ${one.hint}`.replace("manifest.", ""),
  );
}

describe("a text that does not parse", () => {
  it.each(mistakesIn("syntax.txt"))("is an error at its place: %s", async (_, text, expected) => {
    expect(await told(text)).toEqual([expected]);
  });

  it.each([
    ["Windows line ends", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark", (text: string) => `\ufeff${text}`],
  ])("is found at the same line and column with %s", async (_, written) => {
    const text = withApi("    configuration:\n      branch: feat: x\n");
    expect(await told(written(text))).toEqual(await told(text));
  });

  it.each(casesIn<[string, string]>(join(__dirname, "hidden-values.json")))(
    "shows nothing of a variable's value: %s",
    async (_, lines) => {
      const found = await loadText(withApi(`    variables:\n      ${lines}\n`));
      expect(found.diagnostics.filter(({ code }) => code === "manifest.syntax")).toHaveLength(1);
      expect(JSON.stringify(found.diagnostics)).not.toMatch(/word/);
    },
  );
});
