import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { loadManifest } from "../../src/manifest/load-manifest";
import { resourceTypes } from "../../src/resources";
import { manifestReference } from "../../tools/manifest-reference";
import { oneScenario } from "../support/cli";

const folder = resolve(__dirname, "../../examples/manifest");

const scenario = oneScenario();

it.each([
  "README.md",
  "examples/drift-cron/rnv.yaml",
  "examples/quickstart/rnv.yaml",
  "examples/renovate/rnv.yaml",
])("validate finds nothing in a manifest of %s", async (page) => {
  const text = readFileSync(resolve(__dirname, "../..", page), "utf8");
  const block = /^```yaml\n(projects:[\s\S]*?)^```$/m.exec(text)?.[1];
  scenario.write("rnv.yaml", block ?? text);
  expect(await scenario.run("validate")).toMatchObject({ code: 0, stderr: "" });
});

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
