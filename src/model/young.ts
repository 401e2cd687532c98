import type { RecordedResource } from "./state";

/** For so long nothing but the record itself says what was written, milliseconds. */
export const youngMs = 2 * 60_000;

/** What was written within the last two minutes: no read that is older proves anything of it (DESIGN section 5). */
export const isYoung = ({ writtenAt }: Pick<RecordedResource, "writtenAt">, now: number): boolean =>
  // One of the future was written before a clock was set back, nobody knows how long ago.
  writtenAt !== undefined && now - Date.parse(writtenAt) < youngMs;
