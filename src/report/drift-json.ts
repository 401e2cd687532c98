import * as z from "zod";
import { inDocument } from "../plan/document";
import { type DriftReport, driftClasses, type PendingResource } from "../plan/drift";
import type { AttributeChange } from "../plan/plan";
import { actionSchema, fieldSchema, json, revealedSchema, standingSchema } from "../plan/plan-schema";
import { escapeJson } from "./escape-text";

/** The report as one JSON document, in the shape of `driftDocumentSchema`; sides of a field are as in a plan document (`{kind, value}`). */
export const driftJson = (report: DriftReport): string => `${escapeJson(driftDocument(report), 2)}\n`;

/** The same as a value. */
export const driftDocument = (report: DriftReport): Readonly<Record<string, unknown>> => ({
  format_version: "1.1",
  ...inDocument(report),
  drifted: report.drifted.map(({ fields, ...one }) => ({ ...one, attributes: fields.map(fieldData) })),
  pending: report.pending.map(pendingData),
  expired: report.expired?.map(({ address, attribute, until, reason }) => ({
    ...{ address, attribute, until, reason },
  })),
  revealed: report.revealed?.map(inDocument),
});

const pendingData = ({ fields, ...pending }: PendingResource) =>
  inDocument({
    ...pending,
    attributes: fields.map(fieldData),
    standing: pending.standing && { ...pending.standing, address: pending.address },
  });

const fieldData = ({ path, cause, before, after, from }: AttributeChange) => ({
  ...{ path, cause, before, after, from },
});

const field = fieldSchema.pick({ path: true, cause: true, before: true, after: true, from: true });

const acceptance = {
  address: z.string(),
  attribute: z.string().optional(),
  until: z.string(),
  reason: z.string(),
};

/** The document of `drift -json`. */
export const driftDocumentSchema = z.strictObject({
  format_version: z.literal("1.1"),
  has_drift: z.boolean().describe("Something of a class in `fail_on` was found; the exit code is 2 then."),
  fail_on: z
    .array(z.enum(driftClasses))
    .describe("`drifted`, `missing`, and what `--fail-on` or `--strict` adds."),
  drifted: z
    .array(
      z.strictObject({ address: z.string(), attributes: z.array(field), deployed: z.string().optional() }),
    )
    .describe(
      "Changed outside of rnv: the recorded value before, the live one after; `deployed`: by whom since the last run.",
    ),
  missing: z.array(z.string()).describe("Declared and recorded, and no longer there."),
  consequences: z
    .array(
      z.strictObject({
        address: z.string(),
        action: actionSchema,
        reason: z.string().optional(),
        because: z.array(z.string()).describe("What is drifted or missing behind it."),
      }),
    )
    .describe("Changes that nothing but the repair of drift brings about."),
  pending: z
    .array(
      z.strictObject({
        address: z.string(),
        action: actionSchema,
        archives: z.literal(true).optional().describe("A `delete` that archives it."),
        previous_address: z.string().optional(),
        reason: z.string().optional(),
        attributes: z.array(field),
        standing: standingSchema.optional(),
      }),
    )
    .describe("Declared and not applied yet, or a deployment that has failed or awaits a checkout."),
  running: z
    .array(standingSchema)
    .describe("What runs and is not what was deployed last; never counted as drift."),
  unmanaged: z
    .array(
      z.strictObject({
        type: z.string(),
        id: z.string(),
        name: z.string(),
        within: z.string().optional().describe("Address of the managed thing that it is a part of."),
      }),
    )
    .describe("There, and neither declared nor recorded."),
  undeclared: z
    .array(z.strictObject({ address: z.string(), path: z.string(), value: json, default: json }))
    .describe("Settings that are not in the manifest and not at their default; only with `--strict`."),
  unchecked: z.array(z.strictObject({ address: z.string(), reason: z.string() })),
  accepted: z
    .array(z.strictObject({ class: z.enum(driftClasses), ...acceptance }))
    .optional()
    .describe("What `rnv.drift.yaml` accepts; it is in no other list, and does not count."),
  expired: z
    .array(z.strictObject(acceptance))
    .optional()
    .describe("Expired entries of `rnv.drift.yaml`; the exit code is 1 where nothing else is found."),
  revealed: z
    .array(revealedSchema)
    .optional()
    .describe(
      "Values that were revealed to compare them with what is recorded; only with `--verify-values`.",
    ),
});
