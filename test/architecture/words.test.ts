import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { breachesIn, commentsIn, rules } from "./grammar";

const root = join(__dirname, "..", "..");

/** Phrases to avoid and what to write: lines `phrase => replacement` of `words.txt`. */
const phrases = readFileSync(join(__dirname, "words.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" => ") as [phrase: string, replacement: string]);

/** Strings, comments and docs of these hold no phrase of the list. */
const places = ["src", "test", "docs", "examples", "schemas"].concat(
  ["README", "CHANGELOG", "CONTRIBUTING", "SECURITY"].map((name) => `${name}.md`),
);

/** Breaches of each of the `rules` in the comments of a folder, exactly. The numbers only go down. */
const grammarCeilings: Readonly<Record<string, readonly number[]>> = {
  src: [0, 0, 0],
  examples: [0, 0, 0],
  test: [173, 373, 17],
  tools: [0, 0, 0],
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
    .filter(({ name }) => !generated.has(name) && !/^\.|\.tmp$/.test(name))
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
  it.each(places)("have no phrase of the list in %s", (path) => {
    expect(hitsBelow(path).map(lineOf)).toEqual([]);
  });

  it("are found in any case of letters, with their line and replacement", () => {
    const [[phrase, replacement] = ["", ""]] = phrases;
    expect(hitsIn("a.ts", `one\nTwo ${phrase.toUpperCase()}.`).map(lineOf)).toEqual([
      `a.ts:2: "${phrase}" => ${replacement}`,
    ]);
    expect(hitsIn("a.ts", "Plain words.")).toEqual([]);
  });
});

describe("the grammar of comments", () => {
  const sources = (path: string): readonly string[] =>
    filesBelow(join(root, path)).filter((file) => /\.[cm]?[jt]s$/.test(file));
  const found = Object.keys(grammarCeilings).map((path) => {
    const breaches = sources(path).flatMap((file) =>
      breachesIn(readFileSync(file, "utf8")).map((breach) => ({ ...breach, file: relative(root, file) })),
    );
    const counts = rules.map((rule) => breaches.filter((breach) => breach.rule === rule).length);
    return { path, breaches, counts };
  });

  it("breaks each rule as often as the ceiling says", () => {
    if (found.every(({ path, counts }) => `${counts}` === `${grammarCeilings[path]}`)) return;
    const tooMany = found.flatMap(({ path, breaches, counts }) =>
      rules
        .filter((_, index) => (counts[index] ?? 0) > (grammarCeilings[path]?.[index] ?? 0))
        .flatMap((rule) => breaches.filter((breach) => breach.rule === rule))
        .map(({ file, line, rule, text }) => `${file}:${line}: ${rule}: ${text}`),
    );
    const table = found.map(({ path, counts }) => `  ${path}: [${counts.join(", ")}],`);
    throw new Error([...tooMany, "", "The table grammarCeilings, as it is now:", ...table].join("\n"));
  });

  it.each([
    ["begins with a clause", "/** Where it is. */", ["clause first"]],
    ["begins a later line with a clause", "/**\n * Names.\n * Whether it is.\n */", ["clause first"]],
    ["begins with a clause behind code", "const a = 1; // How it is.", ["clause first"]],
    ["begins with a verb", "/** Returns whether that is whose. */", []],
  ])("finds a comment that %s", (_, source, expected) => {
    expect(breachesIn(source).map(({ rule }) => rule)).toEqual(expected);
  });

  it.each([
    ["// Says what it says, and what not.", 2],
    ["// This one, the ones before, and no one that comes.", 3],
    ["// One of them, across\n// the\n// one line end.", 2],
    ["// One change, two of it, `what` and `the one` in code.", 0],
  ])("counts in %j the nouns", (source, count) => {
    const expected = Array(count).fill("one or what as a noun");
    expect(breachesIn(source).map(({ rule }) => rule)).toEqual(expected);
  });

  it("counts the words of a sentence over lines, and code as a word", () => {
    const words = (count: number): string => Array(count).fill("word").join("\n * ");
    const lengths = (text: string): readonly string[] => breachesIn(`/** ${text} */`).map(({ rule }) => rule);
    expect(lengths(`${words(26)}.`)).toEqual(["over 25 words"]);
    expect(lengths(`${words(25)}. It ${words(23)} \`a b c\`.`)).toEqual([]);
    expect(lengths(`${words(20)}:\n * - ${words(20)}\n * - ${words(20)}`)).toEqual([]);
  });

  it("reads no comment in a text, a template or a regular expression", () => {
    const source = [
      'a("// What", \'/* What */\', "\\"// What");',
      "`// What ${b(`// What ${{ c: 1 /* That counts. */ }}`)} // What`;",
      "d = /[/]// 2 / e; // How this counts.",
      "return /\\/\\/* What/.test(f);",
    ].join("\n");
    expect(commentsIn(source)).toEqual([
      { line: 2, lines: ["That counts. "] },
      { line: 3, lines: ["How this counts."] },
    ]);
  });
});
