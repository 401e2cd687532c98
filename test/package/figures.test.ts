import { readFileSync } from "node:fs";
import { readFigures, readme, withFigures } from "../faults/figures";

describe("the figures of README.md", () => {
  const text = readFileSync(readme, "utf8");

  it("are those of the last whole run of the fault matrix (`npm run figures`)", () => {
    expect(withFigures(text, readFigures())).toBe(text);
  });

  it("would not be, were one of them another", () => {
    const { kills, naive, ...figures } = readFigures();
    const others = [
      { ...figures, kills, naive, cases: figures.cases + 1 },
      { ...figures, kills, naive, stops: figures.stops + 1 },
      { ...figures, kills, naive: { ...naive, orphans: naive.orphans + 1 } },
      { ...figures, naive, kills: { ...kills, hit: kills.hit + 1 } },
    ];
    for (const other of others) expect(withFigures(text, other)).not.toBe(text);
  });
});
