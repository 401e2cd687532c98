import * as z from "zod";
import type { Address } from "../model/address";
import { findingSchema } from "../model/apply-event";
import type { Plain } from "../model/value";
import { planDocument } from "../plan/document";
import type { Action, AttributeChange, Change, Plan, ShownValue } from "../plan/plan";
import { escapeJson } from "./escape-text";

/** Writes `plan -json`: one document in the shape of Terraform's `show -json`, plus fields of rnv's own (DESIGN section 8). */
export const planJson = (plan: Plan, sources?: ReadonlyMap<string, string>): string =>
  `${escapeJson(planDocument(plan, new Map(), sources), 2)}\n`;

type ResourceChange = PlanDocument["resource_changes"][number];
type PlanField = ResourceChange["attributes"][number];

/**
 * Reads a plan back from its document, to show it (`show FILE`). It cannot be applied: the instances of its changes are
 * empty. Undefined when the document is not a plan.
 */
export function planFromDocument(document: unknown): Plan | undefined {
  const { data } = planDocumentSchema.safeParse(document);
  return data && planOf(data);
}

/** The plan of a document that was parsed. */
export function planOf(data: PlanDocument): Plan {
  const drift = new Map(data.resource_drift.map((entry) => [entry.address, entry]));
  return {
    options: {
      mode: data.options.mode,
      targets: data.options.targets,
      excludes: data.options.excludes,
      replace: data.options.replace,
      adopt: data.options.adopt,
      allowEmpty: data.options.allow_empty,
      confirmedDeletes: data.options.confirmed_deletes,
      ...(data.options.confirmed_consumers && { confirmedConsumers: data.options.confirmed_consumers }),
    },
    changes: data.resource_changes.map((change) => changeOf(change, drift.get(change.address))),
    outputs: Object.entries(data.output_changes).map(([name, output]) => ({
      name,
      before: sideOf(output.before, output.before_sensitive, false, output.actions.includes("create")),
      after: sideOf(
        output.after,
        output.after_sensitive,
        output.after_unknown,
        output.actions.includes("delete"),
      ),
    })),
    plannedOutputs: Object.fromEntries(
      Object.entries(data.planned_values.outputs).map(([name, { sensitive, value }]) => [
        name,
        sideOf(value ?? null, sensitive, value === undefined, false),
      ]),
    ),
    stage: data.stage,
    timestamp: data.timestamp,
    digest: data.digest,
    summary: data.summary,
    unmanaged: data.unmanaged,
    standing: data.standing ?? [],
    unchecked: data.unchecked,
    revealed: data.revealed?.map(({ is_equal: isEqual, ...rest }) => ({ ...rest, isEqual })),
    cost: data.cost,
    ...(data.checks && { checks: data.checks }),
    diagnostics: data.diagnostics,
    binding: data.binding,
  };
}

function changeOf(change: ResourceChange, drift: PlanDocument["resource_drift"][number] | undefined): Change {
  return {
    address: change.address,
    type: change.type,
    action: actionOf(change),
    id: change.id,
    name: change.live_name,
    previousAddress: change.previous_address,
    construct: change.construct,
    attributes: change.attributes.map(fieldOf),
    released: change.released.map(fieldOf),
    lifecycle: change.lifecycle?.map(fieldOf),
    drift: (drift?.attributes ?? []).map(fieldOf),
    missing: drift?.change.actions[0] === "delete" || undefined,
    reason: change.reason,
    effects: change.effects,
    references: change.references,
    dependsOn: change.depends_on,
    deletesAfter: change.deletes_after,
    ...(change.removal_declared && { isRemovalDeclared: true as const }),
    withParent: change.with_parent,
    onRemove: change.on_remove,
    guard: change.blocked_by,
    cost: change.cost,
    binding: change.binding,
    instance: { resolved: new Map(), defaults: new Map(), fingerprints: {} },
  };
}

/** Terraform writes a replacement as two actions, and an import beside the action. */
function actionOf({ change }: ResourceChange): Action {
  if (change.importing) return "adopt";
  return change.actions.length > 1 ? "replace" : (change.actions[0] ?? "no-op");
}

