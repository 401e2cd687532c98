import { type Address, nameOf } from "../model/address";
import type { Standing } from "../model/live";
import { type Check, isCondition } from "../model/policy";
import type { Effect, Money } from "../model/resource-type";
import { shortList } from "../model/text";
import { changesRecordOnly } from "../plan/decision";
import type { PlanDifference } from "../plan/digest";
import {
  type Action,
  type AttributeChange,
  type Change,
  type ChangeCause,
  hasChanges,
  isChangedOutside,
  isListed,
  type Plan,
  type PlanOptions,
  type PlanStanding,
} from "../plan/plan";
import { codeSpan, escapeText, quoteText, shorten } from "./escape-text";
import { addressesInReadingOrder, readingOrder } from "./reading-order";
import { exactTime } from "./time-text";

/**
 * Names what a plan was judged by and counts the results: `Policies: 3 passed, 1 failed`. A policy counts once however
 * many resources it is for, a condition for each resource; `Checks` where there are both.
 */
export function checkWords(checks: readonly Check[]): {
  readonly title: "Policies" | "Conditions" | "Checks";
  readonly counts: string;
} {
  const worst = new Map<string, Check["status"]>();
  const order = ["passed", "overridden", "failed", "error"] as const;
  const conditions = checks.filter(isCondition).length;
  for (const [i, check] of checks.entries()) {
    const subject = isCondition(check) ? i.toString() : `policy ${check.policy}`;
    const known = worst.get(subject) ?? "passed";
    worst.set(subject, order.indexOf(check.status) > order.indexOf(known) ? check.status : known);
  }
  const words = {
    passed: "passed",
    overridden: "overridden",
    failed: "failed",
    error: "could not be judged",
  };
  const counts = order
    .map((status) => [[...worst.values()].filter((one) => one === status).length, words[status]] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`);
  const title = conditions === 0 ? "Policies" : conditions === checks.length ? "Conditions" : "Checks";
  return { title, counts: counts.join(", ") };
}

/** The words of a plan, shared by text and Markdown so that both say the same. */

export const actionSymbols: Readonly<Record<Action, string>> = {
  create: "+",
  update: "~",
  replace: "-/+",
  delete: "-",
  adopt: ">",
  forget: "<",
  "no-op": " ",
};

/** The fields to show: what a change sends and leaves alone; in a refresh-only plan what it records. */
export const listedFields = (change: Change, plan: Plan): readonly AttributeChange[] =>
  plan.options.mode === "refresh-only"
    ? (change.drift ?? []).map((field) => ({ ...field, cause: "edit" as const }))
    : [
        ...change.attributes.filter(({ isPlacement }) => !isPlacement),
        ...change.released,
        ...(change.lifecycle ?? []),
      ];

/** The address already tells the name, or the name is among the fields shown. */
export const isNameTold = (change: Change): boolean =>
  change.name === "" || change.action === "create" || change.address.split(".").includes(change.name);

/** Says how a resource changes, to stand after its address: `will be created`. */
export function actionPhrase(change: Change): string {
  switch (change.action) {
    case "create":
      if (change.missing) return "will be created again";
      return change.reason === undefined ? "will be created" : "will run";
    case "update":
      if (changesRecordOnly(change)) return "will be updated in the state, and not in the service";
      if (change.restores) return "will be restored";
      return change.reason === undefined ? "will be updated in place" : "will run again";
    case "replace":
      return "must be replaced";
    case "delete":
      return change.onRemove === "archive" ? "will be archived" : "will be destroyed";
    case "adopt":
      return change.attributes.length > 0 ? "will be imported and updated in place" : "will be imported";
    case "forget":
      return change.missing ? "will be forgotten" : "will no longer be managed";
    case "no-op":
      return isChangedOutside(change) ? "has changed outside rnv" : "has not changed";
  }
}

/** The same for many resources. */
export const pluralPhrase = (change: Change): string => actionPhrase(change).replace(/^has /, "have ");

/** The same for what the manifest asks for and is not applied. */
export const actionPhrases: Readonly<Record<Action, string>> = {
  create: "would be created",
  update: "would be updated in place",
  replace: "would be replaced",
  delete: "would be destroyed",
  adopt: "would be imported",
  forget: "would no longer be managed",
  "no-op": "would stay",
};

/** Why a field changes, where it is not what the reader just wrote. */
export const causeNotes: Readonly<Record<ChangeCause, string | undefined>> = {
  edit: undefined,
  drift: "drift: changed outside rnv",
  removed: "back to the default",
  "take-over": "take-over: set outside rnv until now",
  released: "released: no longer managed, left as it is",
};

export const effectWords: Readonly<Record<Effect, string>> = {
  deploys: "deploys",
  restarts: "restarts",
  billing: "changes the bill",
  destructive: "destructive",
};

export const planHeadings: Readonly<Record<PlanOptions["mode"], string>> = {
  apply: "rnv will perform the following actions:",
  destroy: "rnv will destroy what this state records:",
  "refresh-only": "rnv will record what changed outside of it, and change nothing in the service:",
};

const nothingToDo: Readonly<Record<PlanOptions["mode"], string>> = {
  apply: "No changes. Your infrastructure matches the configuration.",
  destroy: "No changes. No objects need to be destroyed.",
  "refresh-only": "No changes. Your infrastructure still matches the configuration.",
};

/** Something blocks it: apply refuses. */
export const isBlocked = (plan: Plan): boolean => plan.changes.some(({ guard }) => guard !== undefined);

/**
 * The exact line that other tools parse: `Plan: 1 to add, 1 to change, 1 to destroy.` or `No changes. …`; a plan with
 * errors has neither.
 */
export function planLine(plan: Plan): string {
  const errors = plan.diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) return `Planning failed: ${counted(errors, "error")}. Nothing of this plan can be applied.`;
  if (!hasChanges(plan)) return nothingToDo[plan.options.mode];
  const { add, change, destroy, adopt, forget } = plan.summary;
  const recorded =
    plan.options.mode === "refresh-only" ? plan.changes.filter((change) => isListed(change, plan)).length : 0;
  const parts = [
    ...(recorded > 0 ? [`${recorded} to record`] : []),
    ...(adopt > 0 ? [`${adopt} to import`] : []),
    `${add} to add`,
    `${change} to change`,
    `${destroy} to destroy`,
    ...(forget > 0 ? [`${forget} to forget`] : []),
  ];
  return `Plan: ${parts.join(", ")}.`;
}

/** `1 service`, `2 services`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}

/** How much of each type a plan makes, changes, ends and runs: `Deployments: 2 to run. Services: 1 to add.` */
export function countsOf(changes: readonly Change[]): string {
  const types = [...new Set(changes.map(({ type }) => type))].sort();
  const sentences = types.map((type) => {
    const counts = new Map<string, number>();
    for (const change of changes)
      if (change.type === type)
        for (const word of countWords(change)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const parts = countOrder.flatMap((word) => (counts.has(word) ? [`${counts.get(word)} to ${word}`] : []));
    const [, noun = ""] = counted(2, escapeText(type)).split(/ (.*)/);
    return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}: ${parts.join(", ")}.`;
  });
  return sentences.join(" ");
}

