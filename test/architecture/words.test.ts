import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(__dirname, "..", "..");

/** Phrases to avoid and what to write: lines `phrase => replacement` of `words.txt`. */
const phrases = readFileSync(join(__dirname, "words.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" => ") as [phrase: string, replacement: string]);

/** Phrases that each folder or file has at most: strings, comments and docs. A ceiling only goes down. */
const ceilings: Readonly<Record<string, number>> = {
  "src/README.md": 0,
  "src/api": 0,
  "src/apply": 0,
  "src/cdktf": 0,
  "src/cli": 0,
  "src/commands": 0,
  "src/diagnostics": 0,
  "src/emulator": 0,
  "src/index.ts": 0,
  "src/manifest": 0,
  "src/model": 0,
  "src/plan": 0,
  "src/report": 0,
  "src/resources": 0,
  "src/stack": 0,
  "src/state": 0,
  "src/terraform": 0,
  test: 0,
  docs: 0,
  examples: 0,
  schemas: 0,
  "README.md": 0,
  "CHANGELOG.md": 0,
  "CONTRIBUTING.md": 0,
  "SECURITY.md": 0,
};

const list = "test/architecture/words.txt";

/** Folders that are made by tools. */
const generated: ReadonlySet<string> = new Set(["node_modules", "generated", "cdktf.out"]);

interface Hit {
  readonly file: string;
  readonly line: number;
  readonly phrase: string;
  readonly replacement: string;
}

/** Finds every phrase in a text, in any case of letters. */
function hitsIn(file: string, text: string): readonly Hit[] {
  const lower = text.toLowerCase();
  return phrases.flatMap(([phrase, replacement]) => {
    const hits: Hit[] = [];
    for (let at = lower.indexOf(phrase); at !== -1; at = lower.indexOf(phrase, at + 1))
      hits.push({ file, line: lower.slice(0, at).split("\n").length, phrase, replacement });
    return hits;
  });
}

function filesBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !generated.has(name) && !name.startsWith("."))
    .flatMap(({ name }) => filesBelow(join(path, name)));
}

const hitsBelow = (path: string): readonly Hit[] =>
  filesBelow(join(root, path)).flatMap((file) => {
    const name = relative(root, file);
    return name === list ? [] : hitsIn(name, readFileSync(file, "utf8"));
  });

const lineOf = ({ file, line, phrase, replacement }: Hit): string =>
  `${file}:${line}: "${phrase}" => ${replacement}`;

describe("the words of the project", () => {
  it("have a ceiling for each folder of src", () => {
    const folders = readdirSync(join(root, "src")).map((name) => `src/${name}`);
    expect(Object.keys(ceilings)).toEqual(expect.arrayContaining(folders));
  });

  it.each(Object.entries(ceilings))("%s has at most %i phrases of the list", (path, ceiling) => {
    const hits = hitsBelow(path);
    const tooMany = hits.length > ceiling ? hits.map(lineOf) : [];
    expect({ path, tooMany }).toEqual({ path, tooMany: [] });
    // After a phrase is replaced: lower the ceiling to what is left.
    expect({ path, ceiling }).toEqual({ path, ceiling: hits.length });
  });

  it("are found in any case of letters, with their line and replacement", () => {
    const [[phrase, replacement] = ["", ""]] = phrases;
    expect(hitsIn("a.ts", `one\nTwo ${phrase.toUpperCase()}.`).map(lineOf)).toEqual([
      `a.ts:2: "${phrase}" => ${replacement}`,
    ]);
    expect(hitsIn("a.ts", "Plain words.")).toEqual([]);
  });
});
