import { join } from "node:path";
import { type ApplyEvent, eventSchema, type SummaryEvent } from "../../../src/model/apply-event";
import { eventDocument } from "../../../src/report/documents";
import { escapeJson } from "../../../src/report/escape-text";
import { eventText } from "../../../src/report/events";
import { createStyle, plainStyle } from "../../../src/report/style";
import { casesIn } from "../../support/rows";

const summary = (exitCode: number): SummaryEvent => ({
  ...{ type: "summary", mode: "apply", exitCode, elapsedSeconds: 3 },
  counts: { added: 0, changed: 0, destroyed: 0, adopted: 0, forgotten: 0, failed: 0, skipped: 0 },
});
const lines = casesIn<[ApplyEvent, string]>(join(__dirname, "events.json"));

it.each(lines)("%j reads as its line", (event, text) => {
  expect(eventText(event, plainStyle)).toBe(text);
});

it.each(lines)("%j is one JSON line that its schema accepts and that starts with its type", (event) => {
  const json = escapeJson(eventDocument(event, "2030-01-01T00:00:00Z"));
  expect(json).not.toContain("\n");
  expect(Object.keys(JSON.parse(json)).slice(0, 2)).toEqual(["type", "at"]);
  expect(() => eventSchema.parse(JSON.parse(json))).not.toThrow();
});

it("colours the closing line by how it ended", () => {
  const style = createStyle({ color: true });
  expect(eventText(summary(0), style)).toContain("\u001b[32m");
  expect(eventText(summary(8), style)).toContain("\u001b[33m");
  expect(eventText(summary(3), style)).toContain("\u001b[31m");
});