const countOrder = ["destroy", "archive", "change", "import", "forget", "record", "run", "add"] as const;

function countWords({ action, reason, missing, onRemove }: Change): readonly string[] {
  switch (action) {
    case "create":
      return [reason === undefined || missing ? "add" : "run"];
    case "update":
      return [reason === undefined ? "change" : "run"];
    case "replace":
      return ["destroy", "add"];
    case "delete":
      return [onRemove === "archive" ? "archive" : "destroy"];
    case "adopt":
      return ["import"];
    case "forget":
      return ["forget"];
    case "no-op":
      return ["record"];
  }
}

const mostUnmanaged = 5;
const longestUnmanaged = 60;

/** `Also in this workspace, not managed here: 2 services ("cron", "mail"), 1 project ("Old"); …`, the most numerous first. */
export function unmanagedLine(unmanaged: Plan["unmanaged"]): string {
  if (unmanaged.length === 0) return "";
  const names = new Map<string, string[]>();
  for (const { type, name } of unmanaged) names.set(type, [...(names.get(type) ?? []), name]);
  const counts = [...names]
    .sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))
    .map(
      ([type, all]) =>
        `${counted(all.length, escapeText(type))} (${shortList(
          all.map((name) => quoteText(shorten(name, longestUnmanaged))),
          mostUnmanaged,
        )})`,
    )
    .join(", ");
  // Archived services are in no count of what the service lists.
  return `Also in this workspace, not managed here: ${counts}; archived services are in no list.`;
}

