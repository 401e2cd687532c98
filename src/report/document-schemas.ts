import * as z from "zod";
import { standingSchema } from "../model/live";
import { addressSchema, json } from "../plan/plan-schema";

const format = { format_version: z.literal("1.0") };
const text = z.string().optional();
const time = z.string().optional().describe("ISO 8601.");

const release = z.strictObject({
  id: z.string(),
  status: text.describe("Absent where the deployment could not be read."),
  serves: z.boolean().describe("It is the release that answers requests."),
  cancel_requested: z.boolean(),
  can_rollback: z.boolean().describe("`rnv rollback` can bring it back."),
  ...{ branch: text, commit: text, commit_message: text, trigger: text, actor: text },
  blocked_reason: text,
  error: text,
  source_deployment_id: text.describe("The deployment whose release it serves again."),
  ...{ created_at: time, started_at: time, finished_at: time },
});

/** `status -json`. */
export const statusSchema = z.strictObject({
  ...format,
  services: z
    .array(
      z.strictObject({
        address: addressSchema,
        id: z.string(),
        name: z.string().describe("Its name on the platform."),
        runs: z
          .enum(["release", "suspended", "nothing", "deleting", "gone", "unknown"])
          .describe("`nothing`: no release serves. `unknown`: it could not be read; `reason` says why."),
        reason: text,
        archived: z.boolean(),
        ...{ url: text, status: text, health: text, health_checked_at: time },
        release: release.optional().describe("The release that serves."),
        latest: release.optional().describe("The latest deployment, where it is not the one that serves."),
        standing: z.array(standingSchema).describe("What its last deployment or its runtime needs."),
        variables: z
          .array(
            z.strictObject({
              key: z.string(),
              managed: z
                .enum(["rnv", "preserve", "no"])
                .describe("`preserve`: recorded, and its value is set elsewhere."),
              changed: time,
            }),
          )
          .optional()
          .describe("With `--variables`. No value is shown."),
      }),
    )
    .describe("Sorted by address."),
});

export type StatusDocument = z.infer<typeof statusSchema>;

/** `deployments -json`. */
export const deploymentsSchema = z.strictObject({
  ...format,
  address: addressSchema,
  deployments: z.array(release).describe("Newest first."),
  has_more: z.boolean().describe("There are older ones."),
  reason: text.describe("Why the service lists none."),
});

export type DeploymentsDocument = z.infer<typeof deploymentsSchema>;

const count = z.int().min(0);

/** `history -json`. */
export const historySchema = z.strictObject({
  ...format,
  ...{ stage: text, stack: text },
  runs: z
    .array(
      z.looseObject({
        id: z.string().describe("32 hex digits; every request of the run holds it."),
        command: z.string(),
        by: z.string().describe("Who ran it: a person on a machine, or a job."),
        commit: text,
        started_at: z.string().describe("ISO 8601."),
        ended_at: time.describe("ISO 8601; absent where the run runs, or was cut short."),
        digest: z.string().describe("Of the plan that was applied."),
        exit_code: count.optional(),
        counts: z.record(z.string(), count).optional().describe("Changes that were made, and that were not."),
      }),
    )
    .describe("Newest first."),
});

/** `output -json`, as Terraform writes it. */
export const outputsSchema = z.record(
  z.string(),
  z.strictObject({
    sensitive: z.boolean(),
    type: json.describe('In the notation of Terraform: `"string"`, `["tuple", …]`.'),
    value: json.describe("`(sensitive)` where it is a secret."),
  }),
);
