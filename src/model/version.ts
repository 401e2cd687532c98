/** The version of rnv: that of its package. The path holds for the sources, for `dist` and for the bundles in it. */
export const version: string = (require("../../package.json") as { readonly version: string }).version;

/** Returns what `rnv version` prints in a process; one JSON object for programs. */
export const versionText = (
  { versions, platform, arch }: Pick<NodeJS.Process, "versions" | "platform" | "arch">,
  isJson: boolean,
): string =>
  isJson
    ? `${JSON.stringify({ rnv: version, node: versions.node })}\n`
    : `rnv ${version} (node ${versions.node}, ${platform}-${arch})\n`;
