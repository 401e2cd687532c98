import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { zipSync } from "fflate";
import { type ReleaseFile, releaseFiles } from "../../src/commands/tools";
import { sha256 } from "../../src/model/sha256";
import { nodeLicence, nodePlatforms } from "./node-programs";
import { selfContained } from "./self-contained";
import { checkSigningKey, signFile } from "./sign";

/** Platforms whose executable is run by a Node that is installed there, and says so where there is none. */
const scriptPlatforms: readonly string[] = ["darwin_amd64", "darwin_arm64"];

const releasePlatforms: readonly string[] = [...nodePlatforms, ...scriptPlatforms];

/** A fixed time in every archive: the same sources give the same bytes. */
const epoch = new Date("2020-01-01T00:00:00Z");
const unix = 3;

/** One archive of a release: entries carry their unix modes, so that the executable stays one. */
const archive = (files: readonly ReleaseFile<string | Uint8Array>[]): Uint8Array =>
  zipSync(
    Object.fromEntries(
      files.map(({ name, content, mode }) => [
        name,
        [Buffer.from(content), { os: unix, attrs: ((0o100000 | mode) << 16) >>> 0, mtime: epoch }],
      ]),
    ),
    { level: 6 },
  );

interface PackageRequest {
  readonly root: string;
  /** Emptied first. */
  readonly out: string;
  /** By the names of a release. */
  readonly platforms: readonly string[];
  /** The GPG key that signs; unsigned without one. */
  readonly key: string | undefined;
}

/** Writes the files of a release: an archive for each platform, the manifest, SHA256SUMS of them and its signature. */
function packageProvider({ root, out, platforms, key }: PackageRequest): readonly string[] {
  if (key !== undefined) checkSigningKey(key);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const prefix = `terraform-provider-rnv_${version}`;
  const files: [string, Uint8Array][] = [];
  for (const platform of platforms)
    files.push([`${prefix}_${platform}.zip`, archive(platformFiles(root, version, platform))]);
  files.push([`${prefix}_manifest.json`, readFileSync(join(root, "terraform-registry-manifest.json"))]);
  const sums = files.map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`);
  files.push([`${prefix}_SHA256SUMS`, Buffer.from(sums.join(""))]);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(out, name), bytes);
  const names = files.map(([name]) => name);
  if (key === undefined) return names;
  signFile(join(out, `${prefix}_SHA256SUMS`), key);
  return [...names, `${prefix}_SHA256SUMS.sig`];
}

function platformFiles(
  root: string,
  version: string,
  platform: string,
): readonly ReleaseFile<string | Uint8Array>[] {
  const script = join(root, "dist/terraform/terraform-provider-rnv");
  const notices = readFileSync(join(root, "THIRD_PARTY_NOTICES"), "utf8");
  const target = nodePlatforms.find((one) => one === platform);
  if (target === undefined) return releaseFiles(version, readFileSync(script, "utf8"), notices);
  const executable = selfContained(script, target);
  const end = platform.startsWith("windows") ? ".exe" : "";
  return [
    { name: "THIRD_PARTY_NOTICES", content: `${notices}\n${nodeLicence()}`, mode: 0o644 },
    { name: `${basename(script)}_v${version}${end}`, content: executable, mode: 0o755 },
  ];
}

const usage = `npx tsx tools/release/package-provider.ts [--key KEY] [--out FOLDER] [--platform PLATFORM]…

Writes a release of the Terraform provider to dist/release. KEY is the GPG key that signs SHA256SUMS: its fingerprint,
else GPG_FINGERPRINT of the environment. PLATFORM is ${releasePlatforms.join(", ")}; all unless given.
`;

function main(): void {
  const { values } = parseArgs({
    options: {
      key: { type: "string" },
      out: { type: "string" },
      platform: { type: "string", multiple: true },
      help: { type: "boolean" },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const platforms = values.platform ?? releasePlatforms;
  const strange = platforms.find((one) => !releasePlatforms.includes(one));
  if (strange !== undefined) throw new Error(`${strange} is no platform of a release\n\n${usage}`);
  const root = resolve(__dirname, "../..");
  const out = resolve(values.out ?? join(root, "dist/release"));
  const key = values.key ?? (process.env.GPG_FINGERPRINT || undefined);
  const names = packageProvider({ root, out, platforms, key });
  process.stdout.write(names.map((name) => `${join(out, name)}\n`).join(""));
  if (key === undefined)
    process.stderr.write("SHA256SUMS is not signed, and no registry takes it so: name a key with --key\n");
}

try {
  main();
} catch (failure) {
  process.stderr.write(`${(failure as Error).message}\n`);
  process.exitCode = 1;
}
