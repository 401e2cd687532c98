import * as z from "zod";
import { requirements } from "../../declaration/schema-issues";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { driftClasses } from "../../plan/drift";
import type { ApplyRequest } from "./types";

const text = z.string().optional();
const texts = z.array(z.string());
const noTexts = texts.default([]);
const flag = z.boolean().default(false);
const isFunction = (value: unknown): boolean => typeof value === "function";

/** The fields of all requests, with the values of those that are left out or undefined. */
const requestSchema = z.strictObject({
  manifest: z.unknown().optional(),
  files: noTexts,
  mode: z.enum(["apply", "destroy", "refresh-only"]).default("apply"),
  targets: noTexts,
  excludes: noTexts,
  replace: noTexts,
  adopt: flag,
  allowEmpty: flag,
  confirmedDeletes: noTexts,
  confirmedConsumers: texts.optional(),
  verifyValues: flag,
  policies: texts.optional(),
  overridePolicies: texts.optional(),
  save: flag,
  savedPlan: text,
  expectDigest: text,
  lockTimeoutMs: z.number().min(0).default(0),
  parallelism: z.int().min(1).default(10),
  approve: z.custom<ApplyRequest["approve"]>(isFunction, "expected a function").optional(),
  failOn: z.array(z.enum(driftClasses)).default([]),
  strict: flag,
  address: text,
  id: text,
  project: text,
  protects: flag,
  variables: flag,
  limit: z.int().min(1).max(200).default(20),
});

type Fields = z.infer<typeof requestSchema>;

/**
 * Returns a request with all fields. Throws `DiagnosticsError` with each field that is wrong, unknown, or missing although
 * `needed`.
 */
export function readRequest<Request extends object>(
  request: Request,
  needed: readonly ("address" | "id")[] = [],
): Request & Fields {
  const { data, error: wrong } = requestSchema.safeParse(request);
  const mistakes = wrong?.issues.flatMap(mistakesOf) ?? [];
  for (const name of needed) if (data && data[name] === undefined) mistakes.push(`${name} is missing`);
  if (mistakes.length > 0) throw new DiagnosticsError(mistakes.map((text) => error("command.usage", text)));
  return data as Request & Fields;
}

const mistakesOf = (issue: z.core.$ZodIssue): string[] =>
  issue.code === "unrecognized_keys"
    ? issue.keys.map((key) => `there is no option ${key}`)
    : [`${issue.path.join(".") || "the request"}${requirements([issue])}`];
