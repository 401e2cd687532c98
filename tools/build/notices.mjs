// Writes THIRD_PARTY_NOTICES: each npm package that a bundle holds, with its version and the text of its licence.
// `node tools/build/notices.mjs [OUTFILE]`. No list of packages is written by hand.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "./packages.mjs";
import { replaceFile } from "./replace-file.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const outfile = resolve(process.argv[2] ?? join(root, "THIRD_PARTY_NOTICES"));

const bundled = await bundledPackages();
const packages = bundled
  .map((one) => ({ ...one, text: licenceOf(one) }))
  .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));

const line = "-".repeat(80);
const text = [
  "The command line and the Terraform provider of terraform-provider-rnv are bundles. They hold code of these packages,",
  "which are distributed under the licences below.\n",
  ...packages.map(
    ({ name, version, license, text }) => `${line}\n${name} ${version} (${license})\n${line}\n\n${text}\n`,
  ),
].join("\n");

replaceFile(outfile, text);

/**
 * The licence and the notice that a package brings along, else those of another package of its repository with the same
 * licence. Without one nothing may be shipped.
 */
function licenceOf(one) {
  const isSibling = (other) => other.repository === one.repository && other.license === one.license;
  const source = [one, ...bundled.filter(isSibling)].find(hasLicence);
  if (source === undefined) throw new Error(`${one.name} ${one.version} has no file with its licence`);
  return textsOf(source)
    .map((file) => readFileSync(join(source.folder, file), "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n");
}

function textsOf({ folder }) {
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file))
    .sort();
}

function hasLicence(one) {
  return textsOf(one).some((file) => !/^notice/i.test(file));
}
