import { shareOf } from "../support/soak";
import { hunt } from "./hunt";
import { locate } from "./plant";
import { plantedBugs } from "./planted-bugs";

jest.setTimeout(180_000);

describe("the fault matrix", () => {
  it("is checked by at least thirty planted bugs", () => {
    expect(plantedBugs.length).toBeGreaterThanOrEqual(30);
  });

  it.each(plantedBugs)("has a location in the sources for each planted bug: $name", (bug) => {
    expect(locate(bug).end).toBeGreaterThan(0);
  });

  it.each(shareOf(plantedBugs, 24))("finds a planted bug: $name", async (bug) => {
    expect(await hunt(bug)).toMatchObject({ kind: bug.finds ?? "wrong" });
  });
});
