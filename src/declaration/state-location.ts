import { fillStage, splitStage } from "../model/stage";
import type { TargetNames } from "../model/target-location";

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
