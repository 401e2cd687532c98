import { type Diagnostic, error, positionAt, type SourceRange } from "../diagnostics/diagnostic";
import { suggest } from "../diagnostics/suggest";
import type { SourceNode } from "./tree";
import { blockKeys, lifecycleKeys, type PlacedType } from "./type-index";

export type Report = (diagnostic: Diagnostic) => void;

/** Beyond this many unknown words no suggestion is looked for: to compare all with all takes the square of their number. */
export const suggestedMisses = 20;

/** Beyond this a hostile file would only fill memory. */
const keptDiagnostics = 1000;

export interface Findings {
  readonly report: Report;
  readonly all: () => Diagnostic[];
}

/**
 * Collects diagnostics; past the first thousand it only counts them. A mistake in a text that an alias repeats is one
 * mistake, whatever it is the text of.
 */
export function collectFindings(): Findings {
  const kept: Diagnostic[] = [];
  const told = new Set<string>();
  let dropped = 0;
  return {
    report: (diagnostic) => {
      const mistake = mistakeOf(diagnostic);
      if (mistake !== undefined && told.has(mistake)) return;
      if (mistake !== undefined && told.size < keptDiagnostics) told.add(mistake);
      if (kept.length < keptDiagnostics) kept.push(diagnostic);
      else dropped += 1;
    },
    all: () =>
      dropped === 0
        ? kept
        : [...kept, error("manifest.too_large", `${dropped} more mistakes are not listed`)],
  };
}

/** Identifies a mistake by its text and location, without its address. */
function mistakeOf({ code, summary, address, attribute, range }: Diagnostic): string | undefined {
  if (range === undefined) return undefined;
  const what = address === undefined ? summary : summary.replaceAll(address, "");
  return [code, range.file, range.start, range.end, attribute ?? "", what].join(" ");
}

/** Writes a location as `rnv.yaml:9:11`, for the second location that a diagnostic speaks of. */
export function formatLocation(range: SourceRange, texts: ReadonlyMap<string, string>): string {
  const { line, column } = positionAt(texts.get(range.file) ?? "", range.start);
  return `${range.file}:${line}:${column}`;
}

/** A key that was probably meant by one that a block does not have. */
interface MeantKey {
  readonly hint?: string | undefined;
  /** The attribute that it stands for: it is not missing then. */
  readonly path?: string;
}

/** Keys that are listed where nothing else helps. */
const mostListed = 8;

/** Lists the keys that there are, where they are few. */
export const listKeys = (known: readonly string[]): string | undefined =>
  known.length === 0 || known.length > mostListed ? undefined : `its keys are ${known.join(", ")}`;

/** Guesses the key that was meant in a block or one of its groups: another word, another level, a slip of the pen. */
export function meantKey(key: string, placed: PlacedType, group?: string): MeantKey | undefined {
  const here = group === undefined ? blockKeys(placed) : [...(placed.groups.get(group)?.keys() ?? [])];
  const path = (name: string): string => (group === undefined ? name : `${group}.${name}`);
  const known = sameWord(key, here) ?? synonymOf(key, here, (name) => wordsFor(placed, path(name), name));
  if (known !== undefined) return { hint: `did you mean "${known}"?`, path: path(known) };
  const elsewhere = group === undefined ? deeperIn(key, placed) : besides(key, placed, group);
  if (elsewhere !== undefined) return elsewhere;
  const close = suggest(key, here);
  if (close !== undefined) return { hint: `did you mean "${close}"?`, path: path(close) };
  const unspaced = /^([\w-]+):\S/.exec(key)?.[1];
  if (unspaced !== undefined)
    return { hint: `write a space after the colon: ${unspaced}: …`, path: path(unspaced) };
  return { hint: listKeys(here) };
}

/** A key of a group, of `lifecycle`, or of a block such as `deploy`, written one level too high. */
function deeperIn(key: string, placed: PlacedType): MeantKey | undefined {
  for (const [group, fields] of placed.groups) {
    const names = [...fields.keys()];
    const found =
      sameWord(key, names) ?? synonymOf(key, names, (name) => wordsFor(placed, `${group}.${name}`, name));
    if (found !== undefined) return { hint: belongs(group, key, found), path: `${group}.${found}` };
  }
  const ofLifecycle = placed.place.meta ? sameWord(key, lifecycleKeys) : undefined;
  if (ofLifecycle !== undefined) return { hint: belongs("lifecycle", key, ofLifecycle) };
  for (const [place, child] of placed.children) {
    if (child.place.shape !== "single") continue;
    const found = sameWord(key, child.attributes.keys());
    if (found !== undefined) return { hint: belongs(place, key, found) };
  }
  return undefined;
}

/** A key of the block, written in a group of it: no service has a field of that name there. */
export function besides(key: string, placed: PlacedType, group: string): MeantKey | undefined {
  const names = blockKeys(placed);
  const found = sameWord(key, names) ?? synonymOf(key, names, (name) => wordsFor(placed, name, name));
  if (found === undefined) return undefined;
  const as = found === key ? "" : `, as ${found}`;
  return {
    hint: `it belongs beside ${group}, not in it${as}`,
    ...(placed.paths.has(found) ? { path: found } : {}),
  };
}

const belongs = (place: string, key: string, found: string): string =>
  `it belongs in ${place}${found === key ? "" : `, as ${found}`}: ${place}: { ${found}: … }`;

const wordsFor = (placed: PlacedType, path: string, name: string): readonly string[] =>
  placed.type.manifest.fieldsAlsoCalled?.[path] ?? placed.children.get(name)?.place.alsoCalled ?? [];

/** The same word in another spelling: `health_check_path`. */
function sameWord(key: string, names: Iterable<string>): string | undefined {
  const word = bare(key);
  for (const name of names) if (bare(name) === word) return name;
  return undefined;
}

function synonymOf(
  key: string,
  names: readonly string[],
  words: (name: string) => readonly string[],
): string | undefined {
  return names.find((name) => sameWord(key, words(name)) !== undefined);
}

const bare = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, "");

/** Suggests what to write where a mapping is expected; of a secret it shows nothing. */
export function hintForKeys(node: SourceNode, keys: readonly string[], isSecret = false): string | undefined {
  if (node.kind === "list") return "no dashes: a mapping is lines of `key: value`";
  const text = !isSecret && node.kind === "scalar" && typeof node.value === "string" ? node.value : "";
  const [, key, value] = /^([\w.-]+)(?::| *= *)(\S[^\n]*)$/.exec(text.slice(0, longest)) ?? [];
  return key === undefined ? listKeys(keys) : `write ${key}: ${value}`;
}

const longest = 80;

const yes = new Set(["yes", "on", "y", "enabled", "true"]);
const no = new Set(["no", "off", "n", "disabled", "false"]);

/** `yes` where true is meant: YAML 1.2 reads it as text. */
export function hintForFlag(node: SourceNode): string | undefined {
  const word = node.kind === "scalar" && typeof node.value === "string" ? node.value.toLowerCase() : "";
  if (yes.has(word)) return "write true";
  return no.has(word) ? "write false" : undefined;
}

const unseen = /[\u00a0\u2007\u202f\u3000\u200b-\u200d\u2060\ufeff]/;

/** For a key that looks right and is not: it holds a space that is none to YAML. */
export function hintForUnseen(key: string): string | undefined {
  const [found] = unseen.exec(key) ?? [];
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  return `it holds the invisible character U+${code}: write plain spaces`;
}
