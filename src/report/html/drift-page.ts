import { type Diagnostic, positionAt } from "../../diagnostics/diagnostic";
import { planDocument } from "../../plan/document";
import type { DriftReport } from "../../plan/drift";
import type { Plan } from "../../plan/plan";
import { type DriftItem, driftItems, driftKinds, driftLine, driftSections } from "../drift-sections";
import type { Mark } from "../graph";
import { type Entry, entriesSection } from "./entries";
import { fieldRows, headOf, type Lines } from "./entry";
import { html, list, type Markup } from "./markup";
import { listSections, page, type Section } from "./page";
import { findingsSection, type ReportScope } from "./plan-page";
import { type Topology, topologyOf } from "./topology";
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
  const { stage, stack, plan, sources } = scope;
  const lines: Lines = ({ file, start }) => {
    const text = sources.get(file);
    return text === undefined ? undefined : positionAt(text, start).line;
  };
  const facts = [
    ["Stage", stage],
    ["Stack", stack],
    ["Workspace", plan.binding.workspaceId],
    ["Service", plan.binding.baseUrl],
    ["Counted", report.failOn.join(", ")],
  ] as const;
  const anchors = new Set([
    ...report.missing,
    ...[...report.drifted, ...report.pending].map(({ address }) => address),
  ]);
  return page({
    heading: "rnv drift",
    verdict: report.hasDrift ? "\u2716 Drift" : "\u2714 No drift",
    tone: report.hasDrift ? "stop" : report.pending.length > 0 ? "act" : "calm",
    // The verdict says whether there is drift.
    line: driftLine(report).replace(/^(?:Drift: |No drift\. (?=.))/, ""),
    facts,
    sections: [
      findingsSection(scope.diagnostics),
      topologySection(driftTopology(report, plan, scope), anchors),
      foundSection(driftItems(report), lines),
      ...listSections(driftSections(report)),
    ],
  });
}

/** What is there, with marks of what was found. */
function driftTopology(report: DriftReport, plan: Plan, { types }: ReportScope): Topology {
  const found = new Map<string, Mark>([
    ...report.pending.map(({ address }) => [address, "pending"] as const),
    ...report.drifted.map(({ address }) => [address, "drift"] as const),
    ...report.missing.map((address) => [address, "missing"] as const),
  ]);
  return topologyOf(planDocument(plan), types, found);
}

const kindMarks: Readonly<Record<DriftItem["kind"], Markup>> = {
  missing: html`<span class="mark delete">\u2717 missing</span>`,
  drifted: html`<span class="mark update">\u2260 drift</span>`,
  pending: html`<span class="mark adopt">\u2026 pending</span>`,
};

/** So many findings are shown unfolded. */
const mostOpen = 40;

/** What differs, to filter. */
function foundSection(items: readonly DriftItem[], lines: Lines): Section | undefined {
  const told = new Set<string>();
  const entryOf = ({ kind, address, phrase, fields, standing, following }: DriftItem): Entry => {
    const id = told.has(address) ? `${kind}-${address}` : address;
    told.add(address);
    return {
      ids: [id],
      line: html`${kindMarks[kind]} <code>${address}</code> ${phrase}`,
      notes: standing === undefined ? [] : [["last deployment", standing]],
      fields: () => html`${fieldRows(fields, lines)}${list(following)}`,
      found: { action: [kind], project: [headOf({ address })] },
      isKept: kind !== "pending",
    };
  };
  return entriesSection({
    subject: "differences",
    parts: (Object.keys(driftKinds) as DriftItem["kind"][]).map((kind) => ({
      ...{ id: kind, title: driftKinds[kind] },
      ...(kind === "drifted" && { note: "As recorded, and as it is now." }),
      entries: items.filter((item) => item.kind === kind).map(entryOf),
    })),
    filters: [
      { name: "action", label: "Found" },
      { name: "project", label: "Project or service" },
    ],
    ...{ mostOpen, whole: "rnv drift -json" },
  });
}
