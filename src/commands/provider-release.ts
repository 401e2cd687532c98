/** The source address of the provider, `rnv/rnv`, below the host of a registry. */
export const providerSource = "rnv/rnv";

/** The registries that Terraform and OpenTofu take a source without a host from. */
export const registryHosts = ["registry.terraform.io", "registry.opentofu.org"] as const;

/** Platforms of the provider. Its files are the same on each, and so is their checksum in a lock file. */
export const releasePlatforms = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"] as const;

/** One file of an installed or released provider. */
export interface ReleaseFile {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

/**
 * The files of a provider: the executable, the licences of the packages in it, and a package.json that keeps node from
 * reading it as a module of whatever project it is unpacked in.
 */
export const releaseFiles = (
  version: string,
  executable: string,
  notices: string,
): readonly ReleaseFile[] => [
  { name: "THIRD_PARTY_NOTICES", text: notices, mode: 0o644 },
  { name: `terraform-provider-rnv_v${version}`, text: executable, mode: 0o755 },
  { name: "package.json", text: '{"type":"commonjs"}\n', mode: 0o644 },
];

/** Folders of a filesystem mirror, below its root: one for each registry and platform. */
export const mirrorFolders = (version: string): readonly string[] =>
  registryHosts.flatMap((host) =>
    releasePlatforms.map((platform) => `${host}/${providerSource}/${version}/${platform}`),
  );

/** The CLI configuration that makes Terraform take the provider from a mirror, and everything else from where it was. */
export function cliConfiguration(mirror: string): string {
  const included = registryHosts.map((host) => JSON.stringify(`${host}/${providerSource}`)).join(", ");
  return [
    "provider_installation {",
    "  filesystem_mirror {",
    `    path    = ${JSON.stringify(mirror)}`,
    `    include = [${included}]`,
    "  }",
    "  direct {",
    `    exclude = [${included}]`,
    "  }",
    "}",
    "",
  ].join("\n");
}

/** The manifest that a registry reads beside the archives of a release: protocol 6. */
export const registryManifest = `${JSON.stringify({ version: 1, metadata: { protocol_versions: ["6.0"] } }, undefined, 2)}\n`;
