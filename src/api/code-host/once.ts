import { ApiError } from "../api-error";
import type { HostOptions } from "./code-host";

/** Returns a question that is asked once; one that failed is asked again. */
export function askOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask().catch((cause: unknown) => {
      asked = undefined;
      throw cause;
    });
    return asked;
  };
}

/** Reads may lag behind a write whose answer was lost. */
const looks = [1000, 4000] as const;

/**
 * Makes something with a POST exactly once: after an answer that was lost it looks, with pauses, for what was asked for,
 * and asks again only where it is not there.
 */
export async function makeOnce<Made>(
  { clock }: Pick<HostOptions, "clock">,
  make: () => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await make();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.kind !== "uncertain") throw cause;
    for (const pause of looks) {
      await clock.sleep(pause);
      const found = await find();
      if (found !== undefined) return found;
    }
    return make();
  }
}
