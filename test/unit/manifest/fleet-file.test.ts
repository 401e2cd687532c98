import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { trustOf } from "../../../src/declaration/trust";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { readFleetFile } from "../../../src/manifest/beside/find-fleet";
import { newFolder } from "../../support/temp-folder";

/** The code and the summary of each mistake, and the exit code. */
function refused(text: string, { untrusted = false, environment = {} } = {}): unknown {
  const folder = newFolder("fleet");
  writeFileSync(join(folder, "rnv.fleet.yaml"), text);
  try {
    readFleetFile("rnv.fleet.yaml", folder, trustOf({ environment, untrusted }));
    return [];
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return cause.diagnostics.map(({ code, summary }) => `${code} ${summary}`);
  }
}

describe("readFleetFile", () => {
  it("refuses a secret in the address of a state, and does not quote it", () => {
    const found = refused("members: { shop: { state: 'https://u:hunter2@example.com/s' } }\n");
    expect(found).toEqual([
      expect.stringMatching(/^manifest\.invalid_value members\.shop\.state: it holds a secret/),
    ]);
    expect(JSON.stringify(found)).not.toContain("hunter2");
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