/** One item of a rendered plan: one change, or many equal changes of as many resources. */
export interface PlanEntry {
  readonly first: Change;
  /** Every change of the entry, `first` among them. */
  readonly changes: readonly Change[];
}

/** So many equal changes are told as one. */
const fewestGrouped = 4;

/**
 * Returns the items of a plan in reading order: losses and blocked changes, then alterations, then new resources; in each
 * of the three as people read a project. Equal changes that are no loss are one item.
 */
export function planEntries(plan: Plan): readonly PlanEntry[] {
  // The order follows from all of them, but most plans list none.
  if (!plan.changes.some((change) => isListed(change, plan))) return [];
  const listed = readingOrder(plan.changes).filter((change) => isListed(change, plan));
  const parts = [isLoss, isAlteration, isNew].map((isPart) => listed.filter(isPart));
  return parts.flatMap((part) => grouped(part, plan));
}

/** It ends something, or may not be applied as it stands: told first, and never left out. */
export const isLoss = ({ action, guard }: Change): boolean =>
  action === "delete" || action === "replace" || guard !== undefined;

const isNew = (change: Change): boolean => !isLoss(change) && change.action === "create";
const isAlteration = (change: Change): boolean => !isLoss(change) && change.action !== "create";

function grouped(changes: readonly Change[], plan: Plan): readonly PlanEntry[] {
  const equal = new Map<string, Change[]>();
  const keys = changes.map((change) => likeness(change, plan));
  for (const [i, change] of changes.entries()) {
    const key = keys[i];
    const group = key === undefined ? undefined : equal.get(key);
    if (group) group.push(change);
    else if (key !== undefined) equal.set(key, [change]);
  }
  return changes.flatMap((change, i): PlanEntry[] => {
    const group = equal.get(keys[i] ?? "") ?? [];
    if (group.length < fewestGrouped) return [{ first: change, changes: [change] }];
    return group[0] === change ? [{ first: change, changes: group }] : [];
  });
}

/** Equal for changes that read the same but for whose they are; undefined for one that is told by itself. */
function likeness(change: Change, plan: Plan): string | undefined {
  const { type, action, effects, cost, missing, previousAddress } = change;
  if (isLoss(change) || previousAddress !== undefined || missing) return undefined;
  // A new resource is told by its own fields; a run has none.
  if (action === "create" && change.reason === undefined) return undefined;
  const fields = listedFields(change, plan).map(({ path, before, after, cause }) => [
    path,
    before,
    after,
    cause,
  ]);
  const bill = cost && [cost.before, cost.after];
  return JSON.stringify([type, action, commonReason(change), fields, effects, bill]);
}

/** Why it is done, with an ellipsis for the name that it shares with its own address: `service.… changes`. */
export const commonReason = ({ address, reason }: Change): string | undefined =>
  nameOf(address) === "" ? reason : reason?.replaceAll(nameOf(address), "…");

const mostNamed = 3;

/** Resources that could not be read; and secrets whose text, or whose fingerprint's key, was not there. */
export const unreadIn = ({ unchecked }: Pick<Plan, "unchecked">) => ({
  resources: unchecked.filter(({ attribute }) => attribute === undefined),
  values: unchecked.filter(({ attribute }) => attribute !== undefined),
});

/** The heading above secrets that a plan was made without. */
export const unreadHeading = (values: Plan["unchecked"]): string =>
  values.length === 1
    ? "This run cannot read 1 value, so it was not compared. Apply reads it, and applies it if it changed:"
    : `This run cannot read ${values.length} values, so they were not compared. Apply reads them, and applies those that changed:`;

/** How many values were revealed, and what became of them; undefined where it was not asked for. */
export function revealedLine({ revealed }: Pick<Plan, "revealed">, equal: string): string | undefined {
  if (revealed === undefined) return undefined;
  const { length } = revealed;
  if (length === 0) return "No value had to be revealed.";
  const same = revealed.filter(({ isEqual }) => isEqual).length;
  const parts = [
    ...(same > 0 ? [`${same} ${same === 1 ? "is" : "are"} ${equal}`] : []),
    ...(same < length ? [`${length - same} ${length - same === 1 ? "is" : "are"} not`] : []),
  ];
  return `${length === 1 ? "1 value was" : `${length} values were`} revealed to compare ${length === 1 ? "it" : "them"} (the service keeps an audit event of each): ${parts.join(", ")}.`;
}

