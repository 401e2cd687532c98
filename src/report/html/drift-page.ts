import { type Diagnostic, positionAt } from "../../diagnostics/diagnostic";
import { planDocument } from "../../plan/document";
import type { DriftReport } from "../../plan/drift";
import type { AttributeChange, Plan } from "../../plan/plan";
import { type DriftItem, driftItems, driftKinds, driftLine, driftSections } from "../drift-report";
import { type Mark, marks } from "../graph";
import { type Entry, entriesSection, fieldRows, findingsSection, headOf, tag } from "./entries";
import { html, list } from "./markup";
import { listSections, page, type Section, targetFacts } from "./page";
import type { ReportScope } from "./plan-page";
import { topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

/** What a page of drift is made of besides the report. */
export interface DriftScope extends ReportScope {
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of the manifest's files, by path. */
  readonly sources: ReadonlyMap<string, string>;
  /** The plan that the report was made of. */
  readonly plan: Plan;
}

/** A drift report as a page. */
export function driftPage(report: DriftReport, scope: DriftScope): string {
  const { plan, sources, types, diagnostics } = scope;
  const items = driftItems(report);
  const found = new Map<string, Mark>(
    [...items].reverse().map(({ kind, address }) => [address, markOf[kind]]),
  );
  return page({
    heading: "rnv drift",
    verdict: report.hasDrift ? "\u2716 Drift" : "\u2714 No drift",
    tone: report.hasDrift ? "stop" : report.pending.length > 0 ? "act" : "calm",
    // The verdict says whether there is drift.
    line: driftLine(report).replace(/^(?:Drift: |No drift\. (?=.))/, ""),
    facts: [...targetFacts(scope.stage, scope.stack, plan.binding), ["Counted", report.failOn.join(", ")]],
    sections: [
      findingsSection(diagnostics),
      topologySection(topologyOf(planDocument(plan), types, found), new Set(found.keys())),
      foundSection(items, sources),
      ...listSections(driftSections(report)),
    ],
  });
}

const markOf = { missing: "missing", drifted: "drift", pending: "pending" } as const;

/** So many findings are shown unfolded. */
const mostOpen = 40;

/** What differs, to filter. */
function foundSection(items: readonly DriftItem[], sources: DriftScope["sources"]): Section | undefined {
  const told = new Set<string>();
  const entryOf = ({ kind, address, phrase, fields, standing, following }: DriftItem): Entry => {
    const id = told.has(address) ? `${kind}-${address}` : address;
    told.add(address);
    const { sign, word } = marks[markOf[kind]];
    return {
      ids: [id],
      line: html`${tag(markOf[kind], sign, word)} <code>${address}</code> ${phrase}`,
      notes: [["last deployment", standing]],
      fields: () => html`${fieldRows(fields.map((field) => withLine(field, sources)))}${list(following)}`,
      found: { action: [kind], project: [headOf({ address })] },
      isKept: kind !== "pending",
    };
  };
  return entriesSection({
    subject: "differences",
    parts: (Object.keys(driftKinds) as DriftItem["kind"][]).map((kind) => ({
      id: kind,
      title: driftKinds[kind],
      ...(kind === "drifted" && { note: "As recorded, and as it is now." }),
      groups: [{ entries: items.filter((item) => item.kind === kind).map(entryOf) }],
      isOpen: items.length <= mostOpen,
    })),
    filters: { action: "Found", project: "Project or service" },
    whole: "rnv drift -json",
  });
}

/** A field with the line of the manifest that it is declared in. */
function withLine(field: AttributeChange, sources: DriftScope["sources"]): AttributeChange {
  const text = field.range && sources.get(field.range.file);
  if (field.range === undefined || text === undefined) return field;
  const range = { ...field.range, line: positionAt(text, field.range.start).line };
  return { ...field, range };
}
