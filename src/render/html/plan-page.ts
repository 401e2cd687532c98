import type { Diagnostic } from "../../diagnostics/diagnostic";
import { stopsPlan } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import { type Change, hasChanges, type Plan } from "../../plan/plan";
import { isLoss, type PlanEntry, planEntries } from "../plan-entries";
import { planDocumentSchema, planOf } from "../plan-json";
import { planSections } from "../plan-sections";
import {
  amount,
  checkWords,
  counted,
  countsOf,
  isBlocked,
  planLine,
  sameMoney,
  signed,
} from "../plan-wording";
import {
  causesOf,
  entryMarkup,
  fieldRows,
  headOf,
  linkedAddress,
  markWords,
  passOf,
  placeText,
} from "./entry";
import { filterForm } from "./filter";
import { html, list, type Markup, nothing, preformatted } from "./markup";
import { listSections, page, type Section } from "./page";
import { topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

/** What a report needs besides the plan. */
export interface ReportScope {
  readonly types: readonly Pick<ResourceType, "type" | "picture">[];
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
}

/** Characters of the entries of a page, with their fields: with the rest of it they stay below two megabytes. */
const mostCharacters = 1_200_000;
/** Further characters for entries without fields; only what ends or is blocked is told beyond. */
const mostLines = 400_000;
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
      outputsSection(plan),
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

/** Neither time nor serial is among them: they are no part of what a plan says. */
function factsOf(
  { binding, options, digest, stage: planned }: Plan,
  { stage, stack }: ReportScope,
): [string, string][] {
  const facts: [string, string | undefined][] = [
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
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== "");
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
  const entries = planEntries(plan, "equal");
  if (entries.length === 0) return undefined;
  const markups = entriesWithin(entries, plan);
  const shown = parts.map(([title, isPart]) => {
    const own = entries.filter(({ first }) => isPart(first));
    const count = own.reduce((sum, { changes }) => sum + changes.length, 0);
    const isLong = own.length > mostOpen && own.every(({ first }) => first.action === "create");
    return own.length === 0
      ? nothing
      : html`<div class="part"><h3>${title} <span class="count">${count}</span></h3>
${isLong ? groupedEntries(own, markups) : own.map((entry) => markups.get(entry))}</div>`;
  });
  const changes = entries.flatMap((entry) => entry.changes);
  const left = entries.filter((entry) => !markups.has(entry)).flatMap((entry) => entry.changes);
  const note =
    left.length === 0
      ? nothing
      : html`<p>${counted(left.length, "more resource")} left out, because this page would be too large: <code>rnv show -json</code> has all. ${countsOf(left)}</p>`;
  const body = html`${changesFilter(changes, plan)}${shown}${note}`;
  return { id: "changes", title: "Changes", count: changes.length, body };
}

/** Groups of a part; the last holds all others. */
const mostGroups = 40;

/** New resources by project, or by service where it is in none: each group is folded away below its counts. */
function groupedEntries(
  entries: readonly PlanEntry[],
  markups: ReadonlyMap<PlanEntry, Markup>,
): readonly Markup[] {
  const heads = [...new Set(entries.map(({ first }) => headOf(first)))];
  const rest = heads.length > mostGroups ? heads.slice(mostGroups - 1) : [];
  const groupOf = (head: string): string => (rest.includes(head) ? `${rest.length} more` : head);
  const groups = new Map<string, PlanEntry[]>();
  for (const entry of entries) {
    const name = groupOf(headOf(entry.first));
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  return [...groups].map(
    ([name, own]) =>
      html`<details class="group"><summary><b>${name}</b> ${countsOf(own.flatMap(({ changes }) => changes))}</summary>
${own.map((entry) => markups.get(entry))}</details>
`,
  );
}

/** Entries in their order, without fields once there are too many, and then without what ends nothing. */
function entriesWithin(entries: readonly PlanEntry[], plan: Plan): ReadonlyMap<PlanEntry, Markup> {
  let room = mostCharacters;
  const isOpen = entries.length <= mostOpen;
  const shown = new Map<PlanEntry, Markup>();
  for (const entry of entries) {
    if (room < -mostLines && !isLoss(entry.first)) continue;
    const markup = entryMarkup(entry, plan, { withFields: room > 0, isOpen });
    room -= markup.text.length;
    shown.set(entry, markup);
  }
  return shown;
}

const causeWords: Readonly<Record<string, string>> = {
  edit: "edit of the manifest",
  drift: "drift",
  removed: "back to the default",
  "take-over": "take-over",
  released: "released",
  reaction: "follows another change",
};

function changesFilter(changes: readonly Change[], plan: Plan): Markup {
  return filterForm("changes", [
    {
      ...{ name: "action", label: "Action", values: changes.map(({ action }) => action) },
      wordOf: (value) => markWords[value as Change["action"]],
    },
    {
      ...{ name: "cause", label: "Cause", values: changes.flatMap((change) => causesOf(change, plan)) },
      wordOf: (value) => causeWords[value] ?? value,
    },
    { name: "project", label: "Project or service", values: changes.map(headOf) },
  ]);
}

function outputsSection({ outputs }: Plan): Section | undefined {
  if (outputs.length === 0) return undefined;
  const fields = outputs.map(({ name, before, after }) => ({
    ...{ path: name, before, after, cause: "edit" as const, forcesReplacement: false },
  }));
  return { id: "outputs", title: "Outputs", count: outputs.length, body: fieldRows(fields) };
}
