import type { Diagnostic } from "../../../src/diagnostics/diagnostic";
import { parseDotenv } from "../../../src/manifest/text/dotenv";

/** Values by key; what the environment has as `<NAME>`, with its default. */
function read(text: string): { values: Record<string, string>; problems: Diagnostic[]; shown: string } {
  const problems: Diagnostic[] = [];
  const entries = parseDotenv(".env", text, (problem) => problems.push(problem));
  const ranges = [
    ...problems.map(({ range }) => range),
    ...[...entries.values()].map(({ keyRange }) => keyRange),
  ];
  const shown = ranges[0]?.source?.text ?? "";
  const values: Record<string, string> = {};
  for (const { key, value } of entries.values()) {
    if (value.kind === "map") values[key] = "<inherited>";
    else if (value.kind === "scalar")
      values[key] = (value.parts ?? [])
        .map((part) => {
          if (part.kind === "text") return part.text;
          if (part.kind !== "env") return `?${part.kind}`;
          return `<${part.name}${part.fallback === undefined ? "" : `${part.mayBeEmpty ? "-" : ":-"}${part.fallback}`}>`;
        })
        .join("");
  }
  return { values, problems, shown };
}

/** As the tests and the documentation of docker compose have them. */
const cases: readonly (readonly [string, string, Record<string, string>])[] = [
  ["plain text", "A=bar", { A: "bar" }],
  ["blanks around the equals sign", "A =bar\nB= bar", { A: "bar", B: "bar" }],
  ["blanks before the key", " A=1\n\tB=2", { A: "1", B: "2" }],
  ["blanks behind the value", "A=bar  ", { A: "bar" }],
  ["a colon", "A: 1", { A: "1" }],
  ["a colon, and = in the value", "A: Foo=bar", { A: "Foo=bar" }],
  ["a colon in the value", "A=1:B", { A: "1:B" }],
  ["= in the value", "A=foobar=", { A: "foobar=" }],
  [
    "an address",
    "A=postgres://localhost:5432/db?sslmode=disable",
    { A: "postgres://localhost:5432/db?sslmode=disable" },
  ],
  ["nothing", "A=\nB=2", { A: "", B: "2" }],
  ["nothing at the end", "A=", { A: "" }],
  ["blanks alone", "A=  \nB=2", { A: "", B: "2" }],
  ["export", "export A=2\nexport\tB=3", { A: "2", B: "3" }],
  ["export behind blanks", "  export A=2", { A: "2" }],
  [
    "names that begin with export",
    "exportFoo=2\nexport_FOO =3\nexport.FOO= 4",
    { exportFoo: "2", export_FOO: "3", "export.FOO": "4" },
  ],
  ["export of export", "export exportFoo=2", { exportFoo: "2" }],
  [
    "other names",
    "a.b=1\na-b=2\na[1]=3\nÄ=4\n1A=5",
    { "a.b": "1", "a-b": "2", "a[1]": "3", Ä: "4", "1A": "5" },
  ],
  ["a comment line", "# A=1\n  # B=2\nC=3", { C: "3" }],
  ["a comment behind a value", "A=bar # this is foo", { A: "bar" }],
  ["# without a blank before it", "A=bar#baz", { A: "bar#baz" }],
  ["# at the beginning", "A=#2f6fed", { A: "#2f6fed" }],
  ["a comment in place of a value", "A= # later\nB=2", { A: "", B: "2" }],
  ["double quotes", 'A="bar"', { A: "bar" }],
  ["single quotes", "A='bar'", { A: "bar" }],
  ["empty quotes", "A=\"\"\nB=''", { A: "", B: "" }],
  ["blanks in quotes", 'A=" bar "', { A: " bar " }],
  [
    "# in quotes, and a comment behind them",
    "A=\"bar#baz\" # c\nB='bar # baz' # c",
    { A: "bar#baz", B: "bar # baz" },
  ],
  ["an escaped double quote", 'A="escaped\\"bar"', { A: 'escaped"bar' }],
  ["an escaped single quote", "A='it\\'s'", { A: "it's" }],
  ["the other quotes", "A=\"'d'\"\nB='\"d\"'", { A: "'d'", B: '"d"' }],
  ["quotes within text", 'A=it\'s "so"', { A: 'it\'s "so"' }],
  ["line breaks as escapes", 'A="bar\\nbaz\\r\\t."', { A: "bar\nbaz\r\t." }],
  ["an escaped backslash", 'A="a\\\\nb"', { A: "a\\nb" }],
  ["other escapes stay", 'A="\\ b\\c\\x41\\u0041"', { A: "\\ b\\c\\x41\\u0041" }],
  ["octal escapes", 'A="\\0123"', { A: "S" }],
  ["no escapes in single quotes", "A='\\n\\t\\\\'", { A: "\\n\\t\\\\" }],
  ["no escapes without quotes", "A=a\\nb", { A: "a\\nb" }],
  [
    "several lines in double quotes",
    'A="first\nsecond\n\n third"\nB=2',
    { A: "first\nsecond\n\n third", B: "2" },
  ],
  [
    "several lines in single quotes",
    "A='-----BEGIN KEY-----\nx=#\n-----END KEY-----'",
    { A: "-----BEGIN KEY-----\nx=#\n-----END KEY-----" },
  ],
  ["line breaks of Windows", 'A=1\r\n\r\nB="2"\r\nC=3 # c\r\n', { A: "1", B: "2", C: "3" }],
  ["a key twice", "A=1\nB=2\nA=3", { B: "2", A: "3" }],
  ["a name of the file", "FOO=test\nA=$FOO\nB=${FOO}bar", { FOO: "test", A: "test", B: "testbar" }],
  ["a name in double quotes", 'FOO=test\nA="quote $FOO"', { FOO: "test", A: "quote test" }],
  ["a name in single quotes", "A='quote $FOO ${FOO}'", { A: "quote $FOO ${FOO}" }],
  ["an escaped dollar", 'A="foo\\$BAR"\nB="foo\\${BAR}"', { A: "foo$BAR", B: "foo${BAR}" }],
  ["two dollars", 'A=p$$w\nB="$${X}"', { A: "p$w", B: "${X}" }],
  ["a default for what is empty", "E=\nA=${E:-x}\nB=${E-x}", { E: "", A: "x", B: "" }],
  ["a default that is not needed", "E=1\nA=${E:-x}\nB=${E-x}", { E: "1", A: "1", B: "1" }],
  ["a default with a name in it", "E=1\nA=${N:-${E}/x}", { E: "1", A: "<N:-1/x>" }],
  ["what must be there, and is", "E=1\nA=${E:?no}\nB=${E?no}", { E: "1", A: "1", B: "1" }],
  [
    "a name of the environment",
    "A=$HOST/x\nB=${HOST:-local}\nC=${HOST-local}\nD=${HOST:?needed}",
    { A: "<HOST>/x", B: "<HOST:-local>", C: "<HOST-local>", D: "<HOST>" },
  ],
  ["a key alone", "A\nB=2\nexport C\nD", { A: "<inherited>", B: "2", C: "<inherited>", D: "<inherited>" }],
  ["a key alone, taken by another", "A\nB=x$A", { A: "<inherited>", B: "x<A>" }],
];

