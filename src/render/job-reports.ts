import { createHash } from "node:crypto";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { stopsPlan } from "../model/policy";
import { version } from "../model/version";
import { isWritten, type Plan } from "../plan/plan";
import { diagnosticData, type Sources } from "./diagnostics";
import { escapeHtml, escapeJson, escapeText } from "./escape-text";
import { actionPhrase, planLine } from "./plan-wording";

/** Lists the findings that block a plan, each at its location: its diagnostics, and a finding for each blocked change. */
export const planFindings = (plan: Plan): readonly Diagnostic[] => [
  ...plan.diagnostics,
  ...plan.changes.flatMap(({ address, guard, instance }) =>
    guard
      ? [error(guard.code, guard.summary, { address, hint: guard.hint, range: instance.desired?.range })]
      : [],
  ),
];

/** A plan as JUnit: a case for each change, failed where it is blocked, and one for each error. */
export function planJunit(plan: Plan, suite: string): string {
  const changed = plan.changes.filter((change) => isWritten(change, plan));
  const cases = [
    ...changed.map((change) =>
      testCase(change.type, `${change.address} ${actionPhrase(change)}`, change.guard),
    ),
    ...plan.diagnostics
      .filter(({ severity }) => severity === "error")
      .map((found) => testCase("plan", found.address ?? found.code, found)),
    // Those that stop the plan are among its errors.
    ...(plan.checks ?? [])
      .filter((check) => !stopsPlan(check))
      .map(({ policy, address }) =>
        testCase("policy", address === undefined ? policy : `${policy} ${address}`),
      ),
  ];
  return junit(suite, cases.length === 0 ? [testCase("plan", planLine(plan))] : cases);
}

/** A plan that could not be made, as JUnit. */
export const failedJunit = (diagnostics: readonly Diagnostic[], suite: string): string =>
  junit(
    suite,
    diagnostics
      .filter(({ severity }) => severity === "error")
      .map((found) => testCase("plan", found.address ?? found.code, found)),
  );

interface JunitCase {
  readonly text: string;
  readonly isFailed: boolean;
}

function testCase(
  type: string,
  name: string,
  failure?: { readonly code: string; readonly summary: string; readonly hint?: string | undefined },
): JunitCase {
  const head = `<testcase classname="${xml(type)}" name="${xml(name)}"`;
  if (!failure) return { text: `${head}/>`, isFailed: false };
  const words = [failure.summary, failure.hint].filter((part) => part !== undefined).join("; ");
  const inner = `<failure type="${xml(failure.code)}" message="${xml(failure.summary)}">${xml(words)}</failure>`;
  return { text: `${head}>${inner}</testcase>`, isFailed: true };
}

function junit(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ isFailed }) => isFailed).length;
  const counts = `tests="${cases.length}" failures="${failures}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...cases.map(({ text }) => `    ${text}`),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** Text of XML: hidden characters, which XML does not know, are escaped before. */
const xml = (text: string): string => escapeHtml(escapeText(text)).replaceAll("&#39;", "&apos;");

/** The counts of a plan as GitLab's report `terraform` has them. */
export const gitlabCounts = ({ summary }: Plan): string =>
  `${escapeJson({ create: summary.add, update: summary.change, delete: summary.destroy })}\n`;

/** Findings as SARIF 2.1.0, for the list of what a scan found; `pathOf` gives the path in the repository. */
export function sarif(
  findings: readonly Diagnostic[],
  sources: Sources,
  pathOf: (file: string) => string | undefined,
): string {
  const results = findings.map((found) => {
    const { severity, code, summary, hint, address, range } = found;
    const data = diagnosticData(found, sources);
    const line = "location" in data ? data.location.line : undefined;
    const uri = range && pathOf(range.file);
    const place = {
      ...(uri !== undefined && {
        physicalLocation: { artifactLocation: { uri }, region: { startLine: line ?? 1 } },
      }),
      ...(address !== undefined && { logicalLocations: [{ fullyQualifiedName: address, kind: "resource" }] }),
    };
    return {
      ruleId: code,
      level: severity === "error" ? "error" : "warning",
      message: { text: escapeText([summary, hint].filter((part) => part !== undefined).join("; ")) },
      ...(Object.keys(place).length > 0 && { locations: [place] }),
    };
  });
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].sort().map((id) => ({ id }));
  const tool = { driver: { name: "rnv", version, rules } };
  return `${escapeJson(
    { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [{ tool, results }] },
    2,
  )}\n`;
}

/** Findings as GitLab's report `codequality` has them: those with a place; `pathOf` gives the path in the repository. */
export function codeQuality(
  findings: readonly Diagnostic[],
  sources: Sources,
  pathOf: (file: string) => string | undefined,
): string {
  const issues = findings.flatMap((found) => {
    const { severity, code, summary, hint, range } = found;
    const path = range && pathOf(range.file);
    const data = diagnosticData(found, sources);
    const line = "location" in data ? data.location.line : undefined;
    if (path === undefined) return [];
    const description = escapeText([summary, hint].filter((part) => part !== undefined).join("; "));
    return [
      {
        description,
        check_name: code,
        // What it is about, not where: a line above it makes it no other.
        fingerprint: createHash("sha256").update([code, path, summary].join("\0")).digest("hex"),
        severity: severity === "error" ? "critical" : "minor",
        location: { path, lines: { begin: line ?? 1 } },
      },
    ];
  });
  return `${escapeJson(issues, 2)}\n`;
}
