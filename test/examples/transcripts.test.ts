import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadManifest } from "../../src/manifest/load-manifest";
import { resourceTypes } from "../../src/resources";
import { readPage, withOutputs, withoutVolatile } from "../../tools/docs/transcripts";
import { builtCli } from "../support/built-cli";
import { newFolder } from "../support/temp-folder";

describe("README.md", () => {
  const page = readPage("README.md");
  const lines = page.split("\n");

  it("has at most 120 lines of 120 characters", () => {
    expect(lines.length - 1).toBeLessThanOrEqual(120);
    expect(lines.filter(({ length }) => length > 120)).toEqual([]);
  });

  it("has the two commands of the repository near the top", () => {
    const position = (text: string): number => lines.findIndex((line) => line.startsWith(text));
    expect(position("npm ci && npm run demo")).toBeLessThan(50);
    expect(position("npm ci && npm test")).toBe(position("npm ci && npm run demo") + 1);
  });

  it("has blocks that paste into any shell: zsh reads no comments there", () => {
    const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
    expect(blocks).toHaveLength(3);
    expect(blocks.filter((block) => block.includes("#"))).toEqual([]);
  });

  it("shows a manifest without a mistake", async () => {
    const [, manifest = ""] = /```yaml\n(projects:[\s\S]*?)```/.exec(page) ?? [];
    const cwd = newFolder("readme");
    writeFileSync(join(cwd, "rnv.yaml"), manifest);
    const request = { files: [], cwd, types: resourceTypes, environment: {}, secrets: "skip" } as const;
    const { diagnostics, desired } = await loadManifest(request);
    expect(diagnostics).toEqual([]);
    expect(desired?.resources.size).toBeGreaterThan(5);
  });

  it("shows what the built program prints (else: npm run docs)", () => {
    builtCli();
    expect(withoutVolatile(page)).toBe(withoutVolatile(withOutputs(page)));
  });
});
