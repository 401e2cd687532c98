/** The version of rnv: that of its package. The path holds for the sources, for `dist` and for the bundles in it. */
export const version: string = (require("../../package.json") as { readonly version: string }).version;
