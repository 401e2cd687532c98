// Writes the bill of materials of a release in CycloneDX: `node tools/release/sbom.mjs FOLDER`. It lists the dependencies that npm installs
// with the package and the packages whose code the bundles hold.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "../build/packages.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const [folder = "."] = process.argv.slice(2);

const npm = (...args) =>
  JSON.parse(
    execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", ...args], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    }),
  );

const [all, installed, bundled] = [npm(), npm("--omit=dev", "--omit=peer"), await bundledPackages()];
const shipped = new Set([
  ...installed.components.map((one) => one["bom-ref"]),
  ...bundled.map(({ name, version }) => `${name}@${version}`),
]);
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const own = all.metadata.component["bom-ref"];
const sbom = {
  ...all,
  // npm takes the name of the folder.
  metadata: { ...all.metadata, component: { ...all.metadata.component, name, version } },
  // npm marks bundled packages as development dependencies.
  components: all.components
    .filter((one) => shipped.has(one["bom-ref"]))
    .map(({ properties: _, ...component }) => component),
  dependencies: all.dependencies
    .filter(({ ref }) => shipped.has(ref) || ref === own)
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => shipped.has(one)) })),
};
writeFileSync(join(resolve(folder), `${name}-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
