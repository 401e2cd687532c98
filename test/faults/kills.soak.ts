import { realKill } from "./real-kill";

jest.setTimeout(120_000);

describe("the built command line", () => {
  it.each([0, 1, 2, 3, 4, 6, 12, 16])(
    "comes to its end after a real kill, stop or full disk (seed %i)",
    async (seed) => {
      const { name, faults, hit } = await realKill(seed);
      expect(faults).toEqual([]);
      // At any moment from its first write on, it may be struck after its last.
      if (!name.includes("kill in time")) expect([name, hit]).toEqual([name, true]);
    },
  );
});
