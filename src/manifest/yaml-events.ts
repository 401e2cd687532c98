import { EVENT_ID, type Event, parseEvents, YAMLException } from "js-yaml";
import { maxDepth } from "./yaml-tree";

/** Reads a text as events. Throws an `YAMLException` that knows the offset of the first mistake. */
export function readEvents(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: maxDepth + 1 });
  } catch (cause) {
    const at = cause instanceof YAMLException ? cause.mark?.position : undefined;
    if (at === undefined || !/[\]}]/.test(text[at] ?? "")) throw cause;
    const closers = [...text.matchAll(lineOfCloser)].map((found) => found.index + found[0].length);
    const events = readShifted(text, closers);
    const outside = withoutScalars(closers, events);
    if (outside.length === closers.length) return events;
    const again = readShifted(text, outside);
    if (withoutScalars(outside, again).length < outside.length) throw cause;
    return again;
  }
}

/** A line that begins with a closing bracket. */
const lineOfCloser = /^[ ]*(?=[\]}])/gm;

/**
 * Reads a text whose brackets may close at the level of their key, which js-yaml refuses: a space goes before each of
 * them. The offsets of the events are those of the text without these spaces.
 */
function readShifted(text: string, closers: readonly number[]): readonly Event[] {
  const pieces = [...closers, text.length].map((end, i) => text.slice(closers[i - 1] ?? 0, end));
  const original = (shifted: number): number => shifted - countBelow(closers, shifted);
  try {
    const events = parseEvents(pieces.join(" "), { maxDepth: maxDepth + 1 });
    for (const event of events as readonly (Event & Partial<Record<Offset, number>>)[])
      for (const field of offsets) {
        const offset = event[field];
        if (offset !== undefined && offset > 0) event[field] = original(offset);
      }
    return events;
  } catch (cause) {
    if (cause instanceof YAMLException && cause.mark) cause.mark.position = original(cause.mark.position);
    throw cause;
  }
}

const offsets = [
  "start",
  "valueStart",
  "valueEnd",
  "anchorStart",
  "anchorEnd",
  "tagStart",
  "tagEnd",
] as const;
type Offset = (typeof offsets)[number];

/** Counts the spaces that lie before an offset of the shifted text. */
function countBelow(closers: readonly number[], shifted: number): number {
  let [low, high] = [0, closers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((closers[middle] as number) + middle < shifted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The offsets that lie in no scalar. */
function withoutScalars(closers: readonly number[], events: readonly Event[]): readonly number[] {
  const scalars = events.filter((event) => event.type === EVENT_ID.SCALAR);
  let next = 0;
  return closers.filter((at) => {
    while (next < scalars.length && (scalars[next]?.valueEnd ?? 0) <= at) next += 1;
    return (scalars[next]?.valueStart ?? Number.POSITIVE_INFINITY) > at;
  });
}
