import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const bundle = join(root, "dist/terraform/terraform-provider-rnv");

/** Folder of the built provider. Bundled again, as `node tools/build/provider.mjs` does, when a source is newer. */
export function builtProvider(): string {
  if (newest(join(root, "src")) > modified(bundle))
    execFileSync(process.execPath, [join(root, "tools/build/provider.mjs"), bundle], { stdio: "pipe" });
  builtNotices();
  return dirname(bundle);
}

/** The licences of what the bundles hold, created again when the packages are others. */
function builtNotices(): void {
  if (modified(join(root, "THIRD_PARTY_NOTICES")) < modified(join(root, "package-lock.json")))
    execFileSync(process.execPath, [join(root, "tools/build/notices.mjs")], { stdio: "pipe" });
}

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, modified(join(entry.parentPath, entry.name))), 0);
