import { fillStage, splitStage } from "./stage";

/** A manifest in one of its stages and stacks, with the state that it has there: verbs run on a target. */
export interface TargetLocation {
  /** Its files from the root of the repository, with commas between; of a member its folder, from that of the fleet. */
  readonly manifest: string;
  /** `production`, `preview/12`. */
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  /** The address of its state; empty where it is unknown. */
  readonly state: string;
  readonly environment: ProcessEnvironment;
}

/** The names of the stage and the stack of a target, for messages. */
export type TargetNames = Pick<TargetLocation, "stage" | "stack">;

/** Variables of a process: its own, or those that a caller stands in for it. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Stands for the name of the stack in the address of a state. */
export const stackPlaceholder = "${stack}";

/**
 * Returns the address of the state of a target: the given address with the names of its stage and stack filled in, else
 * the default. A placeholder stays where the target has no such name.
 */
export function stateAddress(given: string, { stage, stack }: TargetNames): string {
  const part = stack?.replace(/[^\w.-]+/g, "-");
  if (given === "") return [".rnv", stage, part, "state.json"].filter((name) => name).join("/");
  const staged = stage === undefined ? given : fillStage(given, splitStage(stage));
  return part === undefined ? staged : staged.replaceAll(stackPlaceholder, part);
}
