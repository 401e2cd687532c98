/** The version of rnv: that of its package. The path holds for the sources, for `dist/cli` and for the bundle. */
export const version: string = (require("../../package.json") as { readonly version: string }).version;
