import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { trustOf } from "../../../src/declaration/trust";
import { type Diagnostic, DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { readFleetFile } from "../../../src/manifest/beside/find-fleet";
import { diagnosticsText } from "../../../src/report/diagnostics";
import { plainStyle } from "../../../src/report/style";
import { newFolder } from "../../support/temp-folder";

function mistakesIn(text: string, { untrusted = false, environment = {} } = {}): readonly Diagnostic[] {
  const folder = newFolder("fleet");
  writeFileSync(join(folder, "rnv.fleet.yaml"), text);
  try {
    readFleetFile("rnv.fleet.yaml", folder, trustOf({ environment, untrusted }));
    return [];
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return cause.diagnostics;
  }
}

/** Returns the code and the summary of each mistake. */
const refused: (...given: Parameters<typeof mistakesIn>) => unknown = (...given) =>
  mistakesIn(...given).map(({ code, summary }) => `${code} ${summary}`);

const filler = "a1".repeat(8);

describe("readFleetFile", () => {
  it("refuses a secret in the address of a state, and does not quote it", () => {
    const found = refused("members: { shop: { state: 'https://u:hunter2@example.com/s' } }\n");
    expect(found).toEqual([
      expect.stringMatching(/^manifest\.invalid_value members\.shop\.state: it holds a secret/),
    ]);
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });

  it.each([`sk_live_${filler}`, `rnv_${filler}`])("shows no key that is no name of a variable: %s", (key) => {
    const found = mistakesIn(`members: { shop: { env: { RNV_API_KEY: ${key} } } }\n`);
    const shown = diagnosticsText(found, plainStyle);
    expect(shown).toContain("members.shop.env.RNV_API_KEY: it is a secret");
    expect(shown).not.toContain(key);
  });

  it.each([
    [
      "a state",
      "members: { shop: { state: s3://b/s } }",
      /members\.shop\.state: an untrusted fleet file names/,
    ],
    [
      "a name of the environment",
      "members: { shop: { env: { RNV_API_KEY: SHOP_KEY } } }",
      /reads SHOP_KEY of the/,
    ],
  ])("refuses of an untrusted file %s", (_, text, expected) => {
    expect(refused(text, { untrusted: true })).toEqual([expect.stringMatching(expected)]);
    expect(refused(text)).toEqual([]);
  });
});
