import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { zipSync } from "fflate";
import { registryManifest, releaseFiles, releasePlatforms } from "../src/commands/tools";
import { sha256 } from "../src/model/text";

/** A fixed time in every archive: the same sources give the same bytes. */
const epoch = new Date("2020-01-01T00:00:00Z");
const unix = 3;

/** One archive of a release: entries carry their unix modes, so that the executable stays one. */
function archive(version: string, executable: string, notices: string): Uint8Array {
  const files = releaseFiles(version, executable, notices);
  return zipSync(
    Object.fromEntries(
      files.map(({ name, text, mode }) => [
        name,
        [Buffer.from(text), { os: unix, attrs: ((0o100000 | mode) << 16) >>> 0, mtime: epoch }],
      ]),
    ),
    { level: 9 },
  );
}

/** Writes what a registry wants: an archive for each platform, the manifest, and SHA256SUMS of them. */
export function packageProvider(root: string, out: string): readonly string[] {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const executable = readFileSync(join(root, "dist/terraform/terraform-provider-rnv"), "utf8");
  const notices = readFileSync(join(root, "THIRD_PARTY_NOTICES"), "utf8");
  const prefix = `terraform-provider-rnv_${version}`;
  const zip = archive(version, executable, notices);
  const files = new Map<string, Uint8Array>(
    releasePlatforms.map((platform) => [`${prefix}_${platform}.zip`, zip]),
  );
  files.set(`${prefix}_manifest.json`, Buffer.from(registryManifest));
  const sums = [...files].map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`);
  files.set(`${prefix}_SHA256SUMS`, Buffer.from(sums.join("")));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(out, name), bytes);
  return [...files.keys()];
}

if (require.main === module) {
  const root = resolve(__dirname, "..");
  const names = packageProvider(root, join(root, "dist/release"));
  process.stdout.write(names.map((name) => `dist/release/${name}\n`).join(""));
}
