import { stageRowsText } from "../../../src/report/state-list";
import { plainStyle } from "../../../src/report/style";

it("tells when a stage last ran, or that it never did", () => {
  const now = Date.parse("2026-01-01T02:00:00Z");
  const row = { stage: "staging", state: "s.json", resources: 2, protect: false, disposable: false };
  const ran = { ...row, stage: "production", lastRunAt: "2026-01-01T00:00:00Z" };
  const [, never, earlier] = stageRowsText([row, ran], now, plainStyle).split("\n");
  expect(never).toMatch(/^staging +2 +- +s\.json/);
  expect(earlier).toMatch(/^production +2 +\d+ ?h\S* .*s\.json/);
});
