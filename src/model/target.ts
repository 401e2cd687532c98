import { fillStage, splitStage } from "./stage";
import type { ProcessEnvironment } from "./text";

/** A manifest in one of its stages and one of its stacks, with the state that it has there: what a verb runs on. */
export interface Target {
  /** Its files from the root of the repository, with commas between; of a member its folder, from that of the fleet. */
  readonly manifest: string;
  /** `production`, `preview/12`. */
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  /** The address of its state; empty where it is unknown. */
  readonly state: string;
  /** What its run is given of the environment. */
  readonly environment: ProcessEnvironment;
}

/** The names of the stage and the stack of a target, for what is written about it. */
export type TargetNames = Pick<Target, "stage" | "stack">;

/** Stands for the name of the stack in the address of a state. */
export const stackPlace = "${stack}";

/**
 * Returns the address of the state of a target: the one that is given, with the names of its stage and its stack in it, else
 * the default one. What the target does not have stays.
 */
export function stateAddress(given: string, { stage, stack }: TargetNames): string {
  const part = stack?.replace(/[^\w.-]+/g, "-");
  if (given === "") return [".rnv", stage, part, "state.json"].filter((name) => name).join("/");
  const staged = stage === undefined ? given : fillStage(given, splitStage(stage));
  return part === undefined ? staged : staged.replaceAll(stackPlace, part);
}