const fieldOf = (field: PlanField): AttributeChange => ({
  path: field.path,
  before: field.before,
  after: field.after,
  cause: field.cause,
  forcesReplacement: field.forces_replacement,
  from: field.from,
  isPlacement: field.placement,
  range: field.range,
});

function sideOf(value: Plain, isSecret: boolean, isUnknown: boolean, isAbsent: boolean): ShownValue {
  if (isAbsent) return { kind: "absent" };
  if (isSecret) return { kind: "secret" };
  return isUnknown ? { kind: "unknown" } : { kind: "value", value };
}

export const json = z.json();
/** An address as a schema: any text, which a reader does not take apart. */
export const addressSchema = z.string() as unknown as z.ZodType<Address>;

const attributes = z.record(z.string(), json);
const effect = z.enum(["deploys", "restarts", "billing", "destructive"]);
const money = z.strictObject({ usd: z.number(), ngn: z.number() });
const range = z
  .strictObject({
    file: z.string(),
    start: z.int().min(0),
    end: z.int().min(0),
    line: z.int().min(1).optional().describe("The line that it starts in, from 1."),
  })
  .describe("Half-open range of character offsets.");

/** One side of a field: a secret, an unknown and an absent value have no text. */
const shown = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("value"), value: json }),
  z.strictObject({ kind: z.enum(["absent", "secret", "unknown"]) }),
]);

/** A field of a change, with its two sides. */
export const fieldSchema = z.strictObject({
  path: z.string().describe("Attribute path: `configuration.branch`."),
  cause: z.enum(["edit", "drift", "removed", "take-over", "released"]),
  before: shown,
  after: shown,
  forces_replacement: z.boolean(),
  from: z
    .array(z.string())
    .optional()
    .describe(
      "Of an `edit` without an edit of the manifest: what it refers to, which the service has changed.",
    ),
  placement: z.literal(true).optional(),
  range: range.optional(),
});

const sides = {
  actions: z.array(z.enum(["no-op", "create", "update", "delete", "forget"])),
  before: attributes.nullable(),
  after: attributes.nullable(),
  after_unknown: attributes,
  before_sensitive: attributes,
  after_sensitive: attributes,
};

const place = {
  address: addressSchema.describe("`service.shop.api`"),
  mode: z.literal("managed"),
  type: z.string(),
  name: z.string().describe("The address without its type."),
};

const resourceChange = z.strictObject({
  ...place,
  previous_address: addressSchema.optional(),
  construct: z
    .strictObject({ path: z.string(), in: z.string().optional() })
    .optional()
    .describe("The construct that declares it, and the project or service that it goes to."),
  change: z.strictObject({
    ...sides,
    importing: z.strictObject({ id: z.string() }).optional(),
    replace_paths: z.array(z.array(z.string())).optional(),
  }),
  action_reason: z.string().optional(),
  reason: z.string().optional().describe("Why it is done, for people."),
  id: z.string().optional(),
  live_name: z.string().describe("What a deletion confirms."),
  attributes: z.array(fieldSchema),
  released: z.array(fieldSchema).describe("Fields that differ and are left as they are."),
  lifecycle: z
    .array(fieldSchema)
    .optional()
    .describe("What the state keeps besides fields; none of it is sent."),
  effects: z.array(effect),
  cost: z.strictObject({ before: money.nullable(), after: money.nullable() }).optional(),
  blocked_by: z
    .strictObject({
      code: z.enum([
        "guard.prevent_destroy",
        "guard.delete_unconfirmed",
        "guard.name_changed",
        "guard.holds_others",
        "guard.consumers",
      ]),
      summary: z.string(),
      hint: z.string(),
    })
    .optional(),
  references: z
    .array(addressSchema)
    .optional()
    .describe("What its values refer to and its `dependsOn` names, besides its parent."),
  depends_on: z.array(addressSchema),
  deletes_after: z.array(addressSchema).optional(),
  removal_declared: z.literal(true).optional().describe("The manifest declares its deletion: `removed`."),
  parent: addressSchema.optional(),
  with_parent: z.boolean(),
  on_remove: z.enum(["delete", "archive", "retain"]),
  binding: z
    .strictObject({ id: z.string(), updatedAt: z.string().nullable(), digest: z.string() })
    .nullable(),
  declared_digest: z.string().optional(),
  unbound_values: z.array(z.string()).optional(),
});

