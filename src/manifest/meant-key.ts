import { slipOf, suggest } from "../diagnostics/suggest";
import { blockKeys, lifecycleKeys, type PlacedType } from "./type-index";

/** What was probably meant by a key that a block does not have. */
export interface MeantKey {
  readonly hint: string;
  /** The attribute that it stands for: it is not missing then. */
  readonly path?: string;
}

/** Keys that are listed where nothing else helps. */
const mostListed = 8;

/** What a key of a block, or of one of its groups, was meant to be: another word, another place, a slip of the pen. */
export function meantKey(key: string, placed: PlacedType, group?: string): MeantKey | undefined {
  const here = group === undefined ? blockKeys(placed) : [...(placed.groups.get(group)?.keys() ?? [])];
  const path = (name: string): string => (group === undefined ? name : `${group}.${name}`);
  const known = sameWord(key, here) ?? synonymOf(key, here, (name) => wordsFor(placed, path(name), name));
  if (known !== undefined) return { hint: `did you mean "${known}"?`, path: path(known) };
  const elsewhere = group === undefined ? deeperIn(key, placed) : besides(key, placed, group);
  if (elsewhere !== undefined) return elsewhere;
  const close = suggest(key, here) ?? slipOf(key, here);
  if (close !== undefined) return { hint: `did you mean "${close}"?`, path: path(close) };
  const unspaced = /^([\w-]+):\S/.exec(key)?.[1];
  if (unspaced !== undefined)
    return { hint: `write a space after the colon: ${unspaced}: …`, path: path(unspaced) };
  return here.length > mostListed ? undefined : { hint: `its keys are ${here.join(", ")}` };
}

/** A key of a group, of `lifecycle`, or of a block such as `deploy`, written one level too high. */
function deeperIn(key: string, placed: PlacedType): MeantKey | undefined {
  for (const [group, fields] of placed.groups) {
    const names = [...fields.keys()];
    const found =
      sameWord(key, names) ?? synonymOf(key, names, (name) => wordsFor(placed, `${group}.${name}`, name));
    if (found !== undefined) return { hint: belongs(group, key, found), path: `${group}.${found}` };
  }
  const ofLifecycle = placed.place.meta === true ? sameWord(key, lifecycleKeys) : undefined;
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
