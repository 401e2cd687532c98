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

const id = "3f2a9d10-5c1e-4b7e-9a51-0d6c2f1e8b44";

/** One of everything, as a real shop would have it. */
export const shopPlan: Plan = plan(
  [
    change("create", "deployment.shop.api", {
      liveName: "api",
      dependsOn: [address("service.shop.api"), address("variable.shop.api.LOG_LEVEL")],
      reason: "service.shop.api changes",
      attributes: [field("serviceId", absent, value(id))],
      effects: ["deploys"],
    }),
    change("adopt", "project.shop", {
      id: "0b5c8e34-2f6d-4f1c-8f0a-6f2f4f0e7a11",
      liveName: "Shop",
      attributes: [field("description", value(""), value("Online shop"), { cause: "take-over" })],
    }),
    change("update", "service.shop.api", {
      id,
      dependsOn: [address("project.shop")],
      attributes: [
        field("configuration.branch", value("main"), value("release")),
        field("configuration.plan", value("free"), value("starter"), { cause: "drift" }),
        field("configuration.port", value(8080), value(8000), { cause: "removed" }),
        field(
          "configuration.buildCommand",
          value("npm ci && npm run build"),
          value("npm ci && npm run build -- --production"),
        ),
        field("configuration.includePaths", value(["src/**"]), value(["src/**", "package.json"])),
      ],
      released: [field("configuration.region", value("eu"), value("auto"), { cause: "released" })],
      effects: ["deploys", "billing"],
      cost: { before: noMoney, after: { usd: 7, ngn: 10500 } },
    }),
    change("replace", "service.shop.docs", {
      id: "9e1d3c55-7d0e-4e57-8a86-92a6f1f0c0aa",
      attributes: [field("kind", value("web"), value("static"), { forcesReplacement: true })],
      effects: ["destructive"],
      blockedBy: {
        code: "guard.delete_unconfirmed",
        summary: "service.shop.docs would be destroyed, and that is not confirmed",
        hint: "--confirm-delete service.shop.docs",
      },
    }),
    change("delete", "service.shop.worker", {
      id: "51c5a0b8-8e13-4b53-bf85-0f4ff8f1f2c3",
      liveName: "Old worker",
      effects: ["destructive", "billing"],
      cost: { before: { usd: 7, ngn: 10500 }, after: null },
    }),
    change("create", "variable.shop.api.LOG_LEVEL", {
      dependsOn: [address("service.shop.api")],
      attributes: [field("serviceId", absent, value(id)), field("value", absent, secret)],
    }),
    change("update", "variable.shop.api.WORKER_HOST", {
      id: "aa",
      dependsOn: [address("service.shop.api")],
      attributes: [field("value", secret, unknown)],
    }),
    change("delete", "variable.shop.worker.TOKEN", { withParent: true }),
    change("delete", "variable.shop.worker.URL", { withParent: true }),
    change("forget", "service.legacy", { id: "77", onRemove: "retain" }),
    change("no-op", "service.shop.cron", {
      released: [
        field("configuration.schedule", value("0 1 * * *"), value("0 * * * *"), { cause: "released" }),
      ],
    }),
    change("no-op", "service.shop.web", { previousAddress: address("service.shop.site") }),
  ],
  {
    summary: { add: 3, change: 3, destroy: 4, adopt: 1, forget: 1 },
    outputs: [{ name: "apiUrl", before: absent, after: unknown }],
    unmanaged: [
      { type: "service", id: "1", name: "x" },
      { type: "service", id: "2", name: "y" },
      { type: "project", id: "3", name: "z" },
    ],
    unchecked: [
      { address: address("variable.shop.api.WORKER_HOST"), reason: "the platform does not list variables" },
    ],
    cost: { before: { usd: 7, ngn: 10500 }, after: { usd: 14, ngn: 21000 }, estimate: true },
    diagnostics: [
      {
        severity: "warning",
        code: "plan.live_changed_too",
        summary: "configuration.branch of service.shop.api had changed outside rnv too",
        range: { file: "rnv.yaml", start: 22, end: 29 },
        hint: 'live is "main"',
      },
    ],
  },
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
