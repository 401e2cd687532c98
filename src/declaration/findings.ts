import { type Diagnostic, error, positionAt, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { SourceNode } from "./tree";
import { type BlockType, blockKeys, lifecycleKeys } from "./type-index";

export type Report = (diagnostic: Diagnostic) => void;

/** Beyond this many unknown words no suggestion is looked for: comparing all with all takes too long. */
const suggestedMisses = 20;

/** Counts an unknown word, and returns a hint with the known word closest to it. */
export function hintForMiss(misses: { count: number }, word: string, known: () => Iterable<string>) {
  misses.count += 1;
  return misses.count > suggestedMisses ? undefined : didYouMean(word, known());
}

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
  const reported = new Set<string>();
  let dropped = 0;
  return {
    report: (diagnostic) => {
      const mistake = mistakeOf(diagnostic);
      if (mistake !== undefined && reported.has(mistake)) return;
      if (mistake !== undefined && reported.size < keptDiagnostics) reported.add(mistake);
      if (kept.length < keptDiagnostics) kept.push(diagnostic);
      else dropped += 1;
    },
    all: () =>
      dropped === 0
        ? kept
        : [...kept, error("manifest.too_large", `${dropped} more mistakes are not listed`)],
  };
}

function mistakeOf({ code, summary, address, attribute, range }: Diagnostic): string | undefined {
  if (range === undefined) return undefined;
  const statement = address === undefined ? summary : summary.replaceAll(address, "");
  return [code, range.file, range.start, range.end, attribute ?? "", statement].join(" ");
}

/** Writes a location as `rnv.yaml:9:11`, or `rnv.config.ts: projects.shop` in a value. */
export function formatLocation({ file, start, source }: SourceRange, text = source?.text ?? ""): string {
  const { line, column } = positionAt(text, start);
  return source?.placeAt?.(start) ?? `${file}:${line}:${column}`;
}

const mostListed = 8;

export const listKeys = (known: readonly string[]): string | undefined =>
  known.length === 0 || known.length > mostListed ? undefined : `its keys are ${known.join(", ")}`;

/** Suggests the key that was meant in a block or one of its groups: another word, another level, a slip of the pen. */
export function hintForUnknown(key: string, blockType: BlockType, group?: string): string | undefined {
  const meant = meantKey(key, blockType, group);
  if (meant !== undefined) {
    const { level, name } = meant;
    const renamed = name === key ? "" : `, as ${name}`;
    if (level === group) return `did you mean "${name}"?`;
    return level === undefined
      ? `it belongs beside ${group}, not in it${renamed}`
      : `it belongs in ${level}${renamed}: ${level}: { ${name}: … }`;
  }
  const unspaced = /^([\w-]+):\S/.exec(key)?.[1];
  if (unspaced !== undefined) return `write a space after the colon: ${unspaced}: …`;
  const here = group === undefined ? blockKeys(blockType) : [...(blockType.groups.get(group)?.keys() ?? [])];
  return didYouMean(key, here) ?? listKeys(here);
}

/**
 * Returns the known key that a key misspells (`health_check_path`), names by another word or misplaces. Its level is a
 * group, `lifecycle`, a block such as `deploy`, or undefined for the block itself. `group` is searched first.
 */
export function meantKey(key: string, blockType: BlockType, group?: string) {
  const { form, groups, children } = blockType;
  const levels = new Map<string | undefined, Iterable<string>>([
    // Its keys follow: a `Map` keeps the position of this first entry.
    [group, []],
    [undefined, blockKeys(blockType)],
    ...[...groups].map(([level, fields]) => [level, fields.keys()] as const),
    ...(form.meta ? [["lifecycle", lifecycleKeys] as const] : []),
    ...[...children].flatMap(([level, { form, attributes }]) =>
      form.shape === "single" ? [[level, attributes.keys()] as const] : [],
    ),
  ]);
  const isWord = (word: string): boolean => bare(word) === bare(key);
  const alsoCalled = (level: string | undefined, name: string): readonly string[] =>
    form.fieldsAlsoCalled?.[level === undefined ? name : `${level}.${name}`] ??
    children.get(name)?.form.alsoCalled ??
    [];
  for (const [level, keys] of levels) {
    const names = [...keys];
    const name = names.find(isWord) ?? names.find((known) => alsoCalled(level, known).some(isWord));
    if (name !== undefined) return { level, name };
  }
  return undefined;
}

const bare = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, "");

/** Suggests the line to write where a mapping is expected. The value may be secret: no hint quotes it. */
export function hintForKeys(node: SourceNode, keys: readonly string[]): string | undefined {
  if (node.kind === "list") return "no dashes: a mapping is lines of `key: value`";
  const text = node.kind === "scalar" && typeof node.value === "string" ? node.value : "";
  const [, key] = /^([\w.-]{1,80})(?::| *= *)\S.*$/.exec(text) ?? [];
  return key === undefined ? listKeys(keys) : `write ${key}: …`;
}

const yes = new Set(["yes", "on", "y", "enabled", "true"]);
const no = new Set(["no", "off", "n", "disabled", "false"]);

/** `yes` where true is meant: YAML 1.2 reads it as text. */
export function hintForFlag(node: SourceNode): string | undefined {
  const word = node.kind === "scalar" && typeof node.value === "string" ? node.value.toLowerCase() : "";
  if (yes.has(word)) return "write true";
  return no.has(word) ? "write false" : undefined;
}
