import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Finding } from "./hunt";
import { type Edit, type FindKind, type Found, findOf } from "./plant";
import type { RemoteKind } from "./remote-server";

/** A bug planted in the sources, and cases of the matrix that must find it. */
export interface PlantedBug extends Edit {
  readonly name: string;
  readonly scenario: string;
  /** The kind of server that keeps the state; default: it lies on the disk. */
  readonly remote?: RemoteKind;
  /** Begin of the faults to try, in this order. */
  readonly faults: readonly string[];
  /** Part of the names of the cases to try: where the fault meets the bug soon. */
  readonly at?: string;
  /** Default: `wrong`, an end that the judge refuses. */
  readonly finds?: Finding["kind"];
}

/** A bug as `planted-bugs.yaml` describes it: the piece of syntax by its kind and its words, and its replacement. */
type Described = Omit<PlantedBug, "find" | "to"> & {
  readonly find: readonly [kind: FindKind, ...words: string[]];
  readonly to: string;
};

/**
 * Fills in the found piece:
 * - `$text`: all of it;
 * - `$name`: the text before the bracket of a call, `$object`: the object of that method;
 * - `$0`, `$1` …: its parts, `$last`: the last, `$rest`: all but the first, `$all`: all of them.
 */
function filled(template: string, { text, parts }: Found): string {
  const name = text.slice(0, text.indexOf("("));
  const named: Readonly<Record<string, string | undefined>> = {
    ...{ text, name, object: name.slice(0, name.lastIndexOf(".")) },
    ...{ last: parts.at(-1), rest: parts.slice(1).join(", "), all: parts.join(", ") },
    ...Object.fromEntries(parts.entries()),
  };
  return template.replace(/\$(\w+)/g, (all, word: string) => named[word] ?? all);
}

const described: readonly Described[] = parse(readFileSync(join(__dirname, "planted-bugs.yaml"), "utf8"));

export const plantedBugs: readonly PlantedBug[] = described.map(({ find: [kind, ...words], to, ...bug }) => ({
  ...bug,
  find: findOf(kind, words),
  to: (found) => filled(to, found),
}));
