import { type Diagnostic, lineOf, sortDiagnostics } from "../../diagnostics/diagnostic";
import { type Check, isCondition, stopsPlan } from "../../model/policy";
import { sha256 } from "../../model/sha256";
import { guardErrors } from "../../plan/guards";
import { isWritten, type Plan } from "../../plan/plan";
import { summaryOf } from "../diagnostics";
import { locationData } from "../documents";
import { escapeHtml, escapeJson, escapeLines, escapeText, jsonText } from "../escape-text";
import { actionPhrase, planLine } from "../plan-wording";

type Made = Plan | Pick<Plan, "diagnostics">;

type JunitSuite = ReturnType<typeof planSuite>;

/** A plan as a suite: a case for each change, failed where it is blocked, and one for each error. */
export function planSuite(made: Made, name: string, seconds: number) {
  const plan = "changes" in made ? made : undefined;
  const changed = plan?.changes.filter((change) => isWritten(change, plan)) ?? [];
  const errors = made.diagnostics.filter(({ severity }) => severity === "error");
  const cases: readonly JunitCase[] = [
    ...changed.map((change) => ({
      type: change.type,
      name: `${change.address} ${actionPhrase(change)}`,
      failure: change.blockedBy,
    })),
    ...errors.map((failure) => ({ ...caseOf(failure.rule, failure.address, failure.code), failure })),
    // Those that stop the plan are among its errors.
    ...(plan?.checks ?? []).filter((check) => !stopsPlan(check)).map(checkCase),
  ];
  const whole = plan && cases.length === 0 ? [{ type: "plan", name: planLine(plan) }] : cases;
  return { name, seconds, cases: whole };
}

/** A rule has the same name whether it passes or fails. */
function caseOf(rule: string | undefined, address: string | undefined, code = ""): JunitCase {
  if (rule === undefined) return { type: "plan", name: address ?? code };
  const type = isCondition({ policy: rule }) ? "condition" : "policy";
  return { type, name: address === undefined ? rule : `${rule} ${address}` };
}

/** A passed check, or a failed check that stops nothing, is no failure of the suite. */
function checkCase({ policy, address, status, level, message = "" }: Check): JunitCase {
  const why = `${status === "overridden" ? status : level}: ${message}`;
  return { ...caseOf(policy, address), skipped: status === "passed" ? undefined : why };
}

/** One case of a report in JUnit: it has passed unless it failed or was skipped. */
export interface JunitCase {
  readonly type: string;
  readonly name: string;
  readonly seconds?: number;
  readonly failure?: (Pick<Diagnostic, "summary" | "hint"> & { readonly code: string }) | undefined;
  /** Why it counts neither as passed nor as failed. */
  readonly skipped?: string | undefined;
}

function caseXml({ type, name, seconds = 0, failure, skipped }: JunitCase): string {
  const head = `<testcase classname="${xml(type)}" name="${xml(name)}" time="${seconds}"`;
  if (skipped !== undefined) return `${head}><skipped message="${xml(skipped)}"/></testcase>`;
  if (!failure) return `${head}/>`;
  const words = messageOf(failure).split("\n").map(xml).join("\n");
  const inner = `<failure type="${xml(failure.code)}" message="${xml(failure.summary)}">${words}</failure>`;
  return `${head}>${inner}</testcase>`;
}

const messageOf = ({ summary, hint }: Pick<Diagnostic, "summary" | "hint">): string =>
  hint === undefined ? summary : `${summary}; ${hint}`;

export function junit(suites: readonly JunitSuite[]): string {
  const countsOf = (all: readonly JunitSuite[]): string => {
    const cases = all.flatMap((suite) => suite.cases);
    const failures = cases.filter(({ failure }) => failure).length;
    const seconds = all.reduce((sum, suite) => sum + suite.seconds, 0);
    return `tests="${cases.length}" failures="${failures}" time="${seconds.toFixed(3)}"`;
  };
  const skippedIn = ({ cases }: JunitSuite) => cases.filter(({ skipped }) => skipped !== undefined).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${countsOf(suites)}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite name="${xml(suite.name)}" ${countsOf([suite])} skipped="${skippedIn(suite)}">`,
      ...suite.cases.map((one) => `    ${caseXml(one)}`),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

/** Text of XML: hidden characters, which XML does not know, are escaped before. */
const xml = (text: string): string => escapeHtml(escapeText(text)).replaceAll("&#39;", "&apos;");

/** The counts of plans as GitLab's report `terraform` has them. */
export function gitlabCounts(plans: readonly Plan[]): string {
  const sum = (of: "add" | "change" | "destroy"): number =>
    plans.reduce((total, { summary }) => total + summary[of], 0);
  return `${escapeJson({ create: sum("add"), update: sum("change"), delete: sum("destroy") })}\n`;
}

/** The findings of plans as GitLab's report `codequality` has them: those with a place, a blocked change among them. */
export function codeQuality(all: readonly Made[], pathOf: PathOf): string {
  const findings = all.flatMap((made) => {
    return [...made.diagnostics, ...("changes" in made ? made.changes.flatMap(guardErrors) : [])];
  });
  const issues = findings.flatMap((finding) => {
    const { severity, code, rule, address = "", summary, range } = finding;
    const path = range && pathOf(range.file);
    if (range === undefined || path === undefined) return [];
    // A policy is a rule of its own.
    const name = rule === undefined ? code : `${code}/${rule}`;
    return {
      description: escapeText(messageOf({ ...finding, summary: summaryOf(finding) })),
      check_name: name,
      fingerprint: [name, path, address, summary].join("\0"),
      severity: severity === "error" ? "critical" : "minor",
      location: { path, lines: { begin: lineOf(range) ?? 1 } },
    };
  });
  // Plans of several stages find the same at the same line.
  const distinct = new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values();
  // GitLab merges issues with equal fingerprints. The subject counts, not the line: a line added above changes nothing.
  const seen = new Map<string, number>();
  const printed = [...distinct].map((issue) => {
    const count = seen.get(issue.fingerprint) ?? 0;
    seen.set(issue.fingerprint, count + 1);
    const text = count === 0 ? issue.fingerprint : `${issue.fingerprint}\0${count}`;
    return { ...issue, fingerprint: sha256(text) };
  });
  return jsonText(printed);
}

/** Returns the path of a file from the root of its repository; undefined where there is none. */
export type PathOf = (file: string) => string | undefined;

/** Findings as workflow commands of GitHub Actions, one a line: `::error file=rnv.yaml,line=9,col=11,…::summary`. */
export const githubAnnotations = (diagnostics: readonly Diagnostic[], pathOf: PathOf): string =>
  sortDiagnostics(diagnostics)
    .map((diagnostic) => `${annotation(diagnostic, pathOf)}\n`)
    .join("");

function annotation(diagnostic: Diagnostic, pathOf: PathOf): string {
  const { severity, code, detail, hint, range } = diagnostic;
  const file = range === undefined ? undefined : pathOf(range.file);
  const place = range === undefined || file === undefined ? undefined : locationData(range);
  const properties = {
    file,
    line: place?.line,
    endLine: place?.endLine,
    col: place?.column,
    // Columns of a range over several lines are refused by GitHub.
    endColumn: place?.line === place?.endLine ? place?.endColumn : undefined,
    title: code,
  };
  const list = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(escapeText(String(value)))}`);
  const message = [summaryOf(diagnostic), detail, hint].flatMap((part) => part || []);
  return `::${severity} ${list.join(",")}::${escapeData(message.flatMap(escapeLines).join("\n"))}`;
}

const escapeData = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
