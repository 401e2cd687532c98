import { realKill } from "./real-kill";

jest.setTimeout(120_000);

describe("the built command line", () => {
  it.each([0, 1, 2, 3, 4, 6, 12, 16])(
    "comes to its end after a real kill, stop or full disk (seed %i)",
    async (seed) => {
      const { faults } = await realKill(seed);
      expect(faults).toEqual([]);
    },
  );
});