describe("a dotenv file", () => {
  it.each(cases)("reads %s", (_, text, expected) => {
    const { values, problems } = read(text);
    expect(problems.map(({ summary }) => summary)).toEqual([]);
    expect(values).toEqual(expected);
    expect(Object.keys(values)).toEqual(Object.keys(expected));
  });

  it.each([
    ["a line of neither", "A=1\nlol$wut\n", "this line is neither KEY=value nor a comment", "*******"],
    [
      "a line of a key that is not quoted",
      "A=-----BEGIN\nx/y+z==\n",
      "this line is neither KEY=value nor a comment",
      "*******",
    ],
    ["a blank in the name", "MY KEY=1", "a name cannot hold a space", "** *****"],
    ["a quote left open", 'A="hunter2\nB=2', 'the value does not end with its quote "', "A"],
    ["text behind quotes", 'A="hunter2"x', 'the value does not end with its quote "', "A"],
    ["a dollar alone", "A=p$", "a $ in the value names no variable", "A"],
    ["a dollar before a digit", "A=p$1", "a $ in the value names no variable", "A"],
    ["a brace left open", "A=${X", "a $ in the value names no variable", "A"],
    ["a brace around nothing", "A=${}", "a $ in the value names no variable", "A"],
    ["a text for where another is set", "B=1\nA=${B:+y}", "${NAME:+text} is not supported", "A"],
    ["an empty name that must be there", "E=\nA=${E:?no}", "E is empty", "A"],
    [
      "a default of the environment",
      "A=${X:-$Y}",
      "the default of X names a variable of the environment",
      "A",
    ],
  ])("refuses %s at its place, and shows no value", (_, text, summary, pointed) => {
    const { problems, shown } = read(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: "manifest.dotenv", summary });
    const { start = 0, end = 0 } = problems[0]?.range ?? {};
    expect(shown.slice(start, end)).toBe(pointed);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it("stars out values for code frames, and keeps places", () => {
    const { shown } = read(`# note\nexport A=hunter2 # why\nB='x\n y'\n`);
    expect(shown).toBe(`# note\nexport A=******* # why\nB=**\n **\n`);
  });

  it("does not grow without bound where lines double each other", () => {
    const lines = Array.from({ length: 40 }, (_, at) => `K${at + 1}=$K${at}$K${at}`);
    const { problems } = read(`K0=xxxxxxxxxx\n${lines.join("\n")}`);
    expect(problems[0]?.summary).toBe("the value holds more than 262144 characters");
  });
});
