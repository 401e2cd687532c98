import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Folder and package.json of each npm package in the bundles, from esbuild's metafile of their entries. */
export async function bundledPackages() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/cli/run.ts", "src/cli/main.ts", "src/terraform/main.ts"],
    outdir: "none",
    bundle: true,
    platform: "node",
    external: ["@grpc/proto-loader"],
    write: false,
    metafile: true,
    logLevel: "error",
  });
  /** Folders of packages, one inside another's node_modules apart from one beside it. */
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []),
  );
  return [...folders].map((folder) => ({ folder: resolve(root, folder), ...manifestOf(join(root, folder)) }));
}

function manifestOf(folder) {
  const { name, version, license, repository } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  if (typeof license !== "string") throw new Error(`${name} ${version} names no licence`);
  return { name, version, license, repository: repository?.url };
}
