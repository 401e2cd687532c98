import type * as re2 from "re2js";
import {
  ExpressionProblem,
  list,
  nothing,
  object,
  text,
  tuple,
  type Value,
  type ValueType,
} from "./expression-value";
import type { FunctionRule } from "./function-rule";
import { textOf } from "./operators";

/** A match: where it lies, and the texts of its groups, the whole of it first; undefined for one that took no part. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

interface Pattern {
  /** Names of groups by their number. */
  readonly names: ReadonlyMap<string, number>;
  readonly groupCount: number;
  readonly matchesIn: (value: string) => Iterable<Match>;
}

/** Reads a pattern of RE2, whose syntax and time are those of Terraform's; its library is loaded where one is used. */
function patternOf(written: string): Pattern {
  const { RE2JS } = require("re2js") as typeof re2;
  try {
    const compiled = RE2JS.compile(written);
    return {
      names: new Map(Object.entries(compiled.namedGroups())),
      groupCount: compiled.groupCount(),
      matchesIn: (value) => matchesOf(compiled, value),
    };
  } catch (cause) {
    throw new ExpressionProblem(`the pattern cannot be read: ${(cause as Error).message}`);
  }
}

function* matchesOf(compiled: re2.RE2JS, value: string): Generator<Match> {
  const matcher = compiled.matcher(value);
  let lastEnd = -1;
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    const isEmpty = start === end;
    // Nothing is found once more where a match has just ended, nor inside of a letter.
    if (isEmpty && (start === lastEnd || isInsideLetter(value, start))) continue;
    lastEnd = end;
    const groups = Array.from({ length: compiled.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
    yield { start, end, groups };
  }
}

const isInsideLetter = (value: string, at: number): boolean =>
  at > 0 && (value.codePointAt(at - 1) as number) > 0xffff;

/** What a match is in an expression: its text, or its groups by number or by name. */
function resultOf({ names, groupCount }: Pattern): (match: Match) => Value {
  const part = (one: string | undefined): Value => (one === undefined ? nothing : text(one));
  if (groupCount === 0) return ({ groups: [whole] }) => part(whole);
  if (names.size === 0) return ({ groups: [, ...parts] }) => tuple(parts.map(part));
  if (names.size !== groupCount)
    throw new ExpressionProblem("the groups of the pattern have names, or none of them has");
  return ({ groups }) => object([...names].map(([name, i]) => [name, part(groups[i])]));
}

function regex(written: string, value: string): Value {
  const pattern = patternOf(written);
  const result = resultOf(pattern);
  for (const match of pattern.matchesIn(value)) return result(match);
  throw new ExpressionProblem("the pattern does not match any part of the text");
}

function regexAll(written: string, value: string): Value {
  const pattern = patternOf(written);
  const found = [...pattern.matchesIn(value)].map(resultOf(pattern));
  return list(found, pattern.groupCount === 0 ? "string" : "any");
}

/** Replaces what a pattern matches; `$1` and `${name}` in `by` stand for groups. */
export function replacePattern(value: string, written: string, by: string): string {
  const pattern = patternOf(written);
  let result = "";
  let from = 0;
  for (const match of pattern.matchesIn(value)) {
    result += value.slice(from, match.start) + filledIn(by, match, pattern);
    from = match.end;
    if (result.length > largestReplacement)
      throw new ExpressionProblem(`the text would have more than ${largestReplacement} characters`);
  }
  return result + value.slice(from);
}

const largestReplacement = 16 * 1024 * 1024;

/** A name is as long as it can be: `$1x` is the group `1x`. One that there is not is empty; a dollar without a name stays. */
const filledIn = (template: string, { groups }: Match, { names }: Pattern): string =>
  template.replace(
    /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu,
    (source, bare: string | undefined, braced: string | undefined) => {
      const name = bare ?? braced;
      if (name === undefined) return source === "$$" ? "$" : source;
      const index = /^\d+$/.test(name) ? Number(name) : names.get(name);
      return index === undefined ? "" : (groups[index] ?? "");
    },
  );

const string = { type: "string" } as const;
const lists: ValueType = { kind: "list", of: "any" };

/** Functions of regular expressions. */
export const regexFunctions: readonly (readonly [string, FunctionRule])[] = [
  [
    "regex",
    {
      takes: [string, string],
      gives: "any",
      call: ([written, value]) => regex(textOf(written as Value), textOf(value as Value)),
    },
  ],
  [
    "regexall",
    {
      takes: [string, string],
      gives: lists,
      call: ([written, value]) => regexAll(textOf(written as Value), textOf(value as Value)),
    },
  ],
];
