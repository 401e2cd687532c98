import type { Effect } from "../model/resource-type";
import { shortList } from "../model/text";
import { changesRecordOnly } from "../plan/decision";
import type { Action, AttributeChange, Change, ChangeCause, Plan, PlanOptions } from "../plan/plan";
import { inertString, inertText, shorten } from "./inert";

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

/** Live fields are neither as recorded nor as declared. */
export const isChangedOutside = (change: Change): boolean => (change.drift ?? []).length > 0;

/** Whether the plan shows it: what it does, and in a refresh-only plan what it records. */
export const isListed = (change: Change, plan: Plan): boolean =>
  change.action !== "no-op" || (plan.options.mode === "refresh-only" && isChangedOutside(change));

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

/** What becomes of a resource, to stand after its address: `will be created`. */
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

/** The same for what the manifest asks for and nobody applied. */
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

/** Something would be written by applying the plan, if only to the state. */
export const hasChanges = (plan: Plan): boolean =>
  plan.changes.some((change) => isListed(change, plan) || change.previousAddress !== undefined) ||
  plan.outputs.length > 0;

/** Something stands in the way of it: apply refuses. */
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
    const [, noun = ""] = counted(2, inertText(type)).split(/ (.*)/);
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

/** What no count of things that are not managed can hold. */
const unlisted = "; archived services are in no list";

const mostNamed = 5;
const longestName = 60;

/** `2 services ("cron", "mail"), 1 project ("Old")`, the most numerous first; of many only the first are named. */
export function unmanagedText(unmanaged: Plan["unmanaged"]): string {
  const names = new Map<string, string[]>();
  for (const { type, name } of unmanaged) names.set(type, [...(names.get(type) ?? []), name]);
  return [...names]
    .sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))
    .map(
      ([type, all]) =>
        `${counted(all.length, inertText(type))} (${shortList(
          all.map((name) => inertString(shorten(name, longestName))),
          mostNamed,
        )})`,
    )
    .join(", ")
    .concat(unlisted);
}
