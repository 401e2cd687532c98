import type { Diagnostic } from "../../diagnostics/diagnostic";
import { stopsPlan } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import { shortDigest } from "../../plan/digest";
import { type Change, hasChanges, type Plan } from "../../plan/plan";
import { planDocumentSchema } from "../../plan/plan-schema";
import { isLoss, type PlanEntry, planEntries } from "../plan-entries";
import { planOf } from "../plan-json";
import { planSections } from "../plan-sections";
import { amount, checkWords, countsOf, isBlocked, planLine, sameMoney, signed } from "../plan-wording";
import { exactTime } from "../time-text";
import { type Entry, type EntryPart, entriesSection } from "./entries";
import { entryOf, headOf, linkedAddress, markWords, passOf, placeText } from "./entry";
import { html, list, type Markup, nothing, preformatted } from "./markup";
import { listSections, page, type Report, type Section } from "./page";
import { topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

/** What a report needs besides the plan. */
export interface ReportScope {
  readonly types: readonly Pick<ResourceType, "type" | "picture">[];
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  /** The job that made the plan: then the page says when that was, too. */
  readonly job?: { readonly commit?: string | undefined; readonly by?: string | undefined } | undefined;
}

/** So many entries are shown unfolded. */
const mostOpen = 12;

/**
 * A plan as a page, made of its document alone: the same bytes for the same plan, whenever and wherever it is shown.
 * Undefined when the document is not a plan.
 */
export function planPage(document: unknown, scope: ReportScope): string | undefined {
  const { data } = planDocumentSchema.safeParse(document);
  if (data === undefined) return undefined;
  const plan = planOf(data);
  return page({
    heading: "rnv plan",
    ...verdictOf(plan),
    line: planLine(plan).replace(/^No changes\. /, ""),
    facts: factsOf(plan, scope),
    sections: [
      blockedSection(plan),
      checksSection(plan),
      findingsSection(plan.diagnostics),
      summarySection(plan),
      topologySection(topologyOf(data, scope.types), anchorsOf(plan)),
      changesSection(plan),
      ...listSections(planSections(plan)),
    ],
  });
}

/** The ids of the entries of a plan. */
const anchorsOf = (plan: Plan): ReadonlySet<string> =>
  new Set(planEntries(plan, "equal").flatMap(({ changes }) => changes.map(({ address }) => address)));

function verdictOf(plan: Plan): { readonly verdict: string; readonly tone: "stop" | "act" | "calm" } {
  if (plan.diagnostics.some(({ severity }) => severity === "error"))
    return { verdict: "\u2716 Failed", tone: "stop" };
  if (isBlocked(plan) || plan.checks?.some(stopsPlan)) return { verdict: "\u2716 Blocked", tone: "stop" };
  return hasChanges(plan)
    ? { verdict: "\u25b6 Changes", tone: "act" }
    : { verdict: "\u2714 No changes", tone: "calm" };
}

const modes: Readonly<Record<Plan["options"]["mode"], string>> = {
  apply: "",
  destroy: "destroys everything recorded",
  "refresh-only": "records what changed outside rnv, and changes nothing in the service",
};

/** Without a job neither time nor serial is among them: they are no part of what a plan says. */
function factsOf(
  { binding, options, digest, stage: planned, timestamp }: Plan,
  { stage, stack, job }: ReportScope,
): Report["facts"] {
  return [
    ["Stage", planned ?? stage],
    ["Stack", stack],
    ["Workspace", binding.workspaceId],
    ["Service", binding.baseUrl],
    ["Mode", modes[options.mode]],
    ["Only", options.targets.join(", ")],
    ["Without", options.excludes.join(", ")],
    ["Replaced by request", options.replace.join(", ")],
    ["Confirmed deletions", options.confirmedDeletes.join(", ")],
    ["Digest", digest],
    ["Commit", job?.commit?.slice(0, shortDigest)],
    ["Started by", job?.by],
    ["Planned", job && timestamp && exactTime(timestamp)],
  ];
}

function blockedSection(plan: Plan): Section | undefined {
  const held = plan.changes.flatMap(({ address, guard }) => (guard ? [{ address, guard }] : []));
  if (held.length === 0) return undefined;
  const rows = held.map(
    ({ address, guard }) =>
      html`<tr><th>${linkedAddress(address, true)}<td>${guard.summary}<td><code class="copy">${passOf(address, guard)}</code>`,
  );
  const body = html`<p>Apply refuses this plan until each of these is resolved.</p>
<table class="rows"><thead><tr><th>Resource<th>Why<th>How to confirm</thead><tbody>${rows}</tbody></table>`;
  return { id: "blocked", title: "Blocked", count: held.length, body };
}

const checkMarks = {
  passed: html`<span class="mark pass">\u2714 passed</span>`,
  failed: html`<span class="mark fail">\u2716 failed</span>`,
  overridden: html`<span class="mark warn">! overridden</span>`,
  error: html`<span class="mark fail">\u2716 could not be judged</span>`,
} as const;

const checkNouns = { Policies: "Policy", Conditions: "Condition", Checks: "Check" } as const;

function checksSection({ checks = [], changes }: Plan): Section | undefined {
  if (checks.length === 0) return undefined;
  const drawn = new Set(changes.filter(({ action }) => action !== "no-op").map(({ address }) => address));
  const worstFirst = [...checks.filter(stopsPlan), ...checks.filter((check) => !stopsPlan(check))];
  const rows = worstFirst.map((check) => {
    const { policy, level, status, address, message, range } = check;
    const canPass = level === "overridable" && stopsPlan(check);
    return html`<tr><td>${checkMarks[status]}<th>${policy}<td>${level}<td>${address === undefined ? "the plan" : linkedAddress(address, drawn.has(address))}<td>${message}${range ? html` <code>${placeText(range)}</code>` : nothing}${canPass ? html` <code class="copy">--override-policy ${policy}</code>` : nothing}`;
  });
  const { title, counts } = checkWords(checks);
  const body = html`<p>${counts}.</p><table class="rows"><thead><tr><th>Result<th>${checkNouns[title]}<th>Level<th>For<th>Why</thead><tbody>${rows}</tbody></table>`;
  return { id: "policies", title, count: checks.length, body };
}

export function findingsSection(diagnostics: readonly Diagnostic[]): Section | undefined {
  if (diagnostics.length === 0) return undefined;
  const body = list(
    diagnostics.map(
      ({ severity, code, summary, detail, hint, range }) =>
        html`<p><strong class="${severity}">${severity}</strong> <code>${code}</code>: ${summary}${range ? html` <code>${placeText(range)}</code>` : nothing}</p>${detail === undefined ? nothing : html`<pre tabindex="0">${preformatted(detail)}</pre>`}${hint === undefined ? nothing : html`<p>hint: ${hint}</p>`}`,
    ),
  );
  return { id: "findings", title: "Findings", count: diagnostics.length, body };
}

const summaryWords = [
  ["destroy", "delete", "\u2212"],
  ["change", "update", "~"],
  ["add", "create", "+"],
  ["adopt", "adopt", ">"],
  ["forget", "forget", "<"],
] as const;

function summarySection(plan: Plan): Section {
  const { summary } = plan;
  const cards = summaryWords
    .filter(([word]) => summary[word] > 0 || word === "add" || word === "change" || word === "destroy")
    .map(
      ([word, action, sign]) =>
        html`<div class="${summary[word] > 0 ? action : "zero"}"><dt>${sign} to ${word === "adopt" ? "import" : word}<dd>${summary[word]}</div>`,
    );
  const changes = planEntries(plan, "equal").flatMap((entry) => entry.changes);
  const body = html`<dl class="cards">${cards}</dl>
${changes.length === 0 ? nothing : html`<p>${countsOf(changes)}</p>`}
${costTable(plan)}`;
  return { id: "summary", title: "Summary", body };
}

function costTable({ cost: { before, after, estimate } }: Plan): Markup {
  const isFree = [before.usd, before.ngn, after.usd, after.ngn].every((value) => value === 0);
  if (isFree) return nothing;
  const rows = (["usd", "ngn"] as const).map(
    (currency) =>
      html`<tr><th>${currency.toUpperCase()}<td>${amount(before[currency])}<td>${amount(after[currency])}<td>${before[currency] === after[currency] ? "unchanged" : signed(after[currency] - before[currency])}`,
  );
  return html`<table class="cost${sameMoney(before, after) ? "" : " moves"}"><caption>${estimate ? "Estimated monthly cost" : "Monthly cost"} of everything managed here</caption><thead><tr><th>Currency<th>Before<th>After<th>Difference</thead><tbody>${rows}</tbody></table>`;
}

const parts: readonly [string, (change: Change) => boolean][] = [
  ["Destroyed, replaced or blocked", isLoss],
  ["Changed", (change) => !isLoss(change) && change.action !== "create"],
  ["Created", (change) => !isLoss(change) && change.action === "create"],
];

function changesSection(plan: Plan): Section | undefined {
  const all = planEntries(plan, "equal");
  return entriesSection({
    subject: "changes",
    parts: parts.map(([title, isPart]) => {
      const own = all.filter(({ first }) => isPart(first));
      const entries = own.map((entry) => entryOf(entry, plan));
      const isLong = own.length > mostOpen && own.every(({ first }) => first.action === "create");
      return { title, entries, ...(isLong && { groups: groupsOf(own, entries) }) };
    }),
    filters: [
      { name: "action", label: "Action", wordOf: (value) => markWords[value as Change["action"]] },
      { name: "cause", label: "Cause", wordOf: (value) => causeWords[value] ?? value },
      { name: "project", label: "Project or service" },
    ],
    ...{ mostOpen, whole: "rnv show -json" },
  });
}

/** Groups of a part; the last holds all others. */
const mostGroups = 40;

/** New resources by project, or by service where it is in none: each group is folded away below its counts. */
function groupsOf(entries: readonly PlanEntry[], shown: readonly Entry[]): NonNullable<EntryPart["groups"]> {
  const heads = [...new Set(entries.map(({ first }) => headOf(first)))];
  const rest = heads.length > mostGroups ? heads.slice(mostGroups - 1) : [];
  const names = heads.filter((head) => !rest.includes(head));
  const groups = [
    ...names.map((name) => [name, [name]] as const),
    ...(rest.length === 0 ? [] : [[`${rest.length} more`, rest] as const]),
  ];
  return groups.map(([name, own]) => {
    const isOwn = ({ first }: PlanEntry): boolean => own.includes(headOf(first));
    const changes = entries.filter(isOwn).flatMap((entry) => entry.changes);
    return {
      line: html`<b>${name}</b> ${countsOf(changes)}`,
      entries: shown.filter((_, i) => isOwn(entries[i] as PlanEntry)),
    };
  });
}

const causeWords: Readonly<Record<string, string>> = {
  edit: "edit of the manifest",
  drift: "drift",
  removed: "back to the default",
  "take-over": "take-over",
  released: "released",
  reaction: "follows another change",
};