const output = z.strictObject({
  actions: z.array(z.enum(["create", "update", "delete"])),
  before: json,
  after: json,
  after_unknown: z.boolean(),
  before_sensitive: z.boolean(),
  after_sensitive: z.boolean(),
});

/** Where something managed stands when it does not run as it was deployed last. */
export const standingSchema = z.strictObject({
  address: addressSchema,
  code: z.enum([
    "held",
    "awaiting_checkout",
    "failed",
    "cancelled",
    "waiting",
    "deploying",
    "rolled_back",
    "older_release",
    "suspended",
  ]),
  class: z
    .enum(["pending", "running"])
    .describe("`pending`: what was asked for last has not been done. `running`: said, never a failure."),
  summary: z.string(),
  since: z.string().optional().describe("ISO 8601."),
});

/** One secret that was revealed to be compared. */
export const revealedValue = z.strictObject({
  address: addressSchema,
  attribute: z.string(),
  is_equal: z.boolean(),
});

/** The result of a policy. */
const checkSchema = z.strictObject({
  policy: z.string(),
  level: z.enum(["advisory", "overridable", "mandatory"]),
  status: z.enum(["passed", "failed", "overridden", "error"]),
  address: addressSchema.optional(),
  message: z.string().optional(),
  range: range.optional(),
});

/** The plan document that `planDocument` makes and `planFromDocument` reads. */
export const planDocumentSchema = z.strictObject({
  format_version: z.literal("1.2"),
  stage: z
    .string()
    .optional()
    .describe("The stage that the plan is about: `preview/12`; absent without stages."),
  timestamp: z.iso.datetime().optional().describe("When the plan was made."),
  applyable: z.boolean(),
  errored: z.boolean(),
  digest: z
    .string()
    .optional()
    .describe(
      "SHA-256 over what changes; the same wherever the same would be done: `apply --expect-digest`.",
    ),
  planned_values: z
    .strictObject({
      outputs: z.record(z.string(), z.strictObject({ sensitive: z.boolean(), value: json.optional() })),
      root_module: z.strictObject({
        resources: z.array(z.strictObject({ ...place, values: attributes, sensitive_values: attributes })),
      }),
    })
    .describe("What there is once the plan is applied: unknown values are left out, secrets are null."),
  resource_changes: z.array(resourceChange),
  resource_drift: z.array(
    z.strictObject({ ...place, change: z.strictObject(sides), attributes: z.array(fieldSchema) }),
  ),
  output_changes: z.record(z.string(), output),
  summary: z.strictObject({
    add: z.int(),
    change: z.int(),
    destroy: z.int(),
    adopt: z.int(),
    forget: z.int(),
  }),
  cost: z.strictObject({ before: money, after: money, estimate: z.boolean() }),
  unmanaged: z.array(z.strictObject({ type: z.string(), id: z.string(), name: z.string() })),
  standing: z
    .array(standingSchema)
    .optional()
    .describe("What of the managed does not run as it was deployed last."),
  unchecked: z.array(
    z.strictObject({ address: addressSchema, attribute: z.string().optional(), reason: z.string() }),
  ),
  revealed: z.array(revealedValue).optional(),
  checks: z
    .array(checkSchema)
    .optional()
    .describe("Results of policies: one for each that passed, and for each failure."),
  diagnostics: z.array(findingSchema({ range: range.optional() })),
  options: z.strictObject({
    mode: z.enum(["apply", "destroy", "refresh-only"]),
    targets: z.array(addressSchema),
    excludes: z.array(addressSchema),
    replace: z.array(addressSchema),
    adopt: z.boolean(),
    allow_empty: z.boolean(),
    confirmed_deletes: z.array(addressSchema),
    confirmed_consumers: z.array(addressSchema).optional(),
  }),
  binding: z.strictObject({
    lineage: z.string().nullable(),
    serial: z.int(),
    workspaceId: z.string(),
    baseUrl: z.string(),
  }),
});

export type PlanDocument = z.infer<typeof planDocumentSchema>;
