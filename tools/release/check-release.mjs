// Checks the requirements of a release: `node tools/release/check-release.mjs v1.2.3`. It lists all
// that is missing and exits with 1.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (path) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));
const { version } = manifest;
const [tag = ""] = process.argv.slice(2);

const missing = [
  ...(tag === `v${version}` ? [] : [`the tag is ${tag}, package.json has version ${version}`]),
  ...(JSON.parse(read("package-lock.json")).version === version
    ? []
    : ["package-lock.json has another version"]),
  ...(new RegExp(`^## \\[?${version.replaceAll(".", "\\.")}\\b`, "m").test(read("CHANGELOG.md"))
    ? []
    : [`CHANGELOG.md has no section ${version}`]),
  // npm compares `repository` with the provenance.
  ...["repository", "bugs", "homepage"]
    .filter((name) => !manifest[name])
    .map((name) => `package.json has no ${name}`),
];
for (const line of missing) console.error(line);
process.exitCode = missing.length === 0 ? 0 : 1;
