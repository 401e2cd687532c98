import type { Money } from "../../model/resource-type";
import type { Plain } from "../../model/value";
import type { AttributeChange, Change, Plan, ShownValue } from "../plan";
import { defineView } from "./view";

/** What costs nothing, or is not known to cost anything. */
const nothing: Money = { usd: 0, ngn: 0 };

const amounts = defineView<Money>("Money", {
  usd: ["double", ({ usd }) => usd],
  ngn: ["double", ({ ngn }) => ngn],
});

/** An amount in each currency. */
export const moneyValue = (money: Money | null | undefined): object => amounts.of(money ?? nothing);

const cost = defineView<Change["cost"]>("Cost", {
  before: ["Money", (found) => moneyValue(found?.before)],
  after: ["Money", (found) => moneyValue(found?.after)],
});

const field = defineView<AttributeChange>("Field", {
  path: ["string", ({ path }) => path],
  cause: ["string", (change) => change.cause],
  before: ["dyn", ({ before }) => sideValue(before)],
  after: ["dyn", ({ after }) => sideValue(after)],
});

/** A resource of another one, as far as a plan says what it is: no value of a secret. */
export const partView = defineView<Change>("Part", {
  address: ["string", ({ address }) => address],
  type: ["string", ({ type }) => type],
  name: ["string", ({ name }) => name],
  action: ["string", ({ action }) => action],
  source: ["string", sourceOf],
});

/** A change of the plan. */
export const changeView = defineView<{ readonly change: Change; readonly stage: string }>("Change", {
  address: ["string", ({ change }) => change.address],
  type: ["string", ({ change }) => change.type],
  name: ["string", ({ change }) => change.name],
  action: ["string", ({ change }) => change.action],
  stage: ["string", ({ stage }) => stage],
  declared: ["bool", ({ change }) => change.instance.desired !== undefined],
  removed: ["bool", ({ change }) => change.isRemovalDeclared === true],
  reason: ["string", ({ change }) => change.reason ?? ""],
  effects: ["list<string>", ({ change }) => change.effects],
  cost: ["Cost", ({ change }) => cost.of(change.cost)],
  fields: ["list<Field>", ({ change }) => change.attributes.map(field.of)],
});

const summary = defineView<Plan["summary"]>("Summary", {
  add: ["int", ({ add }) => BigInt(add)],
  change: ["int", ({ change }) => BigInt(change)],
  destroy: ["int", ({ destroy }) => BigInt(destroy)],
  adopt: ["int", ({ adopt }) => BigInt(adopt)],
  forget: ["int", ({ forget }) => BigInt(forget)],
});

const totalCost = defineView<Plan["cost"]>("TotalCost", {
  before: ["Money", ({ before }) => moneyValue(before)],
  after: ["Money", ({ after }) => moneyValue(after)],
  increase: [
    "Money",
    ({ before, after }) => moneyValue({ usd: after.usd - before.usd, ngn: after.ngn - before.ngn }),
  ],
});

/** The plan as a whole, with the objects of its changes. */
export const planView = defineView<{
  readonly plan: Plan;
  readonly stage: string;
  readonly changes: readonly object[];
}>("Plan", {
  mode: ["string", ({ plan }) => plan.options.mode],
  stage: ["string", ({ stage }) => stage],
  workspace: ["string", ({ plan }) => plan.binding.workspaceId],
  summary: ["Summary", ({ plan }) => summary.of(plan.summary)],
  cost: ["TotalCost", ({ plan }) => totalCost.of(plan.cost)],
  changes: ["list<Change>", ({ changes }) => changes],
  unmanaged: ["int", ({ plan }) => BigInt(plan.unmanaged.length)],
});

/** The objects that an expression finds in lists and fields of any scope, those that others hold first. */
export const memberViews = [
  amounts,
  cost,
  field,
  partView,
  changeView,
  summary,
  totalCost,
  planView,
] as const;

function sourceOf({ instance }: Change): string {
  for (const { source } of instance.desired?.attributes.values() ?? [])
    if (source !== undefined) return source;
  return "";
}

const sideValue = (side: ShownValue): unknown =>
  side.kind === "value" ? celValue(side.value) : side.kind === "absent" ? null : `(${side.kind})`;

/** Whole numbers are whole in CEL, too. */
export function celValue(value: Plain | undefined): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(celValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member as Plain)]));
}
