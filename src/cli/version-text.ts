import { version } from "../model/version";

/** What `rnv version` prints; one JSON object for programs. */
export const versionText = (isJson: boolean): string =>
  isJson
    ? `${JSON.stringify({ rnv: version, node: process.versions.node })}\n`
    : `rnv ${version} (node ${process.versions.node}, ${process.platform}-${process.arch})\n`;
