import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { collectFindings, type Findings } from "../../declaration/findings";
import { expression, expressionOf } from "../../declaration/lifecycle";
import type { MapEntry, MapNode, SourceNode } from "../../declaration/tree";
import { error, hasErrors, sortDiagnostics } from "../../diagnostics/diagnostic";
import { isCondition, isCostLimit, type Policy, type PolicyExpression } from "../../model/policy";
import { fileBesideManifest } from "../find-files";
import { readDocument } from "../text/yaml";

const policyFileName = "rnv.policy.yaml";

const policySchema = z.strictObject({
  level: z
    .enum(["advisory", "overridable", "mandatory"])
    .describe(
      "What it does when it fails: `advisory` is told, `overridable` stops unless --override-policy names it, `mandatory` stops.",
    ),
  each: z
    .string()
    .min(1)
    .describe("What it is judged for: `plan`, each `change`, or each resource of a type: `service`."),
  when: expression.optional().describe("CEL; where it is false there is nothing to judge."),
  require: expression.describe("CEL; false fails the policy."),
  message: z.string().min(1).describe("What people read where it fails."),
});

const policyName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, "expected a name: lower case, digits and -")
  .refine(
    (policy) => !isCondition({ policy }) && !isCostLimit({ policy }),
    "expected another name: conditions and limits of cost have this one",
  );

export const policyFileSchema = z.strictObject({
  version: z.literal(1).optional(),
  policies: z.record(policyName, policySchema).describe("Rules that a plan must pass, by name."),
});

/**
 * Reads the policies that a plan must pass: of the file beside the first of `files`, and of the `named` files and
 * folders. None is returned after a mistake, and every mistake is collected.
 */
export function readPolicies(cwd: string, files: readonly string[], named: readonly string[]) {
  const findings = collectFindings();
  const policies = new Map<string, Policy>();
  const below = named.map((path) => ({ path, paths: filesAt(cwd, path) }));
  const emptyHint = "name a folder that holds files of policies (*.yaml), or leave it out";
  // A rule that is looked for where none is would pass everything.
  for (const { path } of below.filter(({ paths }) => paths.length === 0))
    findings.report(error("policy.invalid", `folder ${path} contains no policy files`, { hint: emptyHint }));
  const beside = fileBesideManifest(cwd, files, policyFileName) ?? [];
  for (const path of new Set([beside, ...below.map(({ paths }) => paths)].flat())) {
    for (const policy of policiesIn(path, cwd, findings)) {
      const { name, range } = policy;
      const detail = `It is in ${policies.get(name)?.range.file} already, and no file replaces another.`;
      const about = { range, detail, hint: "give it another name" };
      if (policies.has(name)) findings.report(error("policy.invalid", `duplicate policy ${name}`, about));
      else policies.set(name, policy);
    }
  }
  const diagnostics = sortDiagnostics(findings.all());
  return { policies: hasErrors(diagnostics) ? [] : [...policies.values()], diagnostics };
}

function filesAt(cwd: string, path: string): string[] {
  const at = resolve(cwd, path);
  if (!existsSync(at) || !statSync(at).isDirectory()) return [at];
  return readdirSync(at)
    .filter((name) => /\.ya?ml$/.test(name) && !/\.rnvtest\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(at, name));
}

function policiesIn(path: string, cwd: string, { report }: Findings): readonly Policy[] {
  const read = readDocument(policyFileSchema, path, cwd, report);
  const nodes = read?.root.entries.get("policies")?.value as MapNode;
  return Object.entries(read?.document.policies ?? {}).map(([name, { when, ...policy }]) => {
    const entry = nodes.entries.get(name) as MapEntry;
    const fields = (entry.value as MapNode).entries;
    const written = (key: string, value: string): PolicyExpression =>
      expressionOf(fields.get(key)?.value as SourceNode, value);
    return {
      ...policy,
      name,
      range: entry.keyRange,
      require: written("require", policy.require),
      when: when === undefined ? undefined : written("when", when),
    };
  });
}
