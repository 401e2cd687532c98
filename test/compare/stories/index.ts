import type { Story } from "../world";
import { changes } from "./changes";
import { ciStories } from "./ci";
import { failures } from "./failures";
import { stacks } from "./stacks";
import { stageStories } from "./stages";
import { states } from "./states";
import { terraformStories } from "./terraform";
import { verbs } from "./verbs";

/** Every story, in the order of what is reported. */
export const stories: readonly Story[] = [
  ...changes,
  ...failures,
  ...states,
  ...stageStories,
  ...verbs,
  ...ciStories,
  ...stacks,
  ...terraformStories,
];
