import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Address } from "../../src/model/address";
import type { Plain } from "../../src/model/value";
import type { AttributeChange, Change, Plan, PlannedInstance, ShownValue } from "../../src/plan/plan";

export const address = (text: string): Address => text as Address;

export const value = (plain: Plain): ShownValue => ({ kind: "value", value: plain });
export const absent: ShownValue = { kind: "absent" };
export const secret: ShownValue = { kind: "secret" };
export const unknown: ShownValue = { kind: "unknown" };

export const field = (
  path: string,
  before: ShownValue,
  after: ShownValue,
  rest: Partial<AttributeChange> = {},
): AttributeChange => ({ path, before, after, cause: "edit", forcesReplacement: false, ...rest });

/** A change with its instance, which `plan` takes to the instances of the plan. */
export type FixedChange = Change & { readonly instance?: PlannedInstance };

export const change = (
  action: Change["action"],
  at: string,
  rest: Omit<Partial<FixedChange>, "action" | "address"> = {},
): FixedChange => ({
  address: address(at),
  type: at.slice(0, at.indexOf(".")),
  action,
  liveName: at.slice(at.lastIndexOf(".") + 1),
  attributes: [],
  released: [],
  effects: at.startsWith("deployment.") && rest.reason !== undefined ? ["deploys"] : [],
  dependsOn: [],
  withParent: false,
  onRemove: "delete",
  binding: null,
  parent: (rest.instance?.desired ?? rest.instance?.recorded)?.parent,
  range: rest.instance?.desired?.range,
  ...rest,
});

const instancesOf = (changes: readonly FixedChange[]): Plan["instances"] =>
  new Map(changes.flatMap(({ address, instance }) => (instance ? [[address, instance]] : [])));

const options: Plan["options"] = {
  ...{ mode: "apply", targets: [], excludes: [], replace: [], confirmedDeletes: [] },
  ...{ adopt: false, allowEmpty: false },
};

const noMoney = { usd: 0, ngn: 0 };

export const plan = (changes: readonly FixedChange[], rest: Partial<Plan> = {}): Plan => ({
  options,
  changes,
  instances: instancesOf(changes),
  outputs: [],
  plannedOutputs: {},
  summary: { add: 0, change: 0, destroy: 0, adopt: 0, forget: 0 },
  unmanaged: [],
  standing: [],
  unchecked: [],
  cost: { before: noMoney, after: noMoney, estimate: true },
  diagnostics: [],
  binding: { lineage: null, serial: 0, workspaceId: "w", baseUrl: "https://host.example/api/v1" },
  ...rest,
});

type ToldValue = ShownValue["kind"] | { readonly value: Plain };
type ToldField = readonly [
  path: string,
  before: ToldValue,
  after: ToldValue,
  rest?: Partial<AttributeChange>,
];

/** A change as `shop-plan.yaml` describes it. */
interface ToldChange extends Omit<Partial<Change>, "attributes" | "released"> {
  readonly action: Change["action"];
  readonly address: Address;
  readonly attributes?: readonly ToldField[];
  readonly released?: readonly ToldField[];
}

const shown = (told: ToldValue): ShownValue =>
  typeof told === "string" ? ({ kind: told } as ShownValue) : value(told.value);
const fieldsOf = (told: readonly ToldField[] = []): readonly AttributeChange[] =>
  told.map(([path, before, after, rest]) => field(path, shown(before), shown(after), rest));

const shop: { readonly changes: readonly ToldChange[]; readonly rest: Partial<Plan> } = parse(
  readFileSync(join(__dirname, "shop-plan.yaml"), "utf8"),
);

/** One of everything, as a real shop would have it. */
export const shopPlan: Plan = plan(
  shop.changes.map(({ action, address: at, attributes, released, ...rest }) =>
    change(action, at, { ...rest, attributes: fieldsOf(attributes), released: fieldsOf(released) }),
  ),
  shop.rest,
);

/** More entries than are shown unfolded, in two projects. */
export const manyPlan = plan([
  ...Array.from({ length: 12 }, (_, i) =>
    change("update", `service.shop.s${i}`, {
      attributes: [field("configuration.branch", value("main"), value(`release-${i}`))],
    }),
  ),
  change("update", "service.blog.web", {
    attributes: [field("configuration.plan", value("free"), value("starter"), { cause: "drift" })],
    references: [address("service.shop.s0")],
  }),
  change("create", "service.blog.jobs", { attributes: [field("kind", value(""), value("worker"))] }),
]);
