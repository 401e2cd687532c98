import { buildRnv } from "./build-rnv";
import { playNaive } from "./naive-client";
import { scenarios } from "./scenarios";
import { stageOf } from "./stage";

describe("the matrix is one that hurts", () => {
  it("leaves doubles and orphans behind a client that repeats what failed and writes its state afterwards", async () => {
    const [createAll] = scenarios;
    if (createAll === undefined) throw new Error("no scenario");
    const tally = await playNaive((await stageOf(await buildRnv(), createAll)).image);
    expect(tally.cases).toBeGreaterThan(300);
    expect(tally.duplicates).toBeGreaterThan(50);
    expect(tally.orphans).toBeGreaterThan(50);
  });
});
