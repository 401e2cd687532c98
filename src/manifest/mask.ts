import { isVariableName, mayBeSecret, mayShow, star } from "../declaration/secret-texts";
import {
  entriesIn,
  isNull,
  type ListNode,
  type MapNode,
  partsOf,
  type SourceNode,
} from "../declaration/tree";
import {
  blockKeys,
  commandKeys,
  isFreeKey,
  lifecycleKeys,
  sensitiveKey,
  type TypeIndex,
} from "../declaration/type-index";
import { suggest } from "../diagnostics/suggest";
import type { ParsedYaml } from "./text/yaml";
import { ownKeys } from "./top-level";

/**
 * The text of a file for code frames, with values starred out that may be secrets; offsets and lines stay as they were.
 * `failed`: it could not be read, or not as a whole.
 */
export function maskText(text: string, { root, failed }: ParsedYaml, index: TypeIndex): string {
  if (failed) return maskBroken(text, index);
  const { zoneIn } = zonesOf(index);
  const used = new Set<SourceNode>();
  const ranges: (readonly [start: number, end: number])[] = [];
  const comments: typeof ranges = [];
  const masked: { readonly node: SourceNode; readonly zone: Zone }[] = [];
  const mask = (node: SourceNode, zone: Zone): void => {
    if (zone !== "free") used.add(node);
    if (node.kind === "scalar") {
      if (!mayShow(node.value, ["open", "names"].includes(zone))) masked.push({ node, zone });
    } else for (const [key, value] of partsOf(node)) mask(value, zoneIn(node, zone, key, value));
    for (const { key, keyRange, value } of isSecretZone(zone) ? entriesIn(node).values() : []) {
      // `{ PASSWORD:x }`, and `{x}` in place of "x"
      if (/[:=]/.test(key) || (zone !== "secrets" && isNull(value)))
        ranges.push([keyRange.start, keyRange.end]);
      // A value that begins with # is a comment for YAML, and with & a mark.
      const [rest = ""] = /.*/.exec(text.slice(keyRange.end)) ?? [];
      const [comment = ""] = /(?<=\s)[#&].*/.exec(rest) ?? [];
      comments.push([keyRange.end + rest.length - comment.length, keyRange.end + rest.length]);
    }
  };
  if (root !== undefined) mask(root, "open");
  // An alias of a free key's content is judged where it is used.
  const hidden = masked.filter(({ node, zone }) => zone !== "free" || !used.has(node));
  ranges.push(...hidden.map(({ node: { range } }) => [range.start, range.end] as const));
  return star(star(text, comments, " "), ranges);
}

const otherKeys: readonly string[] = [
  ...ownKeys,
  ...lifecycleKeys,
  ..."condition message group dotenv from to address consumers length".split(" "),
  ..."overlay workspace protect each disposable expires".split(" "),
];

/**
 * A zone of a manifest. Mappings of names: `names` to values, `blocks` to mappings, `groups` to `secrets` or to a value in
 * place of them, `secrets` to secrets. `free`: below a free key. `unknown`: below a word that is no key.
 */
export type Zone =
  | "open"
  | "names"
  | "blocks"
  | "groups"
  | "secrets"
  | "secret"
  | "command"
  | "hidden"
  | "free"
  | "unknown";

export const isSecretZone = (zone: Zone): boolean => ["groups", "secrets", "secret", "hidden"].includes(zone);

/** The keys of a manifest, and the zones that they open. */
export function zonesOf({ byType, shared }: TypeIndex) {
  const types = [...byType.values()];
  const secretTypes = types.filter(({ shorthand }) => shorthand?.secret === true);
  /** `environment`: known as a text, and meant as secrets where it is more. */
  const alsoCalled = new Set(secretTypes.flatMap(({ form }) => form.alsoCalled ?? []));
  const opensSecrets = new Set(
    secretTypes.flatMap(({ form, shorthand }) => [form.key, shorthand?.path ?? ""]),
  );
  // The state of a stage may hold a password.
  const closed = new Set(["state", ...opensSecrets, ...shared.keys(), ...alsoCalled]);
  const named = types.filter(({ form }) => form.shape === "map").map(({ form }) => form.key);
  const opensBlocks = new Set([...named, "stages"]);
  const openKeys = new Set(
    secretTypes.flatMap((blockType) =>
      [...blockKeys(blockType), ...commandKeys].filter((key) => !blockType.attributes.get(key)?.secret),
    ),
  );
  const known = new Set([
    ...otherKeys,
    ...shared.keys(),
    ...types.flatMap((blockType) => [
      blockType.form.key,
      ...blockKeys(blockType),
      ...[...blockType.groups.values()].flatMap((group) => [...group.keys()]),
    ]),
  ]);
  const words = types.flatMap(({ form }) => Object.values(form.fieldsAlsoCalled ?? {}).flat());
  const candidates = [...closed, ...known, ...words];
  const guesses = new Map<string, string | undefined>();
  /** Returns the key that is meant by a key; undefined for an unknown word. */
  const meant = (key: string): string | undefined => {
    if (known.has(key) || mayBeSecret(key) || /[a-z](Pass|Pwd|Key|Dsn|Url)$/.test(key))
      return known.has(key) ? key : undefined;
    if (!guesses.has(key) && guesses.size < mostGuesses) guesses.set(key, suggest(key, candidates));
    return guesses.has(key) ? guesses.get(key) : "state";
  };
  const zoneIn = (node: MapNode | ListNode, zone: Zone, key: string, part: SourceNode): Zone => {
    if (zone === "command") return key === "0" ? "open" : "hidden";
    if (node.kind === "list") return isSecretZone(zone) ? "hidden" : zone;
    if (zone === "names") return "open";
    if (zone === "blocks") return part.kind === "scalar" ? "unknown" : "open";
    if (zone === "groups") return "secrets";
    if (zone === "secrets") return "secret";
    if (zone === "secret") {
      if (key === "fromCommand" && part.kind === "list") return "command";
      const sensitive = node.entries.get(sensitiveKey)?.value;
      const isPublic = sensitive?.kind === "scalar" && sensitive.value === false;
      const isText = part.kind === "scalar" && typeof part.value === "string";
      const isValue = isText && !textsOfSources.get(key)?.test(String(part.value));
      return (openKeys.has(key) && !isValue) || isPublic ? "open" : "hidden";
    }
    if (zone !== "open") return zone;
    if (isFreeKey(key)) return "free";
    const word = meant(key) ?? "";
    if (shared.has(word)) return "groups";
    if (opensSecrets.has(word)) return "secrets";
    const isMeantOpen = known.has(word) ? part.kind === "scalar" || !alsoCalled.has(word) : !closed.has(word);
    if (word === "" || isVariableName(key) || !isMeantOpen) return "unknown";
    if (opensBlocks.has(word)) return "blocks";
    return word === "outputs" ? "names" : "open";
  };
  return { known, closed, meant, zoneIn };
}

/** The texts that may be shown in the block of a secret; any other may be its value. */
const textsOfSources = new Map([
  ["fromEnv", /^\w+$/],
  ["fromFile", /./],
  ["json", /^\//],
  ["key", /./],
]);

/** To compare more unknown words with all keys takes too long. */
const mostGuesses = 1000;

/** A dash that opens an item, a word with a colon behind it, or any other character. */
const partOfLine = /(^[ \t]*-(?=\s))|(?<![A-Za-z0-9_-])([A-Za-z0-9_-]+)["']?[ \t]*:|\S/gm;

/** A comment or a mark of documents, or a word where a key may be, with the start of the value behind it. */
const wordAtKey =
  /(?<!\S)#.*|^---(?!\S)|(?:^[^\S\r\n]*((?:-[ \t]+)*)|(?<!\$)[{[,][ \t]*)["']?([^\s{}[\],#:=<%"']+)["']?[ \t]*([:=]?)[ \t]*(?=([^\s{#]?))/gm;

/** Returns the offset of the first word that is no key of a manifest and no name of a block, such as `PASSWORD=x`. */
function firstUnknown(text: string, known: ReadonlySet<string>): number {
  let isMapping = false;
  for (const { 1: dash, 2: word, 3: mark, 4: value, index } of text.matchAll(wordAtKey)) {
    if (word === undefined) continue;
    const isValue = mark === "" ? dash === "" || !isMapping : value !== "";
    if (isValue && !known.has(word)) return index;
    isMapping ||= !dash;
  }
  return text.length;
}

/**
 * Stars out a text that does not parse. It is shown up to the first key that may open secrets in any spelling, or that
 * is unknown and has a value. From there on only keys of a manifest are shown.
 */
function maskBroken(text: string, index: TypeIndex): string {
  const { known, closed, meant } = zonesOf(index);
  const mayOpenSecrets = (key: string): boolean => isFreeKey(key) || closed.has(meant(key) ?? "");
  let opensAt = firstUnknown(text, known);
  return text.replace(partOfLine, (found, dash: string | undefined, key: string | undefined, at: number) => {
    if (at < opensAt && key !== undefined && mayOpenSecrets(key)) opensAt = at;
    if (at < opensAt) return found;
    return dash !== undefined || (key !== undefined && known.has(key)) ? found : found.replace(/\S/g, "*");
  });
}
