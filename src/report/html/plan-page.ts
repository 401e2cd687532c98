import type { Address } from "../../model/address";
import { stopsPlan } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import { free, sameMoney } from "../../plan/change";
import { shortDigest } from "../../plan/digest";
import { isUnconfirmed } from "../../plan/guards";
import { type Change, type Guard, hasChanges, type Plan } from "../../plan/plan";
import { planDocumentSchema } from "../../plan/plan-schema";
import { actionWord, marks } from "../graph";
import { groupBy } from "../order";
import { planOf } from "../plan-json";
import { isLoss, type PlanEntry, type PlanReport, planReport } from "../plan-report";
import {
  actionPhrase,
  amount,
  checkWords,
  constructPhrase,
  counted,
  countsOf,
  effectWords,
  isBlocked,
  isNameTold,
  listedFields,
  moneyChange,
  pluralPhrase,
  signed,
} from "../plan-wording";
import { exactTime } from "../time-text";
import {
  cards,
  type EntriesReport,
  type Entry,
  type EntryGroup,
  entriesSection,
  fieldRows,
  findingsSection,
  headOf,
  linkedAddress,
  placeText,
  tag,
} from "./entries";
import { html, type Markup, nothing, table } from "./markup";
import { listSections, page, type Report, type Section, targetFacts, type Verdict } from "./page";
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
  const report = planReport(plan, "equal");
  const anchors = new Set<string>(report.changes.map(({ address }) => address));
  return page({
    heading: "rnv plan",
    ...verdictOf(plan),
    line: report.line.replace(/^No changes\. /, ""),
    facts: factsOf(plan, scope),
    sections: [
      blockedSection(plan),
      checksSection(plan, anchors),
      findingsSection(plan.diagnostics),
      summarySection(plan, report),
      topologySection(topologyOf(data, scope.types), anchors),
      changesSection(plan, report),
      ...listSections(report.sections),
    ],
  });
}

