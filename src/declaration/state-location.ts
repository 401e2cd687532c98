import { fillStage, splitStage } from "../model/stage";
import type { TargetNames } from "../model/target-location";

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
