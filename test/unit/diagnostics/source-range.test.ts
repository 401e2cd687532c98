import { positionAt } from "../../../src/diagnostics/diagnostic";

describe("positionAt", () => {
  it.each([
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [4, 3, 1],
    [6, 3, 3],
    [7, 4, 1],
    [99, 4, 1],
    [-1, 1, 1],
  ])("finds offset %i of a text at line %i, column %i, counted from 1", (offset, line, column) => {
    expect(positionAt("ab\n\ncd\n", offset)).toEqual({ line, column });
  });

  it("tells apart two texts that are asked about in turn", () => {
    const at = (text: string) => positionAt(text, 3).line;
    expect([at("a\nb\n"), at("aaaa"), at("a\nb\n"), at("")]).toEqual([2, 1, 2, 1]);
  });
});
