import { type Diagnostic, exitCodeOf } from "../../diagnostics/diagnostic";
import { groupBy } from "../../model/collections";
import { type Check, stopsPlan } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import type { AppliedValue, State } from "../../model/state";
import type { TargetNames } from "../../model/target-location";
import { unflatten } from "../../model/value";
import { shortDigest } from "../../plan/digest";
import { planDocument } from "../../plan/document";
import type { DriftReport } from "../../plan/drift";
import { isUnconfirmed } from "../../plan/guards";
import { hasChanges, isBlocked, type Plan } from "../../plan/plan";
import type { PlanDocument } from "../../plan/plan-schema";
import { planOf } from "../../plan/read-document";
import { driftLine, driftSections } from "../drift-report";
import { type FleetReport, fleetLine, fleetSections, isWell, signOf } from "../fleet-report";
import type { Topology } from "../graph-text";
import type { Mark } from "../marks";
import { compareNatural, homeOf } from "../order";
import { mostNamed, planReport } from "../plan-report";
import { checkStatusWords, checkWords, counted, planHeadings } from "../plan-wording";
import { codes, type Item, itemSection, type Section, section } from "../sections";
import { recordedIn, recordedRows, type StateEntry, stateSections } from "../state-list";
import { elapsedText, exactTime } from "../time-text";
import {
  code,
  findingsSections,
  html,
  link,
  type PagePart,
  type PageReport,
  page,
  reportParts,
  shortened,
  table,
} from "./page";
import { type ResourceChange, topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

export interface PageScope extends TargetNames {
  readonly types: readonly Pick<ResourceType, "type" | "picture">[];
  /** The job that made the plan: then the page says when that was, too. */
  readonly job?: { readonly commit?: string | undefined; readonly by?: string | undefined } | undefined;
}

const targetFacts = (of: TargetNames, at: Pick<State, "workspaceId" | "baseUrl">): PageReport["facts"] => [
  ["Stage", of.stage],
  ["Stack", of.stack],
  ["Workspace", at.workspaceId],
  ["API", at.baseUrl],
];

/** The parts of a page about resources. Findings and the picture link to its entries. */
function partsOf(
  [subject, tags]: readonly [string, string],
  sections: readonly Section[],
  topology: Topology,
  diagnostics: readonly Diagnostic[] = [],
) {
  const items = sections.flatMap((section) => section.items ?? []);
  const anchors = new Set(items.flatMap((item) => [item.subject, ...(item.names ?? [])]));
  const [entries, ...others] = reportParts(subject, tags, sections);
  const [errors, warnings] = findingsSections(diagnostics, anchors);
  return { errors, picture: topologySection(topology, anchors), entries, warnings, others };
}

/** A plan as a page, made of its document alone: the same bytes for the same plan, whenever and wherever it is shown. */
export function planPage(document: PlanDocument, { types, stage, stack, job }: PageScope): string {
  const plan = planOf(document);
  const { mode, targets, excludes, replace, confirmedDeletes } = plan.options;
  const { sections: own, line, counts, cost } = planReport(plan, "equal");
  const topology = topologyOf(document.resource_changes, types);
  const sections = [...own, ...checksSection(plan)];
  const parts = partsOf(["changes", "Action"], sections, topology, plan.diagnostics);
  const { errors, picture, entries, warnings, others } = parts;
  return page({
    heading: "rnv plan",
    ...planVerdict(plan),
    line: line.replace(/^No changes\. /, ""),
    also: [counts, cost("\u2192")],
    facts: [
      ...targetFacts({ stage: plan.stage ?? stage, stack }, plan.binding),
      ["Mode", mode !== "apply" && planHeadings[mode].replace(/:$/, "")],
      ["Only", targets.join(", ")],
      ["Without", excludes.join(", ")],
      ["Replaced by request", replace.join(", ")],
      ["Confirmed deletions", confirmedDeletes.join(", ")],
      ["Digest", plan.digest && shortened(plan.digest)],
      // Time and serial are shown only for a job: they are no part of the content of a plan.
      ["Commit", job?.commit?.slice(0, shortDigest)],
      ["Started by", job?.by],
      ["Planned", job && plan.timestamp && exactTime(plan.timestamp)],
    ],
    sections: [blockedSection(plan), errors, picture, entries, warnings, ...others],
  });
}

function planVerdict(plan: Plan): Pick<PageReport, "verdict" | "tone"> {
  const code = exitCodeOf(plan.diagnostics);
  const isStopped = code === 4 || isBlocked(plan) || plan.checks?.some(stopsPlan);
  if (code !== 0 && code !== 4) return { verdict: "\u2716 Failed", tone: "stop" };
  if (isStopped) return { verdict: "\u2716 Blocked", tone: "stop" };
  if (hasChanges(plan)) return { verdict: "\u25b6 Changes", tone: "act" };
  return { verdict: "\u2714 No changes", tone: "calm" };
}

function blockedSection({ changes }: Plan): PagePart | undefined {
  const rows = changes.flatMap(({ address, blockedBy }) => {
    if (blockedBy === undefined) return [];
    const pass = isUnconfirmed({ blockedBy }) ? `--confirm-delete ${address}` : blockedBy.hint;
    return [[link(address, code(address)), blockedBy.summary, html`<code class="copy">${pass}</code>`]];
  });
  const body = html`<p>Apply refuses this plan until each of these is resolved.</p>
${table(rows, ["Resource", "Why", "How to confirm"], "rows")}`;
  return rows.length === 0 ? undefined : { id: "blocked", title: "Blocked", count: rows.length, body };
}

function checksSection({ checks = [] }: Plan): readonly Section<never>[] {
  const worstFirst = [...checks.filter(stopsPlan), ...checks.filter((check) => !stopsPlan(check))];
  const alike = groupBy(worstFirst, ({ address, range, ...check }) => JSON.stringify(check));
  const rows = [...alike.values()].map((own) => {
    const [{ policy, level, status, message }] = own as [Check];
    const addresses = own.flatMap(({ address }) => address ?? []).sort(compareNatural);
    const many = own.length > 1 && addresses.length === 0 ? `${own.length} ` : "";
    const result = `${many}${checkStatusWords[status]}${status === "passed" ? "" : ` (${level})`}`;
    const told = message === undefined ? result : `${result}, ${message}`;
    return [{ code: policy }, codes(addresses, mostNamed), told];
  });
  const { title, counts } = checkWords(checks);
  return section("policies", title, `${counts}.`, rows);
}

export function driftPage(
  report: DriftReport,
  { plan, diagnostics }: Readonly<{ plan: Plan; diagnostics: readonly Diagnostic[] }>,
  scope: PageScope,
): string {
  const found = driftSections(report);
  const items = found.flatMap((one) => one.items ?? []);
  // One of two kinds is marked as the first.
  const markAt = new Map(items.reverse().map(({ subject, tag }) => [subject, tag?.[0] as Mark]));
  const resources = planDocument(plan).resource_changes.map(asItIs);
  const topology = topologyOf(resources, scope.types, ({ address }) => markAt.get(address) ?? "same");
  const parts = partsOf(["differences", "Found"], found, topology, diagnostics);
  return page({
    heading: "rnv drift",
    verdict: report.hasDrift ? "\u2716 Drift" : "\u2714 No drift",
    tone: report.hasDrift ? "stop" : report.pending.length > 0 ? "act" : "calm",
    // The verdict says whether there is drift.
    line: driftLine(report).replace(/^(?:Drift: |No drift\. (?=.))/, ""),
    facts: [...targetFacts(scope, plan.binding), ["Counted", report.failOn.join(", ")]],
    sections: [parts.errors, parts.entries, parts.picture, parts.warnings, ...parts.others],
  });
}

const asItIs = ({ cost, effects, blocked_by, ...found }: ResourceChange): ResourceChange => ({
  ...found,
  change: { ...found.change, after: found.change.before ?? found.change.after },
  cost: cost && { before: cost.before, after: cost.before },
});

export function statePage(state: State, scope: PageScope): string {
  const { stage = state.stage, stack = state.stack, types } = scope;
  const recorded = recordedIn(state);
  const items = recorded.map(({ address, resource }): Item => {
    const facts = recordedRows(resource).map(([label, text]) => ({ label: label.code, text }));
    const { id, name } = resource;
    return { sign: "", subject: address, phrase: name, id, facts, homes: [homeOf(address)] };
  });
  const sections = [...itemSection("resources", "", "", items, { isFolded: true }), ...stateSections(state)];
  const parts = partsOf(["resources", "Mark"], sections, topologyOf(recorded.map(asRecorded), types));
  const { lineage, serial, run, open } = state;
  const isOpen = run !== null || open.length > 0;
  return page({
    heading: "rnv show",
    verdict: isOpen ? "\u25b6 A run did not end" : "\u2714 Recorded",
    tone: isOpen ? "stop" : "calm",
    line: `${counted(recorded.length, "resource")} recorded.`,
    facts: [...targetFacts({ stage, stack }, state), ["Lineage", lineage], ["Serial", String(serial)]],
    sections: [parts.picture, parts.entries, ...parts.others],
  });
}

function asRecorded({ address, resource }: StateEntry): ResourceChange {
  const { id, type, name: live_name, dependsOn, computed, applied } = resource;
  const sides = [...Object.entries(computed), ...Object.entries(applied)];
  const after = unflatten<AppliedValue>(new Map(sides)) as ResourceChange["change"]["after"];
  const change = { actions: ["no-op" as const], before: after, after };
  return { address, id, type, live_name, references: [...dependsOn], change };
}

export function fleetPage(report: FleetReport): string {
  const { verb, members, started_at: started, seconds, shard, selected } = report;
  const urgent = members.filter((one) => !isWell(one));
  const sections = fleetSections(report, members.length);
  const isMild = urgent.every((one) => signOf(one) === "~" && one.status !== "drift");
  return page({
    heading: `rnv fleet ${verb}`,
    verdict: urgent.length === 0 ? "\u2714 All well" : isMild ? "\u25b6 Changes" : "\u2716 Needs attention",
    tone: urgent.length === 0 ? "calm" : isMild ? "act" : "stop",
    line: fleetLine(report),
    facts: [
      ["Began", started],
      ["Took", elapsedText(seconds)],
      ["Shard", shard && `${shard.index} of ${shard.count}, of ${selected.length} members`],
      ["Exit code", String(report.exit_code)],
    ],
    sections: reportParts("members", "Ended", sections),
  });
}
