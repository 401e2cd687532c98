import { diffLines } from "../../../src/report/field-text";

const lines = (count: number): string[] => Array.from({ length: count }, (_, i) => `line ${i}`);

describe("diffLines", () => {
  it.each([
    ["every line", (line: string) => `${line}!`],
    ["every hundredth line", (line: string, i: number) => (i % 100 === 0 ? `${line}!` : line)],
  ])("shows both sides of twenty thousand lines whole when it changes %s", (_what, change) => {
    const before = lines(20_000);
    const after = before.map(change);
    const whole = [...before.map((line) => `- ${line}`), ...after.map((line) => `+ ${line}`)];
    expect(diffLines(before, after).join("\n") === whole.join("\n")).toBe(true);
  });

  it("shows of a hundred thousand lines the line that changed, with the lines around it", () => {
    const before = lines(100_000);
    const after = before.with(60_000, "another");
    expect(diffLines(before, after)).toEqual([
      "  ... (59998 unchanged)",
      "  line 59998",
      "  line 59999",
      "- line 60000",
      "+ another",
      "  line 60001",
      "  line 60002",
      "  ... (39997 unchanged)",
    ]);
  });

  it.each([
    ["at the start", ["b", "c"], ["a", "b", "c"], ["+ a", "  b", "  c"]],
    ["at the end", ["a", "b"], ["a", "b", "c"], ["  a", "  b", "+ c"]],
    ["of lines that stand there already", ["a", "a"], ["a", "a", "a"], ["  a", "  a", "+ a"]],
    ["to nothing", [], ["a"], ["+ a"]],
  ])("adds a line %s, and takes it away", (_where, before, after, expected) => {
    expect(diffLines(before, after)).toEqual(expected);
    const back = expected.map((line) => line.replace(/^\+/, "-"));
    expect(diffLines(after, before)).toEqual(back);
  });
});
