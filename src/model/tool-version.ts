/** The package of rnv. The path holds for the sources, for `dist` and for the bundles in it. */
const released = require("../../package.json") as {
  readonly version: string;
  readonly homepage?: string;
};

export const version: string = released.version;

/** Address below which the JSON Schemas of this release are published. */
export const schemasUrl = `${released.homepage ?? "https://rnv.example.com"}/schemas`;

/** Returns the address that explains a code; undefined before the first release. */
export const explanationUrl = (code: string): string | undefined =>
  released.homepage === undefined ? undefined : `${released.homepage}/docs/cli/reference/errors.md#${code}`;

/** Returns the output of `rnv version` in a process. */
export const versionText = ({
  versions,
  platform,
  arch,
}: Pick<NodeJS.Process, "versions" | "platform" | "arch">): string =>
  `rnv ${version} (node ${versions.node}, ${platform}-${arch})\n`;

/** Returns the output of `rnv version -json`. */
export const versionJson = ({ versions }: Pick<NodeJS.Process, "versions">): string =>
  `${JSON.stringify({ rnv: version, node: versions.node })}\n`;
