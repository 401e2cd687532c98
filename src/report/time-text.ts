import { durationText } from "../model/time";
import { escapeText } from "./escape-text";

/** `2026-11-22 09:05:11Z`: to the second, in UTC; text that is no time as it stands. */
export function exactTime(iso: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return escapeText(iso);
  return new Date(at).toISOString().replace("T", " ").replace(/\.\d+/, "");
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `40s ago`, `5m ago`, `3h ago`, `12d ago`; the date once it is older than a month; `just now` for a time in the future. */
export function timeAgo(iso: string, now: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return escapeText(iso);
  const seconds = Math.floor((now - at) / 1000);
  if (seconds < 1) return "just now";
  if (seconds < minute) return `${seconds}s ago`;
  if (seconds < hour) return `${Math.floor(seconds / minute)}m ago`;
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h ago`;
  return seconds < 30 * day ? `${Math.floor(seconds / day)}d ago` : exactTime(iso).slice(0, 10);
}

/** A time in a column: the units are below each other. */
export const timeCell = (time: string | undefined, now: number): string =>
  (time === undefined ? "-" : timeAgo(time, now)).padStart("just now".length);

/** `2s`, `1m10s`, `1h5s`: rounded to whole seconds. */
export const elapsedText = (seconds: number): string => durationText(Math.max(0, Math.round(seconds)) * 1000);
