import type { Address } from "../../model/address";
import { stopsPlan } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import { shortDigest } from "../../plan/digest";
import { isUnconfirmed } from "../../plan/guards";
import { type Change, type Guard, hasChanges, type Plan } from "../../plan/plan";
import { planDocumentSchema } from "../../plan/plan-schema";
import { planOf } from "../../plan/read-document";
import { actionWord, marks } from "../graph";
import { type PlanEntry, type PlanReport, planReport } from "../plan-report";
import {
  checkWords,
  constructPhrase,
  effectWords,
  isBlocked,
  isNameTold,
  listedFields,
  moneyChange,
} from "../plan-wording";
import { exactTime } from "../time-text";
import {
  type Entry,
  entriesSection,
  fieldDiff,
  findingsSection,
  headOf,
  linkedAddress,
  noteTable,
  placeText,
  tag,
} from "./entries";
import { code, html, type Markup, nothing, type Part, table } from "./markup";
import { listSections, page, type Report, type Section, shortened, targetFacts, type Verdict } from "./page";
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
    also: [report.counts, report.cost("\u2192")],
    facts: factsOf(plan, scope),
    sections: [
      blockedSection(plan),
      checksSection(plan, anchors),
      findingsSection(plan.diagnostics),
      topologySection(topologyOf(data.resource_changes, scope.types), anchors),
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
    ["Digest", digest && shortened(digest)],
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
${table(rows, ["Resource", "Why", "How to confirm"], "rows")}`;
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
    const isOverridable = level === "overridable" && stopsPlan(check);
    const pass = isOverridable && html` <code class="copy">--override-policy ${policy}</code>`;
    const subject = address === undefined ? "the plan" : linkedAddress(address, anchors.has(address));
    const why = html`${message}${range && html` <code>${placeText(range)}</code>`}${pass || nothing}`;
    return [policy, checkTags[status], level, subject, why];
  });
  const { title, counts } = checkWords(checks);
  const titles = [checkNouns[title], "Result", "Level", "For", "Why"];
  const body = html`<p>${counts}.</p>${table(rows, titles, "rows")}`;
  return { id: "policies", title, count: checks.length, body };
}

const changesSection = (plan: Plan, { parts }: PlanReport): Section | undefined =>
  entriesSection(
    "changes",
    parts.map(({ title, entries }) => ({
      title,
      entries: entries.map((entry) => entryOf(entry, plan)),
      ...(entries.every(({ first }) => first.action === "create") && { groupedBy: project }),
    })),
  );

/** The choice of the filter that new resources are folded away by, too. */
const project = "Project or service";

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
function entryOf({ first, changes, subject, phrase, fields, effects, cost }: PlanEntry, plan: Plan): Entry {
  const { action, guard, withParent } = first;
  const word = actionWord(first);
  const blocked = guard ? html` ${tag("blocked", "!", "blocked")}` : nothing;
  const name = changes.length > 1 ? html`<b>${subject}</b>` : code(subject);
  const tags = withParent
    ? []
    : effects.map((effect) => html` <span class="effect ${effect}">${effectWords[effect]}</span>`);
  return {
    ids: changes.map(({ address }) => address),
    line: html`${tag(action, action === "no-op" ? "" : marks[action].sign, word)}${blocked} ${name} ${phrase}${tags}`,
    body: () => html`${changes.length > 1 ? nothing : notesOf(first, cost)}${fieldDiff(fields)}`,
    found: {
      Action: [word],
      Cause: causesOf(first, plan),
      [project]: changes.map(headOf),
    },
  };
}

/** What is to be known of one change besides its fields. */
function notesOf(change: Change, cost: PlanEntry["cost"]): Part {
  const { id, reason, deployed, previousAddress, construct, withParent, references = [] } = change;
  const owner = change.type === "layout" ? "project" : "service";
  return noteTable([
    ["because", reason],
    ["since the last run", deployed],
    ["how", withParent ? `destroyed with its ${owner}` : undefined],
    ["name", isNameTold(change) ? undefined : code(change.name)],
    ["id", id === undefined || change.action === "update" ? undefined : code(id)],
    ["moved from", previousAddress && code(previousAddress)],
    ["declared by", construct && constructPhrase(construct)],
    ["refers to", references.length === 0 ? undefined : references.map((one) => html`${code(one)} `)],
    ["cost a month", cost && moneyChange(cost.before, cost.after, "\u2192", true)],
  ]);
}
