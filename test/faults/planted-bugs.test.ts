import { hunt } from "./hunt";
import { plantedBugs } from "./planted-bugs";

jest.setTimeout(180_000);

describe("the fault matrix finds what it is there to find", () => {
  it("is checked by at least thirty bugs", () => {
    expect(plantedBugs.length).toBeGreaterThanOrEqual(30);
  });

  it.each(plantedBugs)("$name", async (bug) => {
    expect(await hunt(bug)).toEqual(expect.any(String));
  });
});
