import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const bundle = join(root, "dist/bin/rnv.js");

/**
 * Path of the built command line. Bundled anew, by the command of `npm run build`, when a source is newer; types are
 * checked elsewhere. It is put in place by a rename, so that no process ever starts half of it.
 */
export function builtCli(): string {
  if (newest(join(root, "src")) <= modified(bundle)) return bundle;
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const command = (scripts.build as string).split(" && ").find((part) => part.startsWith("esbuild "));
  if (command === undefined) throw new Error("npm run build has no esbuild step");
  const fresh = `${bundle}.${process.pid}`;
  execFileSync("sh", ["-c", command.replace("dist/bin/rnv.js", fresh)], {
    cwd: root,
    env: { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}` },
  });
  chmodSync(fresh, 0o755);
  renameSync(fresh, bundle);
  return bundle;
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, modified(join(entry.parentPath, entry.name))), 0);
