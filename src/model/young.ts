import type { RecordedResource } from "./state";

/** For so long nothing but the record itself says what was written, milliseconds. */
export const youngMs = 2 * 60_000;

/** What was written within the last two minutes: no read that is older proves anything of it (DESIGN section 5). */
export const isYoung = ({ writtenAt }: Pick<RecordedResource, "writtenAt">, now: number): boolean =>
  // Either way: a clock that was set proves nothing.
  writtenAt !== undefined && Math.abs(now - Date.parse(writtenAt)) < youngMs;
