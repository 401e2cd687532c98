/** The package of rnv. The path holds for the sources, for `dist` and for the bundles in it. */
const released = require("../../package.json") as {
  readonly version: string;
  readonly config: { readonly address: string };
};

export const version: string = released.version;

/** Address below which the JSON Schemas of this release are published. */
export const schemasUrl = `${released.config.address}/schemas`;

/** Address of the page that explains every code; each has an anchor. */
export const errorsUrl = `${released.config.address}/docs/cli/reference/errors.md`;

/** Returns the output of `rnv version` in a process; a JSON object for programs. */
export const versionText = (
  { versions, platform, arch }: Pick<NodeJS.Process, "versions" | "platform" | "arch">,
  isJson: boolean,
): string =>
  isJson
    ? `${JSON.stringify({ rnv: version, node: versions.node })}\n`
    : `rnv ${version} (node ${versions.node}, ${platform}-${arch})\n`;
