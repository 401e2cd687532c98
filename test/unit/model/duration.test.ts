import { parseDuration } from "../../../src/model/time";

describe("parseDuration", () => {
  it.each([
    ["0", 0],
    ["0s", 0],
    ["500ms", 500],
    ["10s", 10_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
  ])("reads %s as %d milliseconds", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(["", "10", "s", "-1s", "1.5s", "1d", "10 s", "10s!"])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
