import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import { type Diagnostic, hasErrors, SourceFile, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Acceptance } from "../model/acceptance";
import { findFiles, maxTotalBytes, readSource, shownPath } from "./files";
import { collectFindings } from "./findings";
import { judgeDocument } from "./schema-issues";
import type { SourceNode } from "./tree";
import { parseYaml } from "./yaml";

/** Name of the file beside a manifest that accepts drift of it. */
export const driftFileName = "rnv.drift.yaml";

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

const word = z.string().min(1, "expected text");

const entrySchema = z.strictObject({
  address: word.describe(
    "An address or a pattern of addresses: `service.shop.api`, `variable.shop.*`. What is not managed goes by its type and its name.",
  ),
  attribute: word
    .optional()
    .describe("A field of it, or a pattern: `configuration.branch`. The whole resource unless said."),
  stage: word.optional().describe("A stage or a pattern: `production`, `prod-*`. Every stage unless said."),
  until: z
    .string()
    .refine((text) => endOf(text) !== undefined, "expected a date: 2026-12-31, or a time: 2026-12-31T18:00Z")
    .describe("The last day on which it is accepted, UTC, or a time. From then on the entry is an error."),
  reason: word.describe("Why it stays, for those who read the report."),
});

/** The document `rnv.drift.yaml`. */
export const driftFileSchema = z.strictObject({
  version: z.literal(1).optional(),
  accepted: z.array(entrySchema).describe("Drift that was looked at and stays for a while."),
});

interface ReadAcceptances {
  readonly acceptances: readonly Acceptance[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the accepted drift of the manifest that `-f` values name: `named`, else the file beside it, where there is one. Every
 * mistake is collected; none is accepted then.
 */
export function readAcceptances(cwd: string, files: readonly string[]): ReadAcceptances {
  const [first = "rnv.yaml"] = files;
  const path = join(first === "-" ? resolve(cwd) : dirname(resolve(cwd, first)), driftFileName);
  const nothing = { acceptances: [], diagnostics: [] };
  if (!existsSync(path)) return nothing;
  const findings = collectFindings();
  const [file] = findFiles([shownPath(resolve(cwd, path), cwd)], cwd, findings.report)[0]?.files ?? [];
  const text = file === undefined ? undefined : readSource(file, cwd, maxTotalBytes, findings.report);
  if (file === undefined || text === undefined) return { ...nothing, diagnostics: findings.all() };
  const source = new SourceFile(file, text);
  const { root } = parseYaml(source, text, findings.report);
  const document = root && judgeDocument(driftFileSchema, root, findings.report);
  const nodes = root?.entries.get("accepted")?.value;
  const diagnostics = sortDiagnostics(findings.all());
  if (document === undefined || hasErrors(diagnostics)) return { acceptances: [], diagnostics };
  const rangeOf = (index: number): SourceNode["range"] =>
    (nodes?.kind === "list" ? nodes.items[index]?.range : undefined) ?? source.range(0, 0);
  const acceptances = document.accepted.map((entry, index) => ({
    ...entry,
    endsAt: endOf(entry.until) as number,
    range: rangeOf(index),
  }));
  return { acceptances, diagnostics };
}
