/** The source address of the provider, `rnv/rnv`, below the host of a registry. */
const providerSource = "rnv/rnv";

/** The registries that Terraform and OpenTofu take a source without a host from. */
const registryHosts = ["registry.terraform.io", "registry.opentofu.org"] as const;

/** Platforms of an installed provider. Its files are the same on each, and so is their checksum in a lock file. */
const installedPlatforms = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"] as const;

export interface ReleaseFile<Content = string> {
  readonly name: string;
  readonly content: Content;
  readonly mode: number;
}

/**
 * The files of a provider that an installed Node runs: the executable, the licences of its packages, and a package.json.
 * Without the latter, node reads it as a module of the project around it.
 */
export const releaseFiles = (
  version: string,
  executable: string,
  notices: string,
): readonly ReleaseFile[] => [
  { name: "THIRD_PARTY_NOTICES", content: notices, mode: 0o644 },
  { name: `terraform-provider-rnv_v${version}`, content: executable, mode: 0o755 },
  { name: "package.json", content: '{"type":"commonjs"}\n', mode: 0o644 },
];

/** Folders of a filesystem mirror, below its root: one for each registry and platform. */
export const mirrorFolders = (version: string): readonly string[] =>
  registryHosts.flatMap((host) =>
    installedPlatforms.map((platform) => `${host}/${providerSource}/${version}/${platform}`),
  );

/** The CLI configuration that makes Terraform take the provider from a mirror, and everything else from where it was. */
export function cliConfiguration(mirror: string): string {
  const included = registryHosts.map((host) => JSON.stringify(`${host}/${providerSource}`)).join(", ");
  return `provider_installation {
  filesystem_mirror {
    path    = ${JSON.stringify(mirror)}
    include = [${included}]
  }
  direct {
    exclude = [${included}]
  }
}
`;
}
