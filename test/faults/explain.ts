import { type Played, play } from "./play";
import { caseOf, type RandomCase } from "./random-case";

/** Names the parts of a random case without which it would not have ended in its stop. */
export async function explain({ stage, one, parts }: RandomCase, { stop }: Played): Promise<string> {
  let needed = parts;
  for (const part of parts) {
    const others = needed.filter((other) => other !== part);
    if ((await play(stage, caseOf(stage, one.name, others))).stop === stop) needed = others;
  }
  return needed.map(({ name }) => name).join(" + ") || "nothing";
}