export const asDeclared = "as declared and not written";
export const asRecorded = "as recorded";

/** Groups unread resources by reason: a row for each, or for many with one reason a row that names the first of them. */
export function uncheckedByReason(
  unchecked: Plan["unchecked"],
  shown: (address: Address) => string,
): { readonly addresses: string; readonly reason: string }[] {
  const groups = new Map<string, Address[]>();
  for (const { address, reason } of unchecked) {
    const group = groups.get(reason);
    if (group) group.push(address);
    else groups.set(reason, [address]);
  }
  return [...groups].flatMap(([reason, addresses]) =>
    addresses.length <= mostNamed
      ? addresses.map((address) => ({ addresses: shown(address), reason }))
      : [{ addresses: shortList(addresses.map(shown), mostNamed), reason }],
  );
}

/** The same as two columns of text. */
export const uncheckedRows = (unchecked: Plan["unchecked"]): string[][] =>
  uncheckedByReason(unchecked, escapeText).map(({ addresses, reason }) => [
    `  ${addresses}`,
    escapeText(reason),
  ]);

const longestSummary = 300;

/** The summary of a standing with its time, on one line and not escaped. */
export const standingPhrase = ({ summary, since }: Standing): string =>
  `${shorten(summary, longestSummary)}${since === undefined ? "" : ` (${exactTime(since)})`}`;

/** One row for each: address and phrase, for text. */
export const standingRows = (standing: readonly PlanStanding[]): string[][] =>
  addressesInReadingOrder(standing).map((one) => [
    `  ${escapeText(one.address)}`,
    escapeText(standingPhrase(one)),
  ]);

/** `1,050`, `7.50`, `-3`. */
export const amount = (value: number): string => {
  const [whole = "0", cents] = (
    Number.isInteger(value) ? String(Math.abs(value)) : Math.abs(value).toFixed(2)
  ).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${value < 0 ? "-" : ""}${grouped}${cents === undefined ? "" : `.${cents}`}`;
};

/** The same with a `+` for more. */
export const signed = (value: number): string => `${value > 0 ? "+" : ""}${amount(value)}`;

/** `USD 7 -> 14, NGN 10,500 -> 21,000`, with `difference` also `(+7)`; a currency that stays has no arrow. */
export function moneyChange(before: Money, after: Money, arrow: string, difference = false): string {
  const one = (currency: "usd" | "ngn") => {
    const name = currency.toUpperCase();
    const [from, to] = [before[currency], after[currency]];
    if (from === to) return `${name} ${amount(to)}`;
    return `${name} ${amount(from)} ${arrow} ${amount(to)}${difference ? ` (${signed(to - from)})` : ""}`;
  };
  return `${one("usd")}, ${one("ngn")}`;
}

export const sameMoney = (a: Money, b: Money): boolean => a.usd === b.usd && a.ngn === b.ngn;

/** `construct shop/front/web, in project.shop`. */
export const constructPhrase = ({ path, in: parent }: NonNullable<Change["construct"]>): string =>
  parent === undefined ? `construct ${path}` : `construct ${path}, in ${parent}`;

const differenceWords: Readonly<Record<PlanDifference["kind"], string>> = {
  new: "would change now, and was not reviewed",
  gone: "was reviewed, and no longer needs to change",
  other: "would change in another way than was reviewed",
  value: "has another value than was reviewed",
};

/** Lines of a list before the rest is counted. */
const mostDifferences = 40;

/** Lists where a plan differs from the reviewed one. */
export function differenceText(differences: readonly PlanDifference[]): string {
  const lines = differences
    .slice(0, mostDifferences)
    .map(({ address, kind }) => `- ${codeSpan(address)} ${differenceWords[kind]}`);
  const left = differences.length - lines.length;
  return [...lines, ...(left > 0 ? [`- and ${counted(left, "more difference")}`] : [])].join("\n");
}

/** The same in one line, for a message. */
export const differenceLine = (differences: readonly PlanDifference[]): string =>
  shortList(
    differences.map(({ address, kind }) => `${address} ${differenceWords[kind]}`),
    5,
  );
