import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { positionAt } from "../../../src/diagnostics/diagnostic";
import { readAcceptances } from "../../../src/manifest/beside/drift-file";
import { newFolder } from "../../support/temp-folder";

const folder = newFolder("drift-file");

const found = (text: string) => {
  writeFileSync(join(folder, "rnv.drift.yaml"), text);
  const { acceptances, diagnostics } = readAcceptances(folder, []);
  return {
    acceptances,
    mistakes: diagnostics.map(({ code, summary, range }) => {
      const { line, column } = positionAt(text, range?.start ?? -1);
      return `${line}:${column} ${code} ${summary}`;
    }),
  };
};
const entry = (more: string) => `accepted:\n  - address: service.a\n    reason: why\n${more}`;

describe("rnv.drift.yaml", () => {
  it("is read with the end of each entry: of its day in UTC, or its time", () => {
    const { acceptances, mistakes } = found(
      `x-note: free\naccepted:
  - { address: service.shop.api, attribute: configuration.branch, until: 2026-12-31, reason: OPS-1 }
  - { address: "service.*", stage: "prod-*", until: "2028-02-29T18:30Z", reason: OPS-2 }\n`,
    );
    expect(mistakes).toEqual([]);
    expect(acceptances).toMatchObject([
      { address: "service.shop.api", attribute: "configuration.branch", endsAt: Date.UTC(2027, 0, 1) },
      { address: "service.*", stage: "prod-*", endsAt: Date.UTC(2028, 1, 29, 18, 30) },
    ]);
  });

  it.each([
    ["no date", entry("    until: soon\n"), "4:12 manifest.invalid_value accepted.0.until must be a date"],
    ["a day that is not there", entry("    until: 2026-02-30\n"), "4:12 manifest.invalid_value"],
    [
      "an end that is missing",
      entry(""),
      "2:5 manifest.missing_key accepted.0 lacks until, which must be text",
    ],
    [
      "an empty reason",
      "accepted: [{ address: a, until: 2026-12-31, reason: '' }]\n",
      "manifest.invalid_value accepted.0.reason must be text that is not empty",
    ],
    [
      "an unknown key",
      entry("    until: 2026-12-31\n    atribute: a\n"),
      '5:5 manifest.unknown_key accepted.0 has no key "atribute"',
    ],
    ["no list", "accepted: nothing\n", "1:11 manifest.invalid_type accepted must be a list"],
    ["a list of texts", "accepted: [service.a]\n", "1:12 manifest.invalid_type accepted.0 must be a mapping"],
    ["a bare list", "- address: service.a\n", "1:1 manifest.invalid_type the file is not a mapping of keys"],
    ["broken YAML", "accepted: [\n", "manifest.syntax"],
  ])("%s is an error at its place, and nothing is accepted", (_, text, mistake) => {
    const { acceptances, mistakes } = found(text);
    expect(acceptances).toEqual([]);
    expect(mistakes).toEqual([expect.stringContaining(mistake)]);
  });

  it("an empty file and none at all accept nothing; a link out is refused", () => {
    expect(found("")).toEqual({ acceptances: [], mistakes: [] });
    mkdirSync(join(folder, "other"));
    expect(readAcceptances(folder, ["other/rnv.yaml"]).diagnostics).toEqual([]);
    symlinkSync("/etc/passwd", join(folder, "other", "rnv.drift.yaml"));
    expect(readAcceptances(folder, ["other/rnv.yaml"]).diagnostics).toMatchObject([
      { code: "manifest.unreadable", summary: "other/rnv.drift.yaml is a link out of the project folder" },
    ]);
  });
});
