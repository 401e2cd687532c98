import { positionAt } from "../../../src/diagnostics/diagnostic";
import { countWork } from "../../support/count-work";

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

  it("reads a text once for a thousand places in it", async () => {
    const text = "line\n".repeat(2_000);
    const work = (places: number) =>
      countWork(() => {
        for (let i = 0; i < places; i += 1) positionAt(text, text.length - i);
      });
    await work(1);
    expect(await work(1_000)).toBeLessThan(100_000);
  });
});
