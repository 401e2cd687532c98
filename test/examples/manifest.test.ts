import { resolve } from "node:path";
import { loadManifest } from "../../src/manifest/load-manifest";
import { resourceTypes } from "../../src/resources";
import { manifestReference } from "../../tools/manifest-reference";

const folder = resolve(__dirname, "../../examples/manifest");

describe("the reference of a manifest's fields", () => {
  it("shows a manifest without a mistake", async () => {
    const { diagnostics, desired } = await loadManifest({
      ...{ files: [], cwd: folder, types: resourceTypes, environment: {}, secrets: "skip" },
    });
    expect(diagnostics).toEqual([]);
    expect(desired?.resources.size).toBe(23);
  });

  it("has a word on every field and leaves no cell of its meaning empty", () => {
    const rows = manifestReference()
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    expect(rows.length).toBeGreaterThan(70);
    for (const line of rows) expect(line.split(/(?<!\\)\|/)[2]?.trim()).not.toBe("");
  });
});
