import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { positionAt } from "../../../src/diagnostics/diagnostic";
import { readAcceptances } from "../../../src/manifest/beside/drift-file";
import { casesIn } from "../../support/rows";
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

  it.each(casesIn<[string, string, string]>(join(__dirname, "refused-drift-files.json")))(
    "%s is an error at its place, and nothing is accepted",
    (_, text, mistake) => {
      const { acceptances, mistakes } = found(text);
      expect(acceptances).toEqual([]);
      expect(mistakes).toEqual([expect.stringContaining(mistake)]);
    },
  );

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
