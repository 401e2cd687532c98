import { groupBy } from "../model/collections";
import { keptRuns } from "../model/history";
import { type Check, isCondition } from "../model/policy";
import type { Effect, Money } from "../model/resource-type";
import { shortList } from "../model/wording";
import { changesRecordOnly } from "../plan/decision";
import {
  type Change,
  hasChanges,
  isChangedOutside,
  isListed,
  isRun,
  type Plan,
  type PlanOptions,
} from "../plan/plan";
import type { PlanDifference } from "../plan/plan-record";
import { codeSpan } from "./escape-text";

/**
 * Names the checks of a plan and counts the results: `Policies: 3 passed, 1 failed`. A policy counts once however many
 * resources it is for, a condition for each resource; `Checks` where there are both.
 */
export function checkWords(checks: readonly Check[]) {
  const bySubject = groupBy(checks, (check) => (isCondition(check) ? check : check.policy));
  const statuses = Object.keys(checkStatusWords);
  const worst = [...bySubject.values()].map((own) =>
    statuses.findLast((one) => own.some(({ status }) => status === one)),
  );
  const counts = countEach(checkStatusWords, worst);
  const conditions = checks.filter(isCondition).length;
  const title = conditions === 0 ? "Policies" : conditions === checks.length ? "Conditions" : "Checks";
  return { title, counts };
}

/** Results of a check, the worst last. */
export const checkStatusWords: Readonly<Record<Check["status"], string>> = {
  passed: "passed",
  overridden: "overridden",
  failed: "failed",
  error: "could not be evaluated",
};

/** Says how a resource changes, to stand after its address: `will be created`. */
export function actionPhrase(
  change: Partial<Change> & Pick<Change, "action" | "attributes" | "onRemove">,
): string {
  switch (change.action) {
    case "create":
      if (change.missing) return "will be created again";
      return isRun(change) ? "will run" : "will be created";
    case "update":
      if (changesRecordOnly(change)) return "will be updated in the state, and not on the platform";
      if (change.restores) return "will be restored";
      return isRun(change) ? "will run again" : "will be updated in place";
    case "replace":
      return "must be replaced";
    case "delete":
      return change.onRemove === "archive" ? "will be archived" : "will be destroyed";
    case "adopt":
      return change.attributes.length > 0 ? "will be imported and updated in place" : "will be imported";
    case "forget":
      return change.missing ? "will be forgotten" : "will no longer be managed";
    case "no-op":
      if (isChangedOutside(change)) return "has changed outside rnv";
      return change.previousAddress ? `has moved from ${change.previousAddress}` : "has not changed";
  }
}

export const effectWords: Readonly<Record<Effect, string>> = {
  deploys: "deploys",
  restarts: "restarts",
  billing: "changes the bill",
  destructive: "destructive",
};

export const planHeadings: Readonly<Record<PlanOptions["mode"], string>> = {
  apply: "rnv will perform the following actions:",
  destroy: "rnv will destroy what this state records:",
  "refresh-only": "rnv will record what changed outside it, and change nothing on the platform:",
};

const nothingToDo: Readonly<Record<PlanOptions["mode"], string>> = {
  apply: "No changes. Your infrastructure matches the configuration.",
  destroy: "No changes. No objects need to be destroyed.",
  "refresh-only": "No changes. Your infrastructure still matches the configuration.",
};

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
    countList(Object.entries({ "to record": recorded, "to import": adopt })),
    `${add} to add, ${change} to change, ${destroy} to destroy`,
    countList([["to forget", forget]]),
  ];
  return `Plan: ${parts.filter((part) => part !== "").join(", ")}.`;
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Counts equal nouns: `2 services`, `1 project`; in the order of the first of each. */
export const countNouns = (nouns: readonly string[]): readonly string[] =>
  [...groupBy(nouns, (noun) => noun)].map(([noun, { length }]) => counted(length, noun));

/** Renders the counts above zero: `2 to add, 1 to destroy`. */
export const countList = (counts: readonly (readonly [words: string, count?: number])[]): string =>
  counts.flatMap(([words, count = 0]) => (count > 0 ? [`${count} ${words}`] : [])).join(", ");

export const countEach = (words: Readonly<Record<string, string>>, keys: readonly unknown[]): string =>
  countList(Object.entries(words).map(([key, text]) => [text, keys.filter((one) => one === key).length]));

/** `10,500` and `7.50`; without `toLocaleString`, which loads the data of all languages. */
const amount = (value: number): string =>
  value.toFixed(Number.isInteger(value) ? 0 : 2).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ",");

/** `USD 7 -> 14, NGN 10,500 -> 21,000`. A currency that stays has no arrow; `isNoted` adds ` (+7)` to the others. */
export function moneyChange(before: Money, after: Money, arrow: string, isNoted = false): string {
  const texts = (["usd", "ngn"] as const).map((currency) => {
    const [name, from, to] = [currency.toUpperCase(), before[currency], after[currency]];
    if (from === to) return `${name} ${amount(to)}`;
    const note = isNoted ? ` (${to > from ? "+" : ""}${amount(to - from)})` : "";
    return `${name} ${amount(from)} ${arrow} ${amount(to)}${note}`;
  });
  return texts.join(", ");
}

const differenceWords: Readonly<Record<PlanDifference["kind"], string>> = {
  new: "would change now, and was not reviewed",
  gone: "was reviewed, and no longer needs to change",
  other: "would change in another way than was reviewed",
  value: "has another value than was reviewed",
  unblocked: "was blocked in the review, and is confirmed now",
  applied: "was applied already, or other changes were applied after it",
  forgotten: `was reviewed before the ${keptRuns} runs that the state remembers`,
  declared: "is not as it was: it is declared in another way",
  live: "is not as it was: it changed on the platform",
  cost: "is not as it was: its cost changed",
  dependsOn: "is not as it was: it depends on other resources",
  lineage: "was made from another state",
  serial: "was made before the last change of the state",
  workspaceId: "was made for another workspace",
  baseUrl: "was made for another base URL",
  somewhere:
    "differs from the reviewed one, whose comment had no room for each change: an edit, or a run that stopped half-way",
};

const mostDifferences = 40;

export function differenceText(differences: readonly PlanDifference[]): string {
  const lines = differences
    .slice(0, mostDifferences)
    .map(({ address, kind }) => `- ${codeSpan(address)} ${differenceWords[kind]}`);
  const left = differences.length - lines.length;
  return [...lines, ...(left > 0 ? [`- and ${counted(left, "more difference")}`] : [])].join("\n");
}

export const remedyText = ({ digest, stage }: Plan, pullWord: string, pullRequest?: number): string =>
  `Open a ${pullWord} from today's main (an empty commit will do), or review the plan as it is now and run this job by hand with its digest: \`rnv ci apply ${pullRequest === undefined ? "" : `--pull-request ${pullRequest} `}${stage ? `--stage ${stage} ` : ""}--expect-digest ${digest}\``;

export const differenceLine = (differences: readonly PlanDifference[]): string =>
  shortList(differences.map(({ address, kind }) => `${address} ${differenceWords[kind]}`));
