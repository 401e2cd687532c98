import { error } from "../../../src/diagnostics/diagnostic";
import type { ApplyCounts, ApplyEvent, SummaryEvent } from "../../../src/model/apply-event";
import { eventSchema } from "../../../src/model/apply-event";
import { eventDocument } from "../../../src/report/documents";
import { escapeJson } from "../../../src/report/escape-text";
import { eventText } from "../../../src/report/events";
import { createStyle, plainStyle } from "../../../src/report/style";
import { address } from "../../support/plan-fixture";

const api = address("service.shop.api");
const none: ApplyCounts = {
  added: 0,
  changed: 0,
  destroyed: 0,
  adopted: 0,
  forgotten: 0,
  failed: 0,
  skipped: 0,
};
const summary = (rest: Partial<SummaryEvent>): SummaryEvent => ({
  type: "summary",
  mode: "apply",
  counts: none,
  exitCode: 0,
  elapsedSeconds: 3,
  ...rest,
});
const failure = error("apply.failed", "service.shop.api: name is taken", {
  range: { file: "rnv.yaml", start: 4, end: 7 },
});

const lines: readonly (readonly [ApplyEvent, string])[] = [
  [{ type: "version", format: "1.0", rnv: "0.1.0" }, ""],
  [{ type: "planned", address: api, action: "replace" }, ""],
  [{ type: "start", address: api, action: "create" }, "service.shop.api: Creating..."],
  [{ type: "start", address: api, action: "update", id: "s1" }, "service.shop.api: Modifying... [id=s1]"],
  [{ type: "start", address: api, action: "delete", id: "s1" }, "service.shop.api: Destroying... [id=s1]"],
  [{ type: "start", address: api, action: "archive", id: "s1" }, "service.shop.api: Archiving... [id=s1]"],
  [{ type: "start", address: api, action: "adopt", id: "s1" }, "service.shop.api: Importing... [id=s1]"],
  [{ type: "start", address: api, action: "forget", id: "s1" }, "service.shop.api: Forgetting... [id=s1]"],
  [
    { type: "progress", address: api, action: "create", note: "saved without deploying" },
    "service.shop.api: saved without deploying",
  ],
  [
    { type: "waiting", address: api, action: "create", elapsedSeconds: 10 },
    "service.shop.api: Still creating... 10s",
  ],
  [
    { type: "waiting", address: api, action: "create", elapsedSeconds: 0.2, status: "queued" },
    "service.shop.api: Still creating... queued",
  ],
  [
    {
      type: "waiting",
      address: api,
      action: "update",
      elapsedSeconds: 70,
      status: "queued",
      note: "no worker is free",
    },
    "service.shop.api: Still modifying... 1m10s, queued: no worker is free",
  ],
  [
    { type: "done", address: api, action: "create", elapsedSeconds: 2, id: "s1" },
    "service.shop.api: Creation complete after 2s [id=s1]",
  ],
  [
    { type: "done", address: api, action: "update", elapsedSeconds: 0.2, id: "s1" },
    "service.shop.api: Modifications complete after 0s [id=s1]",
  ],
  [
    { type: "done", address: api, action: "delete", elapsedSeconds: 3605 },
    "service.shop.api: Destruction complete after 1h5s",
  ],
  [
    { type: "failed", address: api, action: "create", elapsedSeconds: 4, diagnostic: failure },
    "service.shop.api: failed after 4s: name is taken",
  ],
  [
    { type: "skipped", address: address("deployment.shop.api"), action: "create", because: [api] },
    "deployment.shop.api: Skipped, because service.shop.api failed",
  ],
  [
    { type: "skipped", address: api, action: "create", because: [] },
    "service.shop.api: Skipped, because the run was interrupted",
  ],
  [summary({ counts: { ...none, added: 1 } }), "Apply complete! Resources: 1 added, 0 changed, 0 destroyed."],
  [
    summary({ counts: { ...none, adopted: 2, forgotten: 1 } }),
    "Apply complete! Resources: 2 imported, 0 added, 0 changed, 0 destroyed, 1 forgotten.",
  ],
  [
    summary({ mode: "destroy", counts: { ...none, destroyed: 3 } }),
    "Destroy complete! Resources: 3 destroyed.",
  ],
  [
    summary({
      exitCode: 3,
      counts: { ...none, added: 1, failed: 1, skipped: 2 },
      hint: "run rnv apply again",
    }),
    "Apply incomplete. Resources: 1 added, 0 changed, 0 destroyed, 1 failed, 2 skipped.\n\nrun rnv apply again",
  ],
  [
    {
      type: "awaiting",
      address: address("deployment.shop.api"),
      action: "create",
      elapsedSeconds: 1,
      id: "d1",
    },
    "deployment.shop.api: saved; live after the checkout in the dashboard [id=d1]",
  ],
  [
    summary({ exitCode: 8, counts: { ...none, awaiting: 1 } }),
    "Apply saved, awaiting checkout. Resources: 0 added, 0 changed, 0 destroyed, 1 awaiting checkout.",
  ],
  [summary({ exitCode: 130 }), "Apply interrupted. Resources: 0 added, 0 changed, 0 destroyed."],
];

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
  expect(eventText(summary({}), style)).toContain("\u001b[32m");
  expect(eventText(summary({ exitCode: 8 }), style)).toContain("\u001b[33m");
  expect(eventText(summary({ exitCode: 3 }), style)).toContain("\u001b[31m");
});
