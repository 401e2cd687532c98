import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { releaseFiles } from "../../src/commands/provider-mirror";
import { newFolder } from "../support/temp-folder";

const root = resolve(__dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));
const folder = newFolder("notices");

/** Folders of the npm packages whose code a bundle of the entry holds. */
async function packagesIn(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    external: ["@grpc/proto-loader"],
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const files = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return [...new Set(files.flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))];
}

describe("the notices of third parties", () => {
  const file = join(folder, "THIRD_PARTY_NOTICES");
  const notices = (): string => readFileSync(file, "utf8");
  beforeAll(() =>
    execFileSync(process.execPath, [join(root, "tools/build/notices.mjs"), file], { stdio: "pipe" }),
  );

  it.each([
    ["the command line", "src/cli/run.ts", ["commander", "yaml", "zod"]],
    ["the provider", "src/terraform/main.ts", ["@grpc/grpc-js", "protobufjs"]],
  ])(
    "name each package in the bundle of %s, with its version and its licence",
    async (_what, entry, some) => {
      const packages = await packagesIn(entry);
      const names = packages.map((path) => JSON.parse(read(`${path}/package.json`)).name);
      expect(names).toEqual(expect.arrayContaining(some));
      for (const path of packages) {
        const { name, version, license } = JSON.parse(read(`${path}/package.json`));
        const section = notices().split(`${"-".repeat(80)}\n${name} ${version} (${license})\n`)[1] ?? "";
        const [text = ""] = section.split(`\n${"-".repeat(80)}\n`);
        expect([name, /copyright|\(c\)/i.test(text) || license === "Apache-2.0"]).toEqual([name, true]);
        expect([name, text.length > 500]).toEqual([name, true]);
      }
    },
  );

  it("are made by the build, and lie in the npm package and beside the provider", () => {
    expect(readFileSync(join(root, "tools/build/build.mjs"), "utf8")).toContain("tools/build/notices.mjs");
    expect(manifest.files).toContain("THIRD_PARTY_NOTICES");
    expect(releaseFiles("1.0.0", "provider", "notices")).toContainEqual({
      name: "THIRD_PARTY_NOTICES",
      content: "notices",
      mode: 0o644,
    });
  });
});
