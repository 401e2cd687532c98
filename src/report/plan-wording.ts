import { nameOf } from "../model/address";
import { keptRuns } from "../model/history";
import { type Check, isCondition } from "../model/policy";
import type { Effect, Money } from "../model/resource-type";
import { compareTexts, shortList } from "../model/text";
import { changesRecordOnly } from "../plan/decision";
import type { PlanDifference } from "../plan/digest";
import {
  type AttributeChange,
  type Change,
  type ChangeCause,
  deedOf,
  hasChanges,
  isChangedOutside,
  isListed,
  isRun,
  type Plan,
  type PlanOptions,
} from "../plan/plan";
import { codeSpan, escapeText } from "./escape-text";
import { groupBy } from "./order";

/**
 * Names what a plan was judged by and counts the results: `Policies: 3 passed, 1 failed`. A policy counts once however
 * many resources it is for, a condition for each resource; `Checks` where there are both.
 */
export function checkWords(checks: readonly Check[]): {
  readonly title: "Policies" | "Conditions" | "Checks";
  readonly counts: string;
} {
  const bySubject = groupBy(checks, (check) => (isCondition(check) ? check : check.policy));
  const order = Object.keys(checkStatusWords);
  const worst = [...bySubject.values()].map((own) =>
    Math.max(...own.map(({ status }) => order.indexOf(status))),
  );
  const counts = countList(
    Object.values(checkStatusWords).map((word, i) => [worst.filter((one) => one === i).length, word]),
  );
  const conditions = checks.filter(isCondition).length;
  const title = conditions === 0 ? "Policies" : conditions === checks.length ? "Conditions" : "Checks";
  return { title, counts };
}

/** Results of a check, the worst last. */
export const checkStatusWords: Readonly<Record<Check["status"], string>> = {
  passed: "passed",
  overridden: "overridden",
  failed: "failed",
  error: "could not be judged",
};

/** The fields to show: what a change sends and leaves alone; in a refresh-only plan what it records. */
export const listedFields = (change: Change, plan: Plan): readonly AttributeChange[] =>
  plan.options.mode === "refresh-only"
    ? (change.drift ?? []).map((field) => ({ ...field, cause: "edit" as const }))
    : [
        ...change.attributes.filter(({ placement }) => !placement),
        ...change.released,
        ...(change.lifecycle ?? []),
      ];

/** The address already tells the name, or the name is among the fields shown. */
export const isNameTold = (change: Change): boolean =>
  change.liveName === "" || change.action === "create" || change.address.split(".").includes(change.liveName);

type Deed = Partial<Change> & Pick<Change, "action" | "attributes" | "onRemove">;

/** Says how a resource changes, to stand after its address: `will be created`. */
export function actionPhrase(change: Deed): string {
  switch (change.action) {
    case "create":
      if (change.missing) return "will be created again";
      return isRun(change) ? "will run" : "will be created";
    case "update":
      if (changesRecordOnly(change)) return "will be updated in the state, and not in the service";
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
    countList([
      [recorded, "to record"],
      [adopt, "to import"],
    ]),
    `${add} to add, ${change} to change, ${destroy} to destroy`,
    countList([[forget, "to forget"]]),
  ];
  return `Plan: ${parts.filter((part) => part !== "").join(", ")}.`;
}

/** `1 service`, `2 services`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}

export type Count = readonly [count: number, words: string];

/** `2 to add, 1 to destroy`: how much there is of each, without what there is none of. */
export const countList = (counts: readonly Count[]): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(", ");

/** How much of each type a plan makes, changes, ends and runs: `Deployments: 2 to run. Services: 1 to add.` */
export function countsOf(changes: readonly Change[]): string {
  const byType = [...groupBy(changes, ({ type }) => type)].sort(([a], [b]) => compareTexts(a, b));
  const sentences = byType.map(([type, own]) => {
    const words = own.flatMap((change) => (isRun(change) ? ["run"] : countedAs[deedOf(change)]));
    const countOf = (word: string): number => words.filter((one) => one === word).length;
    const parts = countList(countOrder.map((word) => [countOf(word), `to ${word}`]));
    const [, noun = ""] = counted(2, escapeText(type)).split(/ (.*)/);
    return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}: ${parts}.`;
  });
  return sentences.join(" ");
}

const countOrder = ["destroy", "archive", "change", "import", "forget", "record", "run", "add"] as const;

const countedAs: Readonly<Record<ReturnType<typeof deedOf>, readonly string[]>> = {
  ...{ create: ["add"], update: ["change"], replace: ["destroy", "add"], delete: ["destroy"] },
  ...{ archive: ["archive"], adopt: ["import"], forget: ["forget"], "no-op": ["record"] },
};

/** Why it is done, with an ellipsis for the name that it shares with its own address: `service.… changes`. */
export const commonReason = ({ address, reason }: Change): string | undefined =>
  nameOf(address) === "" ? reason : reason?.replaceAll(nameOf(address), "…");

/** `1,050`, `7.50`, `-3`. */
export const amount = (value: number): string =>
  value.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(value) ? 0 : 2,
    maximumFractionDigits: 2,
  });

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

/** `construct shop/front/web, in project.shop`. */
export const constructPhrase = ({ path, in: parent }: NonNullable<Change["construct"]>): string =>
  parent === undefined ? `construct ${path}` : `construct ${path}, in ${parent}`;

const differenceWords: Readonly<Record<PlanDifference["kind"], string>> = {
  new: "would change now, and was not reviewed",
  gone: "was reviewed, and no longer needs to change",
  other: "would change in another way than was reviewed",
  value: "has another value than was reviewed",
  unblocked: "was blocked in the review, and is confirmed now",
  applied: "was applied already, or other changes were applied after it",
  forgotten: `was reviewed before the ${keptRuns} runs that the state remembers`,
  somewhere: "differs from the reviewed one, whose comment had no room for each change to compare",
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

/** The ways to apply a plan that differs from the reviewed one. */
export const remedyText = (digest: string, pullRequest?: number): string =>
  `Open a pull request from today's main (an empty commit will do), or review the plan as it is now and run this workflow by hand with its digest: \`rnv ci apply ${pullRequest === undefined ? "" : `--pull-request ${pullRequest} `}--expect-digest ${digest}\``;

/** The same in one line, for a message. */
export const differenceLine = (differences: readonly PlanDifference[]): string =>
  shortList(
    differences.map(({ address, kind }) => `${address} ${differenceWords[kind]}`),
    5,
  );
