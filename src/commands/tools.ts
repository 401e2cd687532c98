import { type Gap, gaps, gapVariable } from "../api/gaps";
import { failure } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import type * as embedded from "../emulator/emulator";
import type * as served from "../emulator/server";
import { reasonOf } from "../model/file-error";

/** `rnv emulator`: the embedded platform over HTTP on localhost, until it is closed; port 0 takes a free one. */
export async function emulator(port: number, options: embedded.EmulatorOptions) {
  const { createEmulator } = require("../emulator/emulator") as typeof embedded;
  const { serveEmulator } = require("../emulator/server") as typeof served;
  const server = await serveEmulator(createEmulator(options), { port }).catch((cause: unknown) => {
    throw failure("command.usage", `cannot listen on port ${port}: ${reasonOf(cause)}`, {
      hint: "an emulator may run there already; rnv emulator -port 0 takes a free port",
    });
  });
  return { server, workspaceId: embeddedWorkspaceId, apiKey: embeddedApiKey };
}

export const schemaNames = [
  "manifest",
  "overlay",
  "drift-file",
  "policy",
  "test",
  "fleet",
  "plan",
  "drift",
  "fleet-report",
  "test-report",
  "state",
  "events",
  "status",
  "output",
  "history",
  "deployments",
] as const;

export type SchemaName = (typeof schemaNames)[number];

/** `rnv schema gaps`: lists the facts that the service's documents leave open, how each is assumed, and its settings. */
export const gapList = () =>
  Object.entries<Gap>(gaps).map(([name, { settings = {}, ...gap }]) => ({
    ...{ name, ...gap },
    settings: Object.entries(settings).map(([key, { schema: _, ...setting }]) => ({
      ...{ variable: gapVariable(key), ...setting },
    })),
  }));

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
 * The files of a provider that an installed Node runs: the executable, the licences of the packages in it, and a package.json that keeps node from
 * reading it as a module of whatever project it is unpacked in.
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
