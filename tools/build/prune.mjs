// Removes unused files from dist: `node tools/build/prune.mjs [DIST]`, after the compiler. Kept are the modules and
// declarations that an entry of package.json reaches, and the bundles, which hold the rest of src. The AWS SDK is put into its module.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleS3Client } from "./s3-client.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = resolve(process.argv[2] ?? join(root, "dist"));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const bundles = ["bin", "release", "terraform/terraform-provider-rnv"].map((path) => join(dist, path));
const kept = new Set(bundles);
for (const entry of Object.values(exports))
  if (typeof entry === "object")
    for (const path of Object.values(entry)) keep(join(dist, relative("dist", path)));
prune(dist);
await bundleS3Client(dist);

/** Keeps a file and the files that it loads: declarations for a declaration, modules for a module. */
function keep(path) {
  if (kept.has(path)) return;
  kept.add(path);
  const end = path.endsWith(".d.ts") ? ".d.ts" : ".js";
  for (const [, name] of readFileSync(path, "utf8").matchAll(
    /(?:from |import\(|require(?:\.resolve)?\()["'](\.[^"']*)["']/g,
  )) {
    const target = resolve(dirname(path), name);
    const found = [`${target}${end}`, join(target, `index${end}`), target].find(existsSync);
    if (found === undefined) throw new Error(`${path} loads ${name}, which does not exist`);
    if (found.endsWith(end)) keep(found);
  }
}

/** Removes files that are not kept. Another process may do the same at the same time: tests compile in several. */
function prune(folder) {
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (kept.has(path)) continue;
    if (item.isDirectory()) prune(path);
    else rmSync(path, { force: true });
  }
}
