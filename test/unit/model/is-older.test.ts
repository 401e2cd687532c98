import { isOlder } from "../../../src/model/freshness";

describe("a time of the service", () => {
  it("is older when it lies before, in whatever form the two are written", () => {
    expect(isOlder("2026-01-01T00:00:00.100Z", "2026-01-01T00:00:00.200Z")).toBe(true);
    expect(isOlder("2026-01-01T00:00:00.200Z", "2026-01-01T00:00:00.200Z")).toBe(false);
    expect(isOlder("2026-01-01T01:00:00.100+01:00", "2026-01-01T00:00:00.100Z")).toBe(false);
  });

  it("in whole seconds is not older than one within that second", () => {
    expect(isOlder("2026-01-01T00:00:01Z", "2026-01-01T00:00:01.900Z")).toBe(false);
    expect(isOlder("2026-01-01T00:00:01.000Z", "2026-01-01T00:00:01.900Z")).toBe(false);
    expect(isOlder("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.900Z")).toBe(true);
  });

  it("that is not there, or is no time, is not older", () => {
    expect(isOlder(null, "2026-01-01T00:00:00Z")).toBe(false);
    expect(isOlder("2026-01-01T00:00:00Z", undefined)).toBe(false);
    expect(isOlder("soon", "2026-01-01T00:00:00Z")).toBe(false);
  });
});
