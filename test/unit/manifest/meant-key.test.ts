import { shownTexts } from "../../support/shown-texts";
import { brief, loadText, mistakesIn, withApi } from "./load";

const fields = (body: string): string => withApi(`    configuration:\n${body}`);

/**
 * `code line:column pointed at | hint` of every finding, with the resource types of the service. Reading refuses all of
 * them but a field of `configuration` that the catalog may know: about that, a plan decides.
 */
async function told(text: string | Uint8Array): Promise<string[]> {
  const found = await loadText(text);
  const isOpen = found.diagnostics.every(({ code }) => code === "manifest.unknown_field");
  expect(found.desired === undefined).toBe(!isOpen);
  return found.diagnostics.map((one) =>
    `${brief(one).replace(" rnv.yaml:", " ")} | ${one.hint}`.replace("manifest.", ""),
  );
}

describe("a mistake of the kinds people make", () => {
  it.each(mistakesIn("meant-key.txt"))("is named with what to write: %s", async (_, text, expected) => {
    expect(await told(text)).toEqual([expected]);
  });

  it("is named with what to write: Latin-1", async () => {
    const text = Buffer.from(fields("      description: caf\u00e9\n"), "latin1");
    expect(await told(text)).toEqual(["syntax 1:1 | save it as UTF-8"]);
  });

  it.each(["vars", "env", "environmentVariables", "environment", "secrets"])(
    "nothing below %s is shown: it was meant as variables",
    async (word) => {
      for (const value of [
        "{ A: canary }",
        "[A=canary]",
        "{ A: canary: x }",
        "\n      A: canary\n      B: @canary\n",
      ]) {
        const found = await loadText(withApi(`    ${word}: ${value}\n`));
        expect(found.desired).toBeUndefined();
        const shown = shownTexts(found).join("") + JSON.stringify(found.diagnostics);
        expect(shown).not.toContain("canary");
      }
    },
  );
});
