import * as z from "zod";
import { collectFindings } from "../../declaration/findings";
import type { ListNode, SourceNode } from "../../declaration/tree";
import { sortDiagnostics } from "../../diagnostics/diagnostic";
import type { Acceptance } from "../../model/acceptance";
import { fileBesideManifest } from "../find-files";
import { readDocument } from "../text/yaml";

const driftFileName = "rnv.drift.yaml";

const day = 24 * 3_600_000;

/** Returns the first moment after a date (the end of that day, UTC) or a time; undefined where the text is none. */
function endOf(text: string): number | undefined {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDate && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text)) return undefined;
  const at = Date.parse(text);
  // February 30 is no date, also where it is read as one of March.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  return isDate ? at + day : at;
}

const word = z.string().min(1);

const entrySchema = z.strictObject({
  address: word.describe(
    "An address or a pattern of addresses: `service.shop.api`, `variable.shop.*`. What is not managed goes by its type and its name.",
  ),
  attribute: word
    .optional()
    .describe("A field, a group or a pattern: `configuration.branch`. The whole resource unless said."),
  stage: word.optional().describe("A stage or a pattern: `production`, `prod-*`. Every stage unless said."),
  until: z
    .string()
    .refine((text) => endOf(text) !== undefined, "expected a date: 2026-12-31, or a time: 2026-12-31T18:00Z")
    .describe("The last day on which it is accepted, UTC, or a time. From then on the entry is an error."),
  reason: word.describe("Why it stays, for those who read the report."),
});

export const driftFileSchema = z.strictObject({
  version: z.literal(1).optional(),
  accepted: z.array(entrySchema).optional().describe("Drift that was looked at and stays for a while."),
});

/**
 * Reads the accepted drift of the manifest that `-f` values name, in the file beside it. Every mistake is collected;
 * none is accepted then.
 */
export function readAcceptances(cwd: string, files: readonly string[]) {
  const { report, all } = collectFindings();
  const path = fileBesideManifest(cwd, files, driftFileName);
  const read = path === undefined ? undefined : readDocument(driftFileSchema, path, cwd, report);
  const list = read?.root.entries.get("accepted")?.value as ListNode;
  const acceptances: readonly Acceptance[] = (read?.document.accepted ?? []).map((entry, index) => ({
    ...entry,
    endsAt: endOf(entry.until) as number,
    range: (list.items[index] as SourceNode).range,
  }));
  return { acceptances, diagnostics: sortDiagnostics(all()) };
}
