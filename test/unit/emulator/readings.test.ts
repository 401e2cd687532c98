import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "../../../src/emulator/emulator";
import { drawReadings, parseReadings, readingsText } from "../../../src/emulator/readings";
import { shrink } from "../../readings/shrink";

describe("readings as text", () => {
  it("are a seed, rows, or both", () => {
    expect(parseReadings("7")).toEqual(drawReadings(7));
    expect(parseReadings("timeForm=seconds, ids=upper")).toEqual(
      drawReadings(0, { timeForm: "seconds", ids: "upper" }),
    );
    expect(parseReadings("7,timeForm=offset")).toEqual(drawReadings(7, { timeForm: "offset" }));
    expect(() => parseReadings("timeForm=noon")).toThrow("timeForm=noon is neither a seed nor a row");
  });

  it("name the rows that are not plain, and come back the same", () => {
    expect(readingsText(drawReadings(0))).toBe("0");
    for (const seed of [1, 7, 50]) {
      const readings = drawReadings(seed);
      expect(parseReadings(readingsText(readings))).toEqual(readings);
    }
  });
});

describe("a folder of the embedded platform", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rnv-readings-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const opened = (data: string, readings?: number) =>
    createEmulator({ folder: join(folder, data), readings }).image().readings;

  it("keeps the readings that it was made with", () => {
    expect(opened("drawn", 7)).toEqual(drawReadings(7));
    expect(opened("drawn", 8)).toEqual(drawReadings(7));
    expect(opened("drawn")).toEqual(drawReadings(7));
    expect(opened("plain")).toEqual(drawReadings(0));
    expect(opened("plain", 7)).toEqual(drawReadings(0));
    expect(readdirSync(join(folder, "plain"))).not.toContain("readings");
  });
});

it("a failure is shrunk to the rows that matter", async () => {
  const rows = Array.from({ length: 30 }, (_, index) => `row${index}`);
  let tries = 0;
  const needed = await shrink(rows, async (tried) => {
    tries += 1;
    return tried.includes("row4") && tried.includes("row21");
  });
  expect(needed).toEqual(["row4", "row21"]);
  expect(tries).toBeLessThan(30);
});
