import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPoints } from "../../src/emulator/readings";

it("each reading that stops has a scenario, named by its row and variant", () => {
  const scenarios = readFileSync(join(__dirname, "../scenario/readings-that-stop.test.ts"), "utf8");
  const stops = Object.entries(openPoints).flatMap(([name, point]) =>
    "stops" in point ? point.stops.map((one) => `${name}=${one}`) : [],
  );
  expect(stops.filter((row) => !scenarios.includes(`describe("${row}"`))).toEqual([]);
});

it("each reading acts in the file that its row names", () => {
  const acts = ([name, { in: file }]: [string, { readonly in: string }]): boolean =>
    readFileSync(join(__dirname, `../../src/emulator/${file}.ts`), "utf8").includes(name);
  expect(Object.entries(openPoints).filter((row) => !acts(row))).toEqual([]);
});
