import type { Command } from "commander";
import type { Transport } from "../api/transport";
import type { CrossValue, StackUnit } from "../declaration/load-request";
import { type StageName, stageText } from "../model/stage";
import type { TargetNames } from "../model/target";
import type { ProcessEnvironment } from "../model/text";
import type { UsedProfile } from "./profile";
import type { Terminal } from "./terminal";

/** Values of options by camelCase name, as the parser left them. */
export type OptionValues = Readonly<Record<string, unknown>>;

export interface Invocation {
  readonly terminal: Terminal;
  /** With the settings of the profile. */
  readonly environment: ProcessEnvironment;
  /** Undefined where the environment says all. */
  readonly profile?: UsedProfile | undefined;
  readonly cwd: string;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Positional arguments, in order; a variadic one is an array. */
  readonly positional: readonly unknown[];
  readonly options: OptionValues;
  /** As it was typed, quoted for a shell: `rnv destroy -target service.shop.api`. */
  readonly commandLine: string;
  readonly command: Command;
  readonly stack?: StackRun;
  /** The stage that the verb is run for; null where it reads what has none; undefined where any is taken. */
  readonly stage?: StageRun | null;
  /** Names of the stages that the manifest declares; absent where it is not known. */
  readonly declaredStages?: readonly string[];
  /** Opens the way to the service over one that members of a fleet share. */
  readonly openTransport?: ((open: () => Transport) => Transport) | undefined;
}

export interface StageRun extends StageName {
  /** Where the manifest says that its state is. */
  readonly state?: string | undefined;
  /** A state that names no stage becomes its own. */
  readonly takesUnnamed?: boolean;
  /** The manifest does not declare it: all that its state records is destroyed. */
  readonly isUndeclared?: true;
}

export interface StackRun extends StackUnit {
  /** Others are read in the same run: one state cannot serve them all. */
  readonly sharesRun?: boolean;
  /** Takes the outputs of its plan, for the stacks that need them. */
  readonly tellOutputs?: (outputs: ReadonlyMap<string, CrossValue>) => void;
}

export const namesOf = ({ stage, stack }: Pick<Invocation, "stage" | "stack">): TargetNames => ({
  ...(stage && { stage: stageText(stage) }),
  ...(stack && { stack: stack.name }),
});

/** Does what a verb is for; returns the exit code or an outcome that has it, or nothing where all went well. */
export type Handler = (invocation: Invocation) => Promise<number | { readonly exitCode: number } | undefined>;

export async function exitCodeAfter(handler: Handler, invocation: Invocation): Promise<number> {
  const ended = await handler(invocation);
  return typeof ended === "object" ? ended.exitCode : (ended ?? 0);
}

/** Makes the parser's callback out of a handler. */
export type VerbRun = (handler: Handler) => (...parsed: unknown[]) => Promise<void>;

export type Format = "text" | "json" | "markdown";

export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : []);

export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** `-json` is short for `--format json`. */
export const formatOf = (options: OptionValues): Format =>
  options.json === true ? "json" : ((options.format as Format | undefined) ?? "text");
