import { shareOf } from "../support/soak";
import { hunt } from "./hunt";
import { locate } from "./plant";
import { plantedBugs } from "./planted-bugs";

jest.setTimeout(180_000);

describe("the fault matrix finds what it is there to find", () => {
  it("is checked by at least thirty bugs", () => {
    expect(plantedBugs.length).toBeGreaterThanOrEqual(30);
  });

  it.each(plantedBugs)("$name has a location in the sources", (bug) => {
    expect(locate(bug).end).toBeGreaterThan(0);
  });

  it.each(shareOf(plantedBugs, 24))("$name", async (bug) => {
    expect(await hunt(bug)).toMatchObject({ kind: bug.finds ?? "wrong" });
  });
});
