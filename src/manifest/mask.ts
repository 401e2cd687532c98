import { suggest } from "../diagnostics/suggest";
import { ownKeys } from "./meta";
import type { MapEntry, MapNode, ScalarNode, SourceNode } from "./tree";
import {
  besideCommand,
  blockKeys,
  isFreeKey,
  lifecycleKeys,
  type PlacedType,
  sensitiveKey,
  type TypeIndex,
} from "./type-index";
import type { ParsedYaml } from "./yaml";

/**
 * The text of a file for code frames: every value but those at places that hold no secret is starred out, offsets and lines
 * stay as they were. `failed`: it could not be read, or not as a whole.
 */
export function maskText(text: string, { root, failed }: ParsedYaml, index: TypeIndex): string {
  if (failed) return maskBroken(text, index);
  if (root === undefined) return text;
  const { shown, hidden } = markSecrets(root, index);
  const ranges: [number, number][] = [];
  eachScalar(root, (scalar) => {
    if (!shown.has(scalar) || hidden.has(scalar)) ranges.push([scalar.range.start, scalar.range.end]);
  });
  return star(text, ranges);
}

/** Keys of parts that are no blocks. The state of a stage may hold a password, and is not shown. */
const otherKeys: readonly string[] = [
  ...ownKeys,
  ...lifecycleKeys,
  ...["condition", "message", "group", "dotenv", "from", "to", "address", "consumers"],
  ...["overlay", "workspace", "protect", "each", "disposable", "expires"],
];

const knownKeys = ({ byType, shared }: TypeIndex): ReadonlySet<string> =>
  new Set([
    ...otherKeys,
    ...shared.keys(),
    ...[...byType.values()].flatMap((placed) => [
      placed.place.key,
      ...blockKeys(placed),
      ...[...placed.groups.values()].flatMap((group) => [...group.keys()]),
    ]),
  ]);

/** What a manifest holds at which places. Where an alias takes a scalar to several, it may be in both sets. */
export interface Marks {
  /** Scalars at places that hold no secret. */
  readonly shown: Set<SourceNode>;
  readonly hidden: Set<SourceNode>;
  readonly free: Set<MapEntry>;
}

/** Marks the scalars of a manifest by the keys above them; those below free and unknown keys are in neither set. */
export function markSecrets(root: MapNode, index: TypeIndex): Marks {
  const marks: Marks = { shown: new Set(), hidden: new Set(), free: new Set() };
  const types = [...index.byType.values()];
  const secretTypes = types.filter(isSecretType);
  const opensSecrets = new Set(secretTypes.flatMap(({ place, shorthand }) => [place.key, shorthand?.path]));
  const openKeys = new Set(secretTypes.flatMap(keysWithoutSecret));
  const named = types.filter(({ place }) => place.shape === "map").map(({ place }) => place.key);
  const opensNames = new Set([...named, "stages", "outputs"]);
  const known = knownKeys(index);
  /** `environment`: known as a text, and meant as secrets where it is more. */
  const alsoCalled = new Set(secretTypes.flatMap(({ place }) => place.alsoCalled ?? []));
  const visit = (node: SourceNode, areNames: boolean): void => {
    if (node.kind === "scalar") marks.shown.add(node);
    else if (node.kind === "list") for (const item of node.items) visit(item, false);
    else
      for (const [key, entry] of node.entries) {
        const { value } = entry;
        if (areNames) visit(value, false);
        else if (isFreeKey(key)) marks.free.add(entry);
        else if (index.shared.has(key))
          for (const group of valuesOf(value)) markSecretsIn(group, openKeys, marks);
        else if (opensSecrets.has(key)) markSecretsIn(value, openKeys, marks);
        else if (value.kind !== "scalar" && alsoCalled.has(key)) continue;
        else if (known.has(key)) visit(value, opensNames.has(key));
      }
  };
  visit(root, false);
  return marks;
}

const isSecretType = ({ shorthand }: PlacedType): boolean => shorthand?.secret === true;

const keysWithoutSecret = (placed: PlacedType): readonly string[] =>
  [...blockKeys(placed), ...besideCommand].filter((key) => placed.attributes.get(key)?.secret !== true);

function markSecretsIn(node: SourceNode, openKeys: ReadonlySet<string>, { shown, hidden }: Marks): void {
  const show = (value: SourceNode): void => eachScalar(value, (scalar) => shown.add(scalar));
  const hide = (value: SourceNode): void => eachScalar(value, (scalar) => hidden.add(scalar));
  for (const secret of valuesOf(node)) {
    if (secret.kind !== "map") {
      hide(secret);
      continue;
    }
    const sensitive = secret.entries.get(sensitiveKey)?.value;
    const isOpen = sensitive?.kind === "scalar" && sensitive.value === false;
    for (const [key, { value }] of secret.entries) {
      const isCommand = key === "fromCommand" && value.kind === "list";
      for (const [i, part] of (isCommand ? value.items : [value]).entries())
        if (openKeys.has(key) ? !isCommand || i === 0 : isOpen) show(part);
        else hide(part);
    }
  }
}

const valuesOf = (node: SourceNode): readonly SourceNode[] =>
  node.kind === "map" ? [...node.entries.values()].map(({ value }) => value) : [node];

function eachScalar(node: SourceNode, visit: (scalar: ScalarNode) => void): void {
  if (node.kind === "scalar") visit(node);
  else if (node.kind === "list") for (const item of node.items) eachScalar(item, visit);
  else for (const { value } of node.entries.values()) eachScalar(value, visit);
}

export function star(text: string, ranges: readonly (readonly [number, number])[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (end <= at) continue;
    pieces.push(
      text.slice(at, Math.max(at, start)),
      // Blanks stay, as does indentation.
      text
        .slice(Math.max(at, start), end)
        .replace(/^[ \t]+|[^\r\n]/gm, (found) => (found.trim() === "" ? found : "*")),
    );
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join("");
}

/** A dash that opens an item, a word with a colon behind it, or any other character. */
const partOfLine = /(^[ \t]*-(?=\s))|(?<![A-Za-z0-9_-])([A-Za-z0-9_-]+)["']?[ \t]*:|\S/gm;

/** A comment or a mark of documents, or a word where a key may be, with what is behind it on its line. */
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
 * Stars out a text that does not parse. It is shown up to the first key that may open secrets, however it is spelt, or that
 * has a value and is unknown; from there on only keys of a manifest are sure to be no secret.
 */
function maskBroken(text: string, index: TypeIndex): string {
  const known = knownKeys(index);
  const types = [...index.byType.values()].filter(isSecretType);
  const secret = types.flatMap(({ place }) => [place.key, place.shared?.groups ?? place.key]);
  const meant = types.flatMap(({ place }) => place.alsoCalled ?? []);
  const words = new Set([...secret, ...meant, "state", "value"].map((word) => word.toLowerCase()));
  const mayOpenSecrets = (key: string): boolean =>
    words.has(key.toLowerCase()) ||
    isFreeKey(key) ||
    (!known.has(key) && key.length <= 64 && suggest(key, secret) !== undefined);
  let opensAt = firstUnknown(text, known);
  return text.replace(partOfLine, (found, dash: string | undefined, key: string | undefined, at: number) => {
    if (at < opensAt && key !== undefined && mayOpenSecrets(key)) opensAt = at;
    if (at < opensAt) return found;
    return dash !== undefined || (key !== undefined && known.has(key)) ? found : found.replace(/\S/g, "*");
  });
}