function verdictOf(plan: Plan): Verdict {
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
    ...targetFacts(planned ?? stage, stack, binding),
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

function blockedSection({ changes }: Plan): Section | undefined {
  const rows = changes.flatMap(({ address, guard }) =>
    guard ? [[linkedAddress(address, true), guard.summary, passOf(address, guard)]] : [],
  );
  if (rows.length === 0) return undefined;
  const body = html`<p>Apply refuses this plan until each of these is resolved.</p>
${table(rows, { className: "rows", titles: ["Resource", "Why", "How to confirm"], head: 0 })}`;
  return { id: "blocked", title: "Blocked", count: rows.length, body };
}

/** The text that lets a guarded change pass. */
const passOf = (address: Address, guard: Guard): Markup =>
  html`<code class="copy">${isUnconfirmed({ guard }) ? `--confirm-delete ${address}` : guard.hint}</code>`;

const checkTags = {
  passed: tag("pass", "\u2714", "passed"),
  failed: tag("fail", "\u2716", "failed"),
  overridden: tag("warn", "!", "overridden"),
  error: tag("fail", "\u2716", "could not be judged"),
} as const;

const checkNouns = { Policies: "Policy", Conditions: "Condition", Checks: "Check" } as const;

function checksSection({ checks = [] }: Plan, anchors: ReadonlySet<string>): Section | undefined {
  if (checks.length === 0) return undefined;
  const worstFirst = [...checks.filter(stopsPlan), ...checks.filter((check) => !stopsPlan(check))];
  const rows = worstFirst.map((check) => {
    const { policy, level, status, address, message, range } = check;
    const place = range ? html` <code>${placeText(range)}</code>` : nothing;
    const pass =
      level === "overridable" && stopsPlan(check)
        ? html` <code class="copy">--override-policy ${policy}</code>`
        : nothing;
    const subject = address === undefined ? "the plan" : linkedAddress(address, anchors.has(address));
    return [checkTags[status], policy, level, subject, html`${message}${place}${pass}`];
  });
  const { title, counts } = checkWords(checks);
  const titles = ["Result", checkNouns[title], "Level", "For", "Why"];
  const body = html`<p>${counts}.</p>${table(rows, { className: "rows", titles, head: 1 })}`;
  return { id: "policies", title, count: checks.length, body };
}

const summaryWords = [
  ["destroy", "delete"],
  ["change", "update"],
  ["add", "create"],
  ["adopt", "adopt"],
  ["forget", "forget"],
] as const;

function summarySection(plan: Plan, { changes }: PlanReport): Section {
  const counts = summaryWords
    .map(([word, kind]) => ({ word, kind, count: plan.summary[word] }))
    .filter(({ word, count }) => count > 0 || word === "add" || word === "change" || word === "destroy")
    .map(({ word, kind, count }) => ({
      kind,
      words: `${marks[kind].sign} to ${word === "adopt" ? "import" : word}`,
      count,
    }));
  const body = html`${cards(counts)}
${changes.length === 0 ? nothing : html`<p>${countsOf(changes)}</p>`}
${costTable(plan)}`;
  return { id: "summary", title: "Summary", body };
}

function costTable({ cost: { before, after, estimate } }: Plan): Markup {
  if (sameMoney(before, free) && sameMoney(after, free)) return nothing;
  const rows = (["usd", "ngn"] as const).map((currency) => {
    const [old, next] = [before[currency], after[currency]];
    const difference = old === next ? "unchanged" : signed(next - old);
    return [currency.toUpperCase(), amount(old), amount(next), difference];
  });
  return table(rows, {
    className: sameMoney(before, after) ? "cost" : "cost moves",
    caption: `${estimate ? "Estimated monthly cost" : "Monthly cost"} of everything managed here`,
    titles: ["Currency", "Before", "After", "Difference"],
    head: 0,
  });
}

function changesSection(plan: Plan, { parts, entries: all }: PlanReport): Section | undefined {
  return entriesSection({
    subject: "changes",
    parts: parts.map(({ title, entries: own }) => {
      const isLong = own.length > mostOpen && own.every(({ first }) => first.action === "create");
      const groups = isLong ? groupsOf(own, plan) : [{ entries: own.map((entry) => entryOf(entry, plan)) }];
      return { title, groups, isOpen: all.length <= mostOpen };
    }),
    filters: { action: "Action", cause: "Cause", project: "Project or service" },
    wordOf: filterWord,
    whole: "rnv show -json",
  });
}

/** Groups of a part; the last holds all others. */
const mostGroups = 40;

/** New resources by project, or by service where it is in none: each group is folded away below its counts. */
function groupsOf(entries: readonly PlanEntry[], plan: Plan): readonly EntryGroup[] {
  const heads = [...new Set(entries.map(({ first }) => headOf(first)))];
  const named = new Set(heads.length > mostGroups ? heads.slice(0, mostGroups - 1) : heads);
  const groups = groupBy(entries, ({ first }) => {
    const head = headOf(first);
    return named.has(head) ? head : `${heads.length - named.size} more`;
  });
  return [...groups].map(([name, own]) => ({
    line: html`<b>${name}</b> ${countsOf(own.flatMap(({ changes }) => changes))}`,
    entries: own.map((entry) => entryOf(entry, plan)),
  }));
}

/** The mark of a change: `~ update`. */
const markOf = (change: Change): Markup =>
  tag(change.action, change.action === "no-op" ? "" : marks[change.action].sign, actionWord(change));

/** Why a change is made, for the filter: the causes of its fields, or what it follows. */
function causesOf(change: Change, plan: Plan): readonly string[] {
  if (change.reason !== undefined) return ["reaction"];
  const causes = listedFields(change, plan).map(({ cause }) => cause);
  if (change.missing) return ["drift", ...causes];
  return causes.length === 0 ? ["edit"] : causes;
}

/** One item of a plan as an entry of its page. */
function entryOf(entry: PlanEntry, plan: Plan): Entry {
  const { first, changes, fields, effects: all, cost } = entry;
  const title =
    changes.length > 1
      ? html`<b>${counted(changes.length, first.type)}</b> ${pluralPhrase(first)}`
      : html`<code>${first.address}</code> ${actionPhrase(first)}`;
  const blocked = first.guard ? html` ${tag("blocked", "!", "blocked")}` : nothing;
  const effects = (first.withParent ? [] : all).map(
    (effect) => html` <span class="effect ${effect}">${effectWords[effect]}</span>`,
  );
  return {
    ids: changes.map(({ address }) => address),
    line: html`${markOf(first)}${blocked} ${title}${effects}`,
    notes: notesOf(first, cost),
    fields: () => fieldRows(fields),
    found: { action: [first.action], cause: causesOf(first, plan), project: changes.map(headOf) },
    isKept: isLoss(first),
  };
}

/** What is to be known of one change besides its fields. */
function notesOf(change: Change, cost: PlanEntry["cost"]): Entry["notes"] {
  const {
    address,
    id,
    guard,
    reason,
    deployed,
    previousAddress,
    construct,
    withParent,
    references = [],
  } = change;
  const code = (text: string): Markup => html`<code>${text}</code>`;
  const owner = change.type === "layout" ? "project" : "service";
  return [
    ["blocked", guard?.summary],
    ["to continue", guard && passOf(address, guard)],
    ["because", reason],
    ["since the last run", deployed],
    ["how", withParent ? `destroyed with its ${owner}` : undefined],
    ["name", isNameTold(change) ? undefined : code(change.name)],
    ["id", id === undefined || change.action === "update" ? undefined : code(id)],
    ["moved from", previousAddress && code(previousAddress)],
    ["declared by", construct && constructPhrase(construct)],
    ["refers to", references.length === 0 ? undefined : references.map((one) => html`${code(one)} `)],
    ["cost a month", cost && moneyChange(cost.before, cost.after, "\u2192", true)],
  ];
}

const causeWords: Readonly<Record<string, string>> = {
  edit: "edit of the manifest",
  removed: "back to the default",
  reaction: "follows another change",
};

const filterWord: EntriesReport["wordOf"] = (value, name) => {
  if (name === "action") return actionWord({ action: value as Change["action"], onRemove: "delete" });
  return name === "cause" ? (causeWords[value] ?? value) : value;
};
