import type { Diagnostic } from "../../diagnostics/diagnostic";
import { type Address, nameOf, typeOf } from "../../model/address";
import { stopsPlan } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import type { AppliedValue, State } from "../../model/state";
import { unflatten } from "../../model/value";
import { shortDigest } from "../../plan/digest";
import { planDocument } from "../../plan/document";
import type { DriftReport } from "../../plan/drift";
import { isUnconfirmed } from "../../plan/guards";
import { type Change, hasChanges, type Plan } from "../../plan/plan";
import { planDocumentSchema } from "../../plan/plan-schema";
import { planOf } from "../../plan/read-document";
import { placeText } from "../diagnostics";
import { type DriftItem, driftKinds, driftLine, driftSections } from "../drift-report";
import {
  byUrgency,
  type FleetReport,
  fleetLine,
  foundText,
  isWell,
  placeText as locationText,
  type MemberResult,
  signOf,
  wordsOf,
} from "../fleet-report";
import { actionWord, type Mark, marks } from "../graph";
import { changesIn, type PlanEntry, planLines, planReport } from "../plan-report";
import {
  checkStatusWords,
  checkWords,
  counted,
  isBlocked,
  listedFields,
  planHeadings,
} from "../plan-wording";
import { itemSection } from "../sections";
import { type Recorded, recordedIn, recordedLines, stateSections } from "../state-text";
import { elapsedText, exactTime } from "../time-text";
import {
  code,
  type Entry,
  findingList,
  findingsSection,
  html,
  linkTo,
  type Markup,
  type PagePart,
  page,
  preformatted,
  type Report,
  reportParts,
  shortened,
  table,
  tag,
} from "./page";
import { type ResourceChange, topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

/** What a page needs besides what it is about. */
export interface Scope {
  readonly types: readonly Pick<ResourceType, "type" | "picture">[];
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  /** The job that made the plan: then the page says when that was, too. */
  readonly job?: { readonly commit?: string | undefined; readonly by?: string | undefined } | undefined;
}

/** What a plan, a drift or a state is about. */
const targetFacts = (
  { stage, stack }: Pick<Scope, "stage" | "stack">,
  { workspaceId, baseUrl }: Pick<Plan["binding"], "workspaceId" | "baseUrl">,
): Report["facts"] => [
  ["Stage", stage],
  ["Stack", stack],
  ["Workspace", workspaceId],
  ["API", baseUrl],
];

/**
 * A plan as a page, made of its document alone: the same bytes for the same plan, whenever and wherever it is shown.
 * Undefined when the document is not a plan.
 */
export function planPage(document: unknown, scope: Scope): string | undefined {
  const { data } = planDocumentSchema.safeParse(document);
  if (data === undefined) return undefined;
  const plan = planOf(data);
  const report = planReport(plan, "equal");
  const { line, counts, cost } = planLines(plan, report);
  const anchors = new Set<string>(changesIn(report).map(({ address }) => address));
  return page({
    heading: "rnv plan",
    ...planVerdict(plan),
    line: line.replace(/^No changes\. /, ""),
    also: [counts, cost("\u2192")],
    facts: planFacts(plan, scope),
    sections: [
      blockedSection(plan),
      checksSection(plan, anchors),
      findingsSection(plan.diagnostics),
      topologySection(topologyOf(data.resource_changes, scope.types), anchors),
      ...reportParts(
        "changes",
        report.map(({ items, ...section }) => ({
          ...section,
          items: items?.map((entry) => changeEntry(entry, plan)),
          groupedBy: items?.every(({ first }) => first.action === "create") ? project : undefined,
        })),
      ),
    ],
  });
}

function planVerdict(plan: Plan): Pick<Report, "verdict" | "tone"> {
  const isFailed = plan.diagnostics.some(({ severity }) => severity === "error");
  if (isFailed) return { verdict: "\u2716 Failed", tone: "stop" };
  if (isBlocked(plan) || plan.checks?.some(stopsPlan)) return { verdict: "\u2716 Blocked", tone: "stop" };
  return hasChanges(plan)
    ? { verdict: "\u25b6 Changes", tone: "act" }
    : { verdict: "\u2714 No changes", tone: "calm" };
}

/** Without a job neither time nor serial is among them: they are no part of what a plan says. */
function planFacts(plan: Plan, { stage, stack, job }: Scope): Report["facts"] {
  const { mode, targets, excludes, replace, confirmedDeletes } = plan.options;
  return [
    ...targetFacts({ stage: plan.stage ?? stage, stack }, plan.binding),
    ["Mode", mode !== "apply" && planHeadings[mode].replace(/:$/, "")],
    ["Only", targets.join(", ")],
    ["Without", excludes.join(", ")],
    ["Replaced by request", replace.join(", ")],
    ["Confirmed deletions", confirmedDeletes.join(", ")],
    ["Digest", plan.digest && shortened(plan.digest)],
    ["Commit", job?.commit?.slice(0, shortDigest)],
    ["Started by", job?.by],
    ["Planned", job && plan.timestamp && exactTime(plan.timestamp)],
  ];
}

/** A link to a change on this page. */
const linked = (address: Address): Markup => html`<a href="${linkTo(address)}">${code(address)}</a>`;

const copied = (text: string): Markup => html`<code class="copy">${text}</code>`;

/** What is stopped, with the text that confirms it. */
function blockedSection({ changes }: Plan): PagePart | undefined {
  const rows = changes.flatMap(({ address, guard }) => {
    if (guard === undefined) return [];
    const pass = isUnconfirmed({ guard }) ? `--confirm-delete ${address}` : guard.hint;
    return [[linked(address), guard.summary, copied(pass)]];
  });
  const body = html`<p>Apply refuses this plan until each of these is resolved.</p>
${table(rows, ["Resource", "Why", "How to confirm"], "rows")}`;
  return rows.length === 0 ? undefined : { id: "blocked", title: "Blocked", count: rows.length, body };
}

const pass = ["pass", "\u2714"] as const;
const warn = ["warn", "~"] as const;
const fail = ["fail", "\u2716"] as const;

const checkSigns = { passed: pass, failed: fail, overridden: ["warn", "!"] as const, error: fail };

function checksSection({ checks = [] }: Plan, anchors: ReadonlySet<string>): PagePart | undefined {
  if (checks.length === 0) return undefined;
  const worstFirst = [...checks.filter(stopsPlan), ...checks.filter((check) => !stopsPlan(check))];
  const rows = worstFirst.map((check) => {
    const { policy, level, status, address, message, range } = check;
    const [kind, sign] = checkSigns[status];
    const subject = address && (anchors.has(address) ? linked(address) : code(address));
    const option = level === "overridable" && stopsPlan(check) && `--override-policy ${policy}`;
    const why = html`${message} ${range && code(placeText(range))} ${option && copied(option)}`;
    return [policy, tag(kind, sign, checkStatusWords[status]), level, subject ?? "the plan", why];
  });
  const { title, counts } = checkWords(checks);
  const body = html`<p>${counts}.</p>${table(rows, ["Name", "Result", "Level", "For", "Why"], "rows")}`;
  return { id: "policies", title, count: checks.length, body };
}

/** The choice of the filter that new resources are folded away by, too. */
const project = "Project or service";

/** The project or service at the head of an address; texts that people filter by. */
const headOf = ({ address, construct }: Pick<Change, "address" | "construct">): string =>
  nameOf((construct?.in ?? address) as Address).split(".")[0] ?? "";

const causeWords: Readonly<Record<string, string>> = {
  edit: "edit of the manifest",
  removed: "back to the default",
};

/** Why a change is made, for the filter: the causes of its fields, or what it follows. */
function causesOf(change: Change, plan: Plan): readonly string[] {
  if (change.reason !== undefined) return ["follows another change"];
  const causes: readonly string[] = listedFields(change, plan).map(({ cause }) => cause);
  const all = change.missing ? ["drift", ...causes] : causes.length === 0 ? ["edit"] : causes;
  return all.map((cause) => causeWords[cause] ?? cause);
}

/** One item of a plan as an entry of its page. */
function changeEntry(item: PlanEntry, plan: Plan): Entry {
  const { first, changes } = item;
  const word = actionWord(first);
  const sign = first.action === "no-op" ? "" : marks[first.action].sign;
  return {
    ...item,
    mark: [first.action, sign, word],
    found: { Action: [word], Cause: causesOf(first, plan), [project]: changes.map(headOf) },
  };
}

const markOf = { missing: "missing", drifted: "drift", pending: "pending" } as const;

/** What a text says in the heading of a section, where its items have no words of their own. */
const driftWords = {
  missing: "was deleted outside rnv",
  drifted: "changed outside rnv",
  pending: "",
} as const;

/** A drift report as a page: of the plan that it was made of. */
export function driftPage(
  report: DriftReport,
  { plan, diagnostics }: Readonly<{ plan: Plan; diagnostics: readonly Diagnostic[] }>,
  scope: Scope,
): string {
  const found = driftSections(report);
  const items = found.flatMap(({ items = [] }) => items);
  const markAt = new Map<string, Mark>(
    [...items].reverse().map(({ kind, address }) => [address, markOf[kind]]),
  );
  const resources = planDocument(plan).resource_changes.map(asItIs);
  const topology = topologyOf(resources, scope.types, ({ address }) => markAt.get(address) ?? "same");
  return page({
    heading: "rnv drift",
    verdict: report.hasDrift ? "\u2716 Drift" : "\u2714 No drift",
    tone: report.hasDrift ? "stop" : report.pending.length > 0 ? "act" : "calm",
    // The verdict says whether there is drift.
    line: driftLine(report).replace(/^(?:Drift: |No drift\. (?=.))/, ""),
    facts: [...targetFacts(scope, plan.binding), ["Counted", report.failOn.join(", ")]],
    sections: [
      findingsSection(diagnostics),
      topologySection(topology, new Set(markAt.keys())),
      ...reportParts(
        "differences",
        found.map((section) => ({ ...section, items: section.items?.map(driftEntry) })),
      ),
    ],
  });
}

function driftEntry(item: DriftItem): Entry {
  const { sign, word } = marks[markOf[item.kind]];
  return {
    ...item,
    phrase: item.phrase === "" ? driftWords[item.kind] : item.phrase,
    mark: [markOf[item.kind], sign, word],
    found: { Found: [driftKinds[item.kind]], [project]: [headOf(item)] },
  };
}

/** Nothing is said of what a plan would do or cost. */
const asItIs = ({ cost, effects, blocked_by, ...found }: ResourceChange): ResourceChange => ({
  ...found,
  change: { ...found.change, after: found.change.before ?? found.change.after },
  cost: cost && { before: cost.before, after: cost.before },
});

/** What a state records, as a page. */
export function statePage(state: State, scope: Scope): string {
  const { stage = state.stage, stack = state.stack, types } = scope;
  const recorded = recordedIn(state);
  const isOpen = state.run !== null || state.open.length > 0;
  return page({
    heading: "rnv show",
    verdict: isOpen ? "\u25b6 A run did not end" : "\u2714 Recorded",
    tone: isOpen ? "stop" : "calm",
    line: `${counted(recorded.length, "resource")} recorded.`,
    facts: [
      ...targetFacts({ stage, stack }, state),
      ["Lineage", state.lineage],
      ["Serial", String(state.serial)],
    ],
    sections: [
      topologySection(
        topologyOf(recorded.map(asRecorded), types),
        new Set<string>(recorded.map(({ address }) => address)),
      ),
      ...reportParts("resources", [
        ...itemSection("resources", "", "", recorded.map(recordedEntry), { isFolded: true }),
        ...stateSections(state),
      ]),
    ],
  });
}

/** A resource as it was last applied and seen. */
function asRecorded({ address, resource }: Recorded): ResourceChange {
  const sides = [...Object.entries(resource.computed), ...Object.entries(resource.applied)];
  const known = unflatten<AppliedValue>(new Map(sides)) as ResourceChange["change"]["before"];
  return {
    ...{ address, id: resource.id, type: resource.type, live_name: resource.name },
    references: [...resource.dependsOn],
    change: { actions: ["no-op"], before: known, after: known },
  };
}

function recordedEntry({ address, resource }: Recorded): Entry {
  const { applied, computed, kept } = recordedLines(resource);
  const factOf = ([label = "", text = ""]: readonly string[]) => ({ label, text });
  return {
    ...{ sign: "", subject: address, phrase: resource.name, id: resource.id, fields: [], notes: kept },
    facts: [
      ...applied.map(factOf),
      ...computed.map(([path = "", text = ""]) => ({ label: `${path} (computed)`, text })),
    ],
    found: { Type: [typeOf(address)], [project]: [headOf({ address })] },
  };
}

/** The report of a fleet as a page: what needs attention first, with its errors; then what is well. */
export function fleetPage(report: FleetReport): string {
  const { verb, members, started_at: started, seconds, shard, selected } = report;
  const urgent = members.filter((one) => !isWell(one)).sort(byUrgency);
  const isMild = urgent.every((one) => signOf(one) === "~" && one.status !== "drift");
  const entriesOf = (own: readonly MemberResult[]) => own.map((one) => memberEntry(one, verb === "apply"));
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
    sections: [
      ...reportParts("members", [
        ...itemSection("members", "Needs attention", "", entriesOf(urgent)),
        ...itemSection("members", "Well", "", entriesOf(members.filter(isWell)), { isFolded: true }),
      ]),
    ],
  });
}

function memberEntry(one: MemberResult, isDone: boolean): Entry {
  const { name, folder, stage, digest, diagnostics = [], output } = one;
  const notes = [
    folder && `Folder ${folder}`,
    `Exit code ${one.exit_code}, ${elapsedText(one.seconds)}`,
    digest && `Digest ${digest.slice(0, shortDigest)}`,
  ];
  const findings = diagnostics.map((one) => ({ ...one, place: one.location && locationText(one.location) }));
  return {
    ...{ sign: "", subject: name, phrase: foundText(one, isDone), fields: [], facts: [] },
    notes: notes.filter((note) => note !== undefined),
    mark: [...(isWell(one) ? pass : signOf(one) === "~" ? warn : fail), wordsOf(one)],
    found: { Ended: [wordsOf(one)], Stage: stage === undefined ? [] : [stage] },
    more: [findingList(findings), output && html`<pre tabindex="0">${preformatted(output)}</pre>`],
  };
}
