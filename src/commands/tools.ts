import * as z from "zod";
import { type Gap, gaps, gapVariable } from "../api/gaps";
import { failure } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import type * as embedded from "../emulator/emulator";
import type * as served from "../emulator/server";
import { driftFileSchema } from "../manifest/drift-file";
import type * as fleetFile from "../manifest/fleet-file";
import type * as policyFile from "../manifest/policy-file";
import { manifestJsonSchema, overlayJsonSchema } from "../manifest/schema";
import type * as testFile from "../manifest/test-file";
import { eventSchema } from "../model/apply-event";
import { stateFileSchema } from "../model/state";
import { reasonOf } from "../model/text";
import { schemasUrl } from "../model/version";
import { driftDocumentSchema } from "../plan/drift";
import { planDocumentSchema } from "../plan/plan-schema";
import type * as fleetReport from "../report/fleet-report";
import type * as testReport from "../report/test-report";
import { resourceTypes } from "../resources";

interface ServedEmulator {
  readonly server: served.EmulatorServer;
  readonly workspaceId: string;
  readonly apiKey: string;
}

/** `rnv emulator`: the embedded service over HTTP on localhost, until it is closed; port 0 takes a free one. */
export async function emulator(port: number, options: embedded.EmulatorOptions): Promise<ServedEmulator> {
  const { createEmulator } = require("../emulator/emulator") as typeof embedded;
  const { serveEmulator } = require("../emulator/server") as typeof served;
  const server = await serveEmulator(createEmulator(options), { port }).catch((cause: unknown) => {
    throw failure("command.usage", `cannot listen on port ${port}: ${reasonOf(cause)}`, {
      hint: "an emulator may run there already; rnv emulator -port 0 takes a free port",
    });
  });
  return { server, workspaceId: embeddedWorkspaceId, apiKey: embeddedApiKey };
}

/** Names of the JSON Schemas that `rnv schema` prints. */
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
] as const;

export type SchemaName = (typeof schemaNames)[number];

const schemas: Readonly<Record<SchemaName, () => unknown>> = {
  manifest: () => manifestJsonSchema(resourceTypes),
  overlay: () => overlayJsonSchema(resourceTypes),
  "drift-file": () => published(driftFileSchema, "Accepted drift of rnv"),
  policy: () => {
    const { policyFileSchema } = require("../manifest/policy-file") as typeof policyFile;
    return published(policyFileSchema, "Policies of rnv");
  },
  test: () => {
    const { testFileSchema } = require("../manifest/test-file") as typeof testFile;
    return published(testFileSchema, "Tests of manifests of rnv: *.rnvtest.yaml");
  },
  fleet: () => {
    const { fleetFileSchema } = require("../manifest/fleet-file") as typeof fleetFile;
    return published(fleetFileSchema, "A fleet of rnv: rnv.fleet.yaml");
  },
  plan: () => published(planDocumentSchema, "A plan of rnv"),
  drift: () => published(driftDocumentSchema, "A drift report of rnv"),
  "fleet-report": () => {
    const { fleetReportSchema } = require("../report/fleet-report") as typeof fleetReport;
    return published(fleetReportSchema, "A report of rnv fleet");
  },
  "test-report": () => {
    const { testReportSchema } = require("../report/test-report") as typeof testReport;
    return published(testReportSchema, "A report of rnv test");
  },
  state: () => published(stateFileSchema, "The recorded state of rnv"),
  events: () => published(eventSchema, "An event of an rnv run"),
};

/** `rnv schema gaps`: lists the facts that the service's documents leave open, how each is assumed, and its settings. */
export const gapList = () =>
  Object.entries<Gap>(gaps).map(([name, { settings = {}, ...gap }]) => ({
    ...{ name, ...gap },
    settings: Object.entries(settings).map(([key, { schema: _, ...setting }]) => ({
      ...{ variable: gapVariable(key), ...setting },
    })),
  }));

/** `rnv schema [name]`: a JSON Schema, draft-07, made from the same checks that reading and writing use. */
export const schema = (name: SchemaName): unknown => {
  const { $schema, ...rest } = schemas[name]() as { readonly $schema: string };
  return { $schema, $id: `${schemasUrl}/${name}.schema.json`, ...rest };
};

/** Returns the JSON Schema, draft 07, of a document that rnv writes. */
function published(schema: z.ZodType, title: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return { $schema, title, ...rest };
}

/** The source address of the provider, `rnv/rnv`, below the host of a registry. */
const providerSource = "rnv/rnv";

/** The registries that Terraform and OpenTofu take a source without a host from. */
const registryHosts = ["registry.terraform.io", "registry.opentofu.org"] as const;

/** Platforms of an installed provider. Its files are the same on each, and so is their checksum in a lock file. */
const installedPlatforms = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"] as const;

/** One file of an installed or released provider. */
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
