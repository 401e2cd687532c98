import * as z from "zod";
import { findingSchema, locationSchema } from "./apply-event";
import { fleetVerbs } from "./target";

/** The words for how the run of a member ended, the worst last. */
export const statusWords = {
  clean: "clean",
  changes: "changes",
  drift: "drift",
  applied: "applied",
  checkout: "awaits checkout",
  locked: "lock held",
  blocked: "blocked",
  stale: "stale plan",
  unsettled: "not settled",
  partly: "partly applied",
  timeout: "took too long",
  failed: "failed",
  interrupted: "interrupted",
} as const;

export type MemberStatus = keyof typeof statusWords;

/** How the run of a member ended, the worst last. */
export const memberStatuses = Object.keys(statusWords) as readonly MemberStatus[];

const count = z.int().min(0);

const memberResultSchema = z.strictObject({
  name: z.string().describe("`teams/shop`, with its stage `teams/shop@production`."),
  folder: z
    .string()
    .optional()
    .describe("From the folder of the fleet; unknown for a member that no shard reports."),
  stage: z.string().optional(),
  status: z.enum(memberStatuses),
  exit_code: count.describe("Of its run; 1 where a signal ended it, 7 where it took too long."),
  seconds: z.number().min(0),
  changes: z
    .strictObject({ add: count, change: count, destroy: count, adopt: count, forget: count })
    .optional()
    .describe("Of a plan, and of an apply as far as it came."),
  digest: z.string().optional().describe("Of the plan."),
  runs: z
    .array(z.string())
    .optional()
    .describe("Ids of its runs: their requests have the ids rnv-RUN-1, rnv-RUN-2."),
  drift: z.strictObject({ drifted: count, missing: count, pending: count, unmanaged: count }).optional(),
  diagnostics: z.array(findingSchema({ location: locationSchema.optional() })).optional(),
  output: z.string().optional().describe("The end of what it printed, where it ended without a document."),
});

/** The report of a fleet: `rnv fleet plan|drift|apply --format json`, and the files of `--report DIR`. */
export const fleetReportSchema = z.strictObject({
  format_version: z.literal("1.0"),
  verb: z.enum(fleetVerbs),
  started_at: z.iso.datetime(),
  seconds: z.number().min(0),
  exit_code: count.describe("The most telling exit code of all."),
  shard: z
    .strictObject({ index: z.int().min(1), count: z.int().min(1) })
    .optional()
    .describe("The part of the fleet that this is the report of."),
  selected: z
    .array(z.string())
    .describe("The names of all members of the fleet run, those of other shards too."),
  counts: z.partialRecord(z.enum(memberStatuses), count).describe("Members by how they ended."),
  members: z.array(memberResultSchema),
});

export type FleetReport = z.infer<typeof fleetReportSchema>;
export type MemberResult = z.infer<typeof memberResultSchema>;

const lines = z.array(z.string());

const differenceSchema = z.strictObject({
  about: z.string().describe("What differs: `actions`, `policies`, `exit code` …"),
  lines: lines.describe("A diff: `-` is what was expected, `+` what there was, each before a blank."),
});

const resultSchema = z.strictObject({
  file: z.string(),
  line: z.int().min(1),
  name: z.string(),
  status: z
    .enum(["passed", "failed", "error"])
    .describe("`error`: what the test starts from could not be made."),
  seconds: z.number().min(0),
  differences: z.array(differenceSchema),
  diagnostics: z.array(findingSchema({ location: locationSchema.optional() })).describe("Unexpected errors."),
});

/** The report of `rnv test --format json`. */
export const testReportSchema = z.strictObject({
  format_version: z.literal("1.0"),
  passed: z.int().min(0),
  failed: z.int().min(0),
  seconds: z.number().min(0),
  tests: z.array(resultSchema),
});

export type TestReport = z.infer<typeof testReportSchema>;
export type TestResult = z.infer<typeof resultSchema>;
export type TestDifference = z.infer<typeof differenceSchema>;
