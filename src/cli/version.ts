/** The version of rnv: that of its package. The path holds for the sources, for `dist/cli` and for the bundle. */
export const version: string = (require("../../package.json") as { readonly version: string }).version;

/** What `rnv version` prints; one JSON object for programs. */
export const versionText = (isJson: boolean): string =>
  isJson
    ? `${JSON.stringify({ rnv: version, node: process.versions.node })}\n`
    : `rnv ${version} (node ${process.versions.node}, ${process.platform}-${process.arch})\n`;
