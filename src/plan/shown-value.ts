import { isPlain, type Plain, type ResolvedValue, Unknown } from "../model/value";
import type { ShownValue } from "./plan";

export const absent: ShownValue = { kind: "absent" };
export const secret: ShownValue = { kind: "secret" };

/** A value as a plan may show and save it; whatever is not plain, or stands in a secret field, loses its text. */
export function shownValue(value: ResolvedValue | undefined, isSecret: boolean): ShownValue {
  if (value === undefined) return absent;
  if (value instanceof Unknown) return { kind: "unknown" };
  return isSecret || !isPlain(value) ? secret : { kind: "value", value: value as Plain };
}
