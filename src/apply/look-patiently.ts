import type { Intent } from "../model/state";
import { youngMs } from "../model/young";
import type { Grace, Looking, RecoveryContext } from "./resuming";

/** Receipts live 24 h; an hour is kept back for clocks that disagree. */
export const keyLifetimeMs = 23 * 3_600_000;
/** When what is not there is looked for again, milliseconds from the first look. */
const graces = [2000] as const;
/** As long as reads may lag (DESIGN section 5): for a young write that its key would not keep from being done twice. */
const patientGraces = Array.from({ length: 15 }, (_, looks) => (looks + 1) * graces[0]);

/** The service still knows the key of `intent`, and this credential may use it. */
export const keyStillCounts = (
  recovering: Pick<RecoveryContext, "state" | "credential" | "clock">,
  intent: Intent,
): boolean =>
  recovering.state.run?.credential === recovering.credential() &&
  Math.abs(recovering.clock.now() - Date.parse(intent.at)) < keyLifetimeMs;

/** One grace for all that a run looks for. */
export function graceOf({ clock, signal, reads }: RecoveryContext): Grace {
  const grace: Grace = {
    waited: 0,
    waitUntil: async (ms) => {
      if (grace.waited >= ms) return false;
      await clock.sleep(ms - grace.waited, signal);
      reads.invalidate();
      grace.waited = ms;
      return true;
    },
  };
  return grace;
}

/** Looks, and while nothing is there again after the grace: the answer may have been lost on its way. */
export async function lookPatiently<T>(
  looking: Looking,
  intent: Intent,
  look: () => Promise<readonly T[] | undefined>,
): Promise<readonly T[] | undefined> {
  const { clock, wait, grace, say } = looking;
  // One of the future was sent before the clock was set back, nobody knows how long ago.
  const mayBeYoung = clock.now() - Date.parse(intent.at) < youngMs;
  const isPatient = mayBeYoung && !keyStillCounts(looking, intent);
  let found = await look();
  for (const moment of wait ? (isPatient ? patientGraces : graces) : []) {
    if (found === undefined || found.length > 0) return found;
    if (grace.waited === graces[0] && moment > grace.waited)
      say?.("The service may not show yet what an interrupted run made; looking again …");
    if (await grace.waitUntil(moment)) found = await look();
  }
  return found;
}
