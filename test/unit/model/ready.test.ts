import { allReady, attempt, whenReady } from "../../../src/model/ready";

describe("what is ready or will be", () => {
  it("goes on at once with what is there, and later with what is promised", async () => {
    expect(whenReady(1, (n) => n + 1)).toBe(2);
    const later = whenReady(Promise.resolve(1), (n) => n + 1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
  });

  it("collects in order, without a promise where there is none", async () => {
    expect(allReady([1, 2])).toEqual([1, 2]);
    expect(await allReady([1, Promise.resolve(2), 3])).toEqual([1, 2, 3]);
    await expect(allReady([1, Promise.reject(new Error("no"))])).rejects.toThrow("no");
  });

  it("rejects with what is thrown at once", async () => {
    const thrown = attempt(() => {
      throw new Error("no");
    });
    await expect(thrown).rejects.toThrow("no");
    expect(attempt(() => 1)).toBe(1);
  });
});
