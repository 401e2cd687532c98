import { diffArrays } from "diff";
import type { Step } from "./world";

/** One fact of a story that is not the same in both builds. */
export interface Difference {
  readonly story: string;
  readonly step: string;
  /** `exit code`, `writes`, `.rnv/state.json resources.service.shop.api.name` … */
  readonly path: string;
  /** Both sides, or what one of them has more. */
  readonly text: string;
}

type Found = Omit<Difference, "story" | "step">;

/** Returns what differs between two plays of one story, in its order. */
export function differencesOf(story: string, before: readonly Step[], after: readonly Step[]): Difference[] {
  const count = Math.max(before.length, after.length);
  return Array.from({ length: count }, (_, index) => [before[index], after[index]] as const).flatMap(
    ([old, now], index) => {
      const step = `${index + 1} ${(old ?? now)?.title}`;
      if (old === undefined || now === undefined)
        return [{ story, step, path: "step", text: old === undefined ? "is new" : "is not played" }];
      return differencesOfStep(old, now).map((found) => ({ story, step, ...found }));
    },
  );
}

function differencesOfStep(old: Step, now: Step): Found[] {
  const files = [...new Set([...Object.keys(old.files), ...Object.keys(now.files)])].sort();
  return [
    ...differencesOfValue("title", old.title, now.title),
    ...differencesOfValue("exit code", old.code, now.code),
    ...differencesOfLists("lines", old.lines, now.lines),
    ...differencesOfLists("writes", old.writes, now.writes),
    ...differencesOfLists("reads", old.reads, now.reads),
    ...differencesOfValue("output", old.output, now.output),
    ...files.flatMap((file) => differencesOfValue(file, old.files[file], now.files[file])),
  ];
}

function differencesOfLists(path: string, old: readonly string[], now: readonly string[]): Found[] {
  return diffArrays([...old], [...now]).flatMap(({ added, removed, value }) =>
    added || removed ? value.map((line) => ({ path, text: `${added ? "+" : "-"} ${line}` })) : [],
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Walks two JSON values; texts of several lines are compared line by line. */
function differencesOfValue(path: string, old: unknown, now: unknown): Found[] {
  if (isObject(old) && isObject(now)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
    return keys.flatMap((key) => differencesOfValue(`${path} ${key}`, old[key], now[key]));
  }
  if (Array.isArray(old) && Array.isArray(now)) {
    const lists = [old, now].map((list) => list.map((element) => JSON.stringify(element)));
    // Sorted by random ids where names are equal.
    if (path === "output unmanaged") for (const list of lists) list.sort();
    return differencesOfLists(path, lists[0] as string[], lists[1] as string[]);
  }
  if (typeof old === "string" && typeof now === "string" && `${old}${now}`.includes("\n"))
    return differencesOfLists(path, old.split("\n"), now.split("\n"));
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  return [{ path, text: `${shown(old)} -> ${shown(now)}` }];
}

const shown = (value: unknown): string => (value === undefined ? "(nothing)" : JSON.stringify(value));

/** A line of `expected.txt`: a difference that someone has reviewed, with the reason. */
export interface Expected {
  readonly line: number;
  readonly pattern: RegExp;
  readonly text: string;
}

/**
 * Reads the reviewed differences from one commit. The file has a heading `[COMMIT]` for each commit that is compared
 * with, and below it lines `story | step | path | reason`; `*` in the first three stands for any text.
 */
export function expectedOf(file: string, commit: string): Expected[] {
  let isWanted = false;
  return file.split("\n").flatMap((text, index) => {
    const line = index + 1;
    const heading = /^\[([0-9a-f]{8,40})\]$/.exec(text)?.[1];
    if (heading !== undefined) isWanted = commit.startsWith(heading);
    if (heading !== undefined || !isWanted || text.trim() === "" || text.startsWith("#")) return [];
    const [story = "", step = "", path = "", reason = ""] = text.split("|").map((part) => part.trim());
    if (reason === "") throw new Error(`expected.txt:${line}: write story | step | path | reason`);
    const escaped = [story, step, path].map((part) =>
      part.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*"),
    );
    return [{ line, text, pattern: new RegExp(`^${escaped.join(" \\| ")}$`) }];
  });
}

/** Splits differences into those that no user reviewed and the entries that match none. */
export function judge(
  differences: readonly Difference[],
  expected: readonly Expected[],
): { readonly unlisted: Difference[]; readonly unused: Expected[] } {
  const keyOf = ({ story, step, path }: Difference): string => [story, step, path].join(" | ");
  const isMatch = (entry: Expected, difference: Difference): boolean => entry.pattern.test(keyOf(difference));
  return {
    unlisted: differences.filter((difference) => !expected.some((entry) => isMatch(entry, difference))),
    unused: expected.filter((entry) => !differences.some((difference) => isMatch(entry, difference))),
  };
}
