/** Variables of a process: its own, or those that a caller stands in for it. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;
