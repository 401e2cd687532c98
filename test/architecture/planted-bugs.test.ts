import { locate } from "../faults/plant";
import { plantedBugs, remotePlantedBugs } from "../faults/planted-bugs";

describe("the bugs that the fault matrix must find", () => {
  it.each([...plantedBugs, ...remotePlantedBugs])("have a place in the sources: $name", (bug) => {
    expect(locate(bug).end).toBeGreaterThan(0);
  });
});
