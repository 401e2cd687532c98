import * as z from "zod";
import type { Address } from "../model/address";
import { findingSchema } from "../model/apply-event";
import { standingSchema as standing } from "../model/live";
import type { Plain } from "../model/value";

export const json = z.json().meta({ id: "Json" }) as z.ZodType<Plain>;
/** An address as a schema: any text, which a reader does not take apart. */
export const addressSchema = z.string() as unknown as z.ZodType<Address>;

const attributes = z.record(z.string(), json);
export const actionSchema = z.enum(["create", "update", "replace", "delete", "adopt", "forget", "no-op"]);

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
export const shownSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("value"), value: json }),
  z.strictObject({ kind: z.enum(["absent", "secret", "unknown"]) }),
]);

export const fieldSchema = z.strictObject({
  path: z.string().describe("Attribute path: `configuration.branch`."),
  cause: z.enum(["edit", "drift", "removed", "take-over", "released"]),
  before: shownSchema,
  after: shownSchema,
  forces_replacement: z.boolean(),
  from: z
    .array(z.string())
    .optional()
    .describe(
      "Of an `edit` without an edit of the manifest: what it refers to, which the platform has changed.",
    ),
  placement: z
    .literal(true)
    .optional()
    .describe("Of something new or replaced with its parent: where it goes, as its address says."),
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

export const changeParts = {
  address: addressSchema.describe("`service.shop.api`"),
  type: z.string(),
  previous_address: addressSchema.optional(),
  construct: z
    .strictObject({ path: z.string(), in: z.string().optional() })
    .optional()
    .describe("The construct that declares it, and the project or service that it goes to."),
  reason: z.string().optional().describe("Why it is done, for people."),
  deployed: z.string().optional().describe("Who has deployed its service since the last run."),
  id: z.string().optional(),
  live_name: z.string().describe("Its live name, else the declared one; what a deletion confirms."),
  attributes: z
    .array(fieldSchema)
    .describe("Fields that it sends, or that an adoption takes over; none where nothing is sent."),
  released: z
    .array(fieldSchema)
    .describe("Fields that differ and are left as they are. The state drops them, so they are listed once."),
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
    .optional()
    .describe("Why it may not be applied as it stands."),
  references: z
    .array(addressSchema)
    .optional()
    .describe("What its values refer to and its `dependsOn` names, besides its parent."),
  depends_on: z
    .array(addressSchema)
    .describe("Changes that must be done before this one; for a replacement before its create."),
  deletes_after: z
    .array(addressSchema)
    .optional()
    .describe("Of a replacement: changes whose deletion must be done before its own."),
  removal_declared: z.literal(true).optional().describe("The manifest declares its deletion: `removed`."),
  parent: addressSchema.optional(),
  with_parent: z
    .boolean()
    .describe("A deletion that happens with that of its parent, without a request of its own."),
  on_remove: z
    .enum(["delete", "archive", "retain"])
    .describe(
      "What becomes of a resource that is no longer declared; a `delete` with `archive` archives it.",
    ),
  retains: z.literal(true).optional().describe("Its record stays in the state, marked as retained."),
  restores: z.literal(true).optional().describe("It was retained, and is declared again."),
  held: z.string().optional().describe("Why it cannot run, although it should."),
  binding: z
    .strictObject({ id: z.string(), updatedAt: z.string().nullable(), digest: z.string() })
    .nullable()
    .describe("The live resource that it saw; a saved plan is stale once that moved."),
};

/** A change of a plan. The document has `drift` and `missing` in `resource_drift`. */
export const changeSchema = z.strictObject({
  ...changeParts,
  action: actionSchema,
  drift: z
    .array(fieldSchema)
    .optional()
    .describe(
      "Fields whose live value is neither the recorded nor the declared one: recorded before, live after.",
    ),
  missing: z.literal(true).optional().describe("Recorded, but the platform has it no longer."),
  range: range.optional().describe("Where it is declared."),
});

const resourceChange = z.strictObject({
  ...place,
  action: actionSchema.describe("What becomes of it: `change.actions` in one word."),
  change: z.strictObject({
    ...sides,
    importing: z.strictObject({ id: z.string() }).optional(),
    replace_paths: z.array(z.array(z.string())).optional(),
  }),
  action_reason: z.string().optional(),
  ...changeParts,
});

const output = z.strictObject({
  actions: z.array(z.enum(["create", "update", "delete"])),
  before: json,
  after: json,
  after_unknown: z.boolean(),
  before_sensitive: z.boolean(),
  after_sensitive: z.boolean(),
});

export const standingSchema = z.strictObject({ address: addressSchema, ...standing.shape });

export const revealedSchema = z.strictObject({
  address: addressSchema,
  attribute: z.string(),
  is_equal: z.boolean(),
});

const checkSchema = z.strictObject({
  policy: z.string(),
  level: z.enum(["advisory", "overridable", "mandatory"]),
  status: z.enum(["passed", "failed", "overridden", "error"]),
  address: addressSchema.optional(),
  message: z.string().optional(),
  range: range.optional(),
});

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
  unmanaged: z
    .array(z.strictObject({ type: z.string(), id: z.string(), name: z.string() }))
    .describe("Live resources that are neither declared nor recorded."),
  standing: z
    .array(standingSchema)
    .optional()
    .describe("What of the managed does not run as it was deployed last."),
  unchecked: z
    .array(z.strictObject({ address: addressSchema, attribute: z.string().optional(), reason: z.string() }))
    .describe("Resources and secrets that the plan could not check."),
  revealed: z
    .array(revealedSchema)
    .optional()
    .describe("Values that were revealed; the platform keeps an audit event of each."),
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
export type ChangeDocument = PlanDocument["resource_changes"][number];
