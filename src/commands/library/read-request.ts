import { isAbsolute } from "node:path";
import * as z from "zod";
import { requirements } from "../../declaration/schema-issues";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { uuidPattern } from "../../model/address";
import { longestTimer } from "../../model/time";
import { driftClasses } from "../../plan/drift";
import type { ApplyRequest } from "./types";

const text = z.string().optional();
const texts = z.array(z.string());
const noTexts = texts.default([]);
const flag = z.boolean().default(false);
const callable = z.custom<ApplyRequest["approve"]>((it) => typeof it === "function", "expected a function");

const classes = z.array(z.enum(driftClasses)).default([]);
const manifest = { manifest: z.unknown().optional(), files: noTexts };
const scope = { targets: noTexts, excludes: noTexts };
const lock = { lockTimeoutMs: z.number().min(0).default(0) };
/** The wishes that a saved plan holds. */
const planned = {
  ...scope,
  mode: z.enum(["apply", "destroy", "refresh-only"]).default("apply"),
  replace: noTexts,
  adopt: flag,
  allowEmpty: flag,
  verifyValues: flag,
};
const wishes = {
  ...manifest,
  ...planned,
  confirmedDeletes: noTexts,
  confirmedConsumers: texts.optional(),
  policies: texts.optional(),
  overridePolicies: texts.optional(),
};

/** The fields of each request, with the values of those that are left out or undefined. */
const requests = {
  openContext: z.strictObject({
    cwd: z.string().refine(isAbsolute, "expected an absolute path"),
    baseUrl: z.string(),
    workspaceId: z.string().regex(uuidPattern, "expected a UUID"),
    apiKey: z.string(),
    state: z.string().min(1, "expected a path or an address"),
    stage: text,
    environment: z.object({}).catchall(text).optional(),
    transport: z.object({ send: callable }).optional(),
    signal: z.object({ aborted: z.boolean() }).optional(),
    onEvent: callable.optional(),
    timeoutMs: z.number().positive().max(longestTimer).optional(),
  }),
  plan: z.strictObject({ ...wishes, save: flag }),
  apply: z.strictObject({
    ...wishes,
    ...lock,
    savedPlan: text,
    expectDigest: text,
    parallelism: z.int().min(1).default(10),
    approve: callable.optional(),
  }),
  drift: z.strictObject({ ...manifest, ...scope, failOn: classes, strict: flag }),
  status: z.strictObject({ address: text, variables: flag }),
  deployments: z.strictObject({ address: z.string(), limit: z.int().min(1).max(200).default(20) }),
  validate: z.strictObject({ ...manifest, policies: texts.optional() }),
  exportManifest: z.strictObject({ project: text, protects: flag }),
  importResource: z.strictObject({ ...manifest, ...lock, address: z.string(), id: z.string() }),
};

/** A plan of the default files, without other wishes. */
export const planRequest = requests.plan.parse({});

/** The requests of the library by the function that takes them, with all their fields. */
export type Requests = { [Name in keyof typeof requests]: z.infer<(typeof requests)[Name]> };

/** Returns a request with all its fields. Throws `DiagnosticsError` with each field that is wrong, unknown or missing. */
export function readRequest<Name extends keyof Requests>(name: Name, request: unknown): Requests[Name] {
  const { data, error: wrong } = requests[name].safeParse(request, { reportInput: true });
  const mistakes = wrong ? wrong.issues.flatMap(mistakesOf) : changesOfSavedPlan({ ...(request as object) });
  if (mistakes.length > 0) throw new DiagnosticsError(mistakes.map((text) => error("command.usage", text)));
  return data as Requests[Name];
}

const changesOfSavedPlan = (request: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(request.savedPlan === undefined ? {} : planned)
    .filter((key) => request[key] !== undefined)
    .map((key) => `${key} cannot change a saved plan: give it to plan`);

function mistakesOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => `there is no option ${key}`);
  const name = issue.path.join(".") || "the object of options";
  if (issue.code === "invalid_type" && issue.input === undefined) return [`${name} is missing`];
  return [`${name}${requirements([issue])}`];
}
