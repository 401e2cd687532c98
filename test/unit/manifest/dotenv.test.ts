import { join } from "node:path";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic";
import { parseDotenv } from "../../../src/manifest/text/dotenv";
import { casesIn } from "../../support/rows";

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
const cases: readonly (readonly [string, string, Record<string, string>])[] = casesIn(
  join(__dirname, "dotenv.json"),
);

describe("a dotenv file", () => {
  it.each(cases)("reads %s", (_, text, expected) => {
    const { values, problems } = read(text);
    expect(problems.map(({ summary }) => summary)).toEqual([]);
    expect(values).toEqual(expected);
    expect(Object.keys(values)).toEqual(Object.keys(expected));
  });

  it.each(casesIn<[string, string, string, string]>(join(__dirname, "dotenv-mistakes.json")))(
    "refuses %s at its place, and shows no value",
    (_, text, summary, pointed) => {
      const { problems, shown } = read(text);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatchObject({ code: "manifest.dotenv", summary });
      const { start = 0, end = 0 } = problems[0]?.range ?? {};
      expect(shown.slice(start, end)).toBe(pointed);
      expect(JSON.stringify(problems)).not.toContain("hunter2");
    },
  );

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
