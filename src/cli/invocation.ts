import type { Command } from "commander";
import type { Terminal } from "./terminal";

/** Values of options by camelCase name, as the parser left them. */
export type OptionValues = Readonly<Record<string, unknown>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What every verb gets: where to read and write, and what was typed. */
export interface Invocation {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly cwd: string;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Positional arguments, in order; a variadic one is an array. */
  readonly positional: readonly unknown[];
  readonly options: OptionValues;
  /** As it was typed, quoted for a shell: `rnv destroy -target service.shop.api`. */
  readonly commandLine: string;
  readonly program: Command;
}

/** Does what a verb is for; returns the exit code. */
export type Handler = (invocation: Invocation) => Promise<number>;

/** Makes the parser's callback out of a handler. */
export type Run = (handler: Handler) => (...parsed: unknown[]) => Promise<void>;
