import type { OptionValues } from "./invocation";

export type Format = "text" | "json" | "markdown";

/** `-json` is short for `--format json`. */
export const formatOf = (options: OptionValues): Format =>
  options.json === true ? "json" : ((options.format as Format | undefined) ?? "text");
