import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const bundle = join(root, "dist/terraform/terraform-provider-rnv");

/** Folder of the built provider. Bundled anew, by `npm run build:provider`, when a source is newer. */
export function builtProvider(): string {
  if (newest(join(root, "src")) > modified(bundle)) {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const command = (scripts["build:provider"] as string)
      .split(" && ")
      .find((part) => part.startsWith("esbuild "));
    if (command === undefined) throw new Error("npm run build:provider has no esbuild step");
    mkdirSync(dirname(bundle), { recursive: true });
    const fresh = `${bundle}.${process.pid}`;
    execFileSync("sh", ["-c", command.replace("dist/terraform/terraform-provider-rnv", fresh)], {
      cwd: root,
      env: { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}` },
    });
    chmodSync(fresh, 0o755);
    renameSync(fresh, bundle);
    writeFileSync(join(dirname(bundle), "package.json"), '{"type":"commonjs"}\n');
  }
  builtNotices();
  return dirname(bundle);
}

/** The licences of what the bundles hold, made anew when the packages are others. */
function builtNotices(): void {
  if (modified(join(root, "THIRD_PARTY_NOTICES")) < modified(join(root, "package-lock.json")))
    execFileSync(process.execPath, [join(root, ".ci/notices.mjs")], { stdio: "pipe" });
}

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, modified(join(entry.parentPath, entry.name))), 0);
