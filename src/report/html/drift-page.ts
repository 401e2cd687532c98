import { type Diagnostic, positionAt } from "../../diagnostics/diagnostic";
import { planDocument } from "../../plan/document";
import type { DriftReport } from "../../plan/drift";
import type { AttributeChange, Plan } from "../../plan/plan";
import { type DriftItem, driftItems, driftKinds, driftLine, driftSections } from "../drift-report";
import { type Mark, marks } from "../graph";
import { type Entry, entriesSection, fieldDiff, findingsSection, headOf, noteTable, tag } from "./entries";
import { html, list } from "./markup";
import { listSections, page, type Section, targetFacts } from "./page";
import type { ReportScope } from "./plan-page";
import { type ResourceChange, topologyOf } from "./topology";
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
  const resources = planDocument(plan).resource_changes.map(asItIs);
  const topology = topologyOf(resources, types, ({ address }) => found.get(address) ?? "same");
  return page({
    heading: "rnv drift",
    verdict: report.hasDrift ? "\u2716 Drift" : "\u2714 No drift",
    tone: report.hasDrift ? "stop" : report.pending.length > 0 ? "act" : "calm",
    // The verdict says whether there is drift.
    line: driftLine(report).replace(/^(?:Drift: |No drift\. (?=.))/, ""),
    facts: [...targetFacts(scope.stage, scope.stack, plan.binding), ["Counted", report.failOn.join(", ")]],
    sections: [
      findingsSection(diagnostics),
      topologySection(topology, new Set(found.keys())),
      foundSection(items, sources),
      ...listSections(driftSections(report)),
    ],
  });
}

const markOf = { missing: "missing", drifted: "drift", pending: "pending" } as const;

/** Nothing is said of what a plan would do or cost. */
const asItIs = (resource: ResourceChange): ResourceChange => {
  const { change, cost, effects, blocked_by, ...asFound } = resource;
  return {
    ...asFound,
    change: { ...change, after: change.before ?? change.after },
    cost: cost && { before: cost.before, after: cost.before },
  };
};

/** What differs, to filter. */
function foundSection(items: readonly DriftItem[], sources: DriftScope["sources"]): Section | undefined {
  const entryOf = (item: DriftItem): Entry => {
    const { kind, address, phrase, fields, standing, following } = item;
    const { sign, word } = marks[markOf[kind]];
    const isFirst = items.find((one) => one.address === address) === item;
    return {
      ids: [isFirst ? address : `${kind}-${address}`],
      line: html`${tag(markOf[kind], sign, word)} <code>${address}</code> ${phrase}`,
      body: () =>
        html`${noteTable([["last deployment", standing]])}${fieldDiff(fields.map((field) => withLine(field, sources)))}${list(following)}`,
      found: { Found: [driftKinds[kind]], "Project or service": [headOf({ address })] },
    };
  };
  const parts = Object.entries(driftKinds).map(([kind, title]) => ({
    title,
    entries: items.filter((item) => item.kind === kind).map(entryOf),
  }));
  return entriesSection("differences", parts);
}

/** A field with the line of the manifest that it is declared in. */
function withLine(field: AttributeChange, sources: DriftScope["sources"]): AttributeChange {
  const text = field.range && sources.get(field.range.file);
  if (field.range === undefined || text === undefined) return field;
  const range = { ...field.range, line: positionAt(text, field.range.start).line };
  return { ...field, range };
}
