import type { Diagnostic } from "../../diagnostics/diagnostic";
import { isPattern, type ManifestExpectation } from "../../manifest/beside/test-file";
import { namePattern } from "../../model/names";
import type { Check } from "../../model/policy";
import { canonicalJson, type Plain } from "../../model/value";
import { type Change, instanceOf, isWritten, type Plan, type ShownValue, unknownIn } from "../../plan/plan";
import { valueAfter } from "../../plan/policy/views";
import { diffLines } from "../../report/field-text";
import type { TestDifference } from "../../report/test-report";

export interface TestOutcome {
  readonly plan?: Plan | undefined;
  /** The plan after an apply, with the live values. */
  readonly after?: Plan | undefined;
  readonly exitCode: number;
  /** Findings of the run, and those of blocked changes. */
  readonly diagnostics: readonly Diagnostic[];
  /** Outputs after an apply; undefined where it is the plan that knows them. */
  readonly outputs?: Readonly<Record<string, Plain>> | undefined;
}

/** Returns the differences between an outcome and its expectation, and unexpected errors. */
export function compareOutcome(expect: ManifestExpectation, outcome: TestOutcome) {
  const { plan, exitCode, outputs } = outcome;
  const { policies = {}, values = {}, outputs: wanted = {} } = expect;
  const found = compareDiagnostics(expect, outcome.diagnostics);
  const outputText = (name: string): string =>
    outputs === undefined ? sideText(plan?.plannedOutputs[name]) : shownJson(outputs[name]);
  const differences = [
    ...difference("diagnostics", found.expected, found.got),
    ...difference("exit code", [String(expect.exitCode ?? exitCode)], [String(exitCode)]),
    ...(expect.actions ? compareActions(expect.actions, plan) : []),
    ...compareRows(
      "policies",
      Object.entries(policies)
        .sort()
        .map((one) => policyRow(one, plan?.checks ?? [])),
    ),
    ...compareRows("values", valueRows(values, outcome.after ?? plan)),
    ...compareRows(
      "outputs",
      Object.entries(wanted).map(([name, value]) => [name, shownJson(value), outputText(name)]),
    ),
  ];
  return { differences, unexpected: found.unexpected };
}

/** Returns a diff; empty where both are equal. */
export function difference(
  about: string,
  expected: readonly string[],
  got: readonly string[],
): TestDifference[] {
  const lines = diffLines(expected, got);
  return lines.every((line) => line.startsWith(" ")) ? [] : [{ about, lines }];
}

type ExpectedDiagnostic = NonNullable<ManifestExpectation["diagnostics"]>[number];

/** A finding that a line of the expectation is about stands as that line; an error that none is about stands as it is. */
function compareDiagnostics(
  { diagnostics: wanted = [], policies = {} }: ManifestExpectation,
  found: readonly Diagnostic[],
) {
  const rest = [...found];
  const expected: string[] = [];
  const got: string[] = [];
  for (const one of wanted) {
    const line = findingLine(one);
    expected.push(line);
    const at = rest.findIndex((diagnostic) => isMeant(one, diagnostic));
    if (at === -1) continue;
    rest.splice(at, 1);
    got.push(line);
  }
  const unexpected = rest.filter(
    (one) => one.severity === "error" && !isOfPolicy(one, Object.keys(policies)),
  );
  return { expected, unexpected, got: [...got, ...unexpected.map(findingLine)] };
}

/** The failure of a policy or a condition that the expectation speaks of is compared there. */
const isOfPolicy = ({ code, rule }: Diagnostic, names: readonly string[]): boolean =>
  (code === "guard.policy" || code === "guard.condition") && rule !== undefined && names.includes(rule);

const isMeant = (
  wanted: ExpectedDiagnostic,
  { code, severity, address, summary, detail = "" }: Diagnostic,
): boolean =>
  wanted.code === code &&
  (wanted.severity === undefined || wanted.severity === severity) &&
  (wanted.address === undefined || wanted.address === address) &&
  (wanted.contains === undefined || `${summary}\n${detail}`.includes(wanted.contains));

/** The line of an expectation, or of an error, whose text stands with the error itself. */
export const findingLine = ({ code, severity, address, contains }: ExpectedDiagnostic): string =>
  [severity, code, address && `of ${address}`, contains && `"${contains}"`].filter(Boolean).join(" ");

function compareActions(wanted: NonNullable<ManifestExpectation["actions"]>, plan: Plan | undefined) {
  const keys = Object.keys(wanted);
  const expected: string[] = [];
  const got: string[] = [];
  const used = new Set<string>();
  for (const change of [...(plan?.changes ?? [])].sort((a, b) => (a.address < b.address ? -1 : 1))) {
    const { address } = change;
    const isChanged = plan !== undefined && isWritten(change, plan);
    const action = isChanged ? change.action : "no-op";
    const key = keys.includes(address) ? address : keys.find((one) => namePattern(one).test(address));
    const meant = key === undefined ? "no-op" : wanted[key];
    // A pattern is about changes alone.
    if (key !== undefined && (!isPattern(key) || isChanged)) used.add(key);
    if (meant === "any" || (!isChanged && (key === undefined || isPattern(key)))) continue;
    if (meant !== "no-op" || address === key) expected.push(`${address}: ${meant}`);
    if (action !== "no-op" || address === key) got.push(`${address}: ${action}`);
  }
  for (const key of keys.filter((one) => !used.has(one) && wanted[one] !== "any" && wanted[one] !== "no-op"))
    expected.push(`${key}: ${wanted[key]}`);
  return difference("actions", expected.sort(), got);
}

type Row = readonly [about: string, expected: string, got: string];

const compareRows = (about: string, rows: readonly Row[]): TestDifference[] =>
  difference(
    about,
    rows.map(([name, expected]) => `${name}: ${expected}`),
    rows.map(([name, , got]) => `${name}: ${got}`),
  );

function policyRow([name, wanted]: readonly [string, string], checks: readonly Check[]): Row {
  const own = checks.filter(({ policy }) => policy === name);
  const statuses = ["error", "failed", "overridden", "passed"] as const;
  const status = statuses.find((one) => own.some((check) => check.status === one));
  const failing = status === "passed" ? undefined : own.find((check) => check.status === status);
  const where =
    failing?.address === undefined || status === wanted ? "" : ` of ${failing.address}: ${failing.message}`;
  return [name, wanted, `${status ?? "not judged"}${where}`];
}

const valueRows = (
  wanted: NonNullable<ManifestExpectation["values"]>,
  plan: Plan | undefined,
): readonly Row[] =>
  Object.entries(wanted).flatMap(([address, fields]) => {
    const change = plan?.changes.find((one) => one.address === address);
    return Object.entries(fields).map(([path, value]): Row => {
      const got = plan && change ? plannedText(plan, change, path) : "no such resource";
      // The text that a test expects of a secret may be one.
      const expected = got === sensitive ? "(a secret is not compared)" : shownJson(value);
      return [`${address} ${path}`, expected, got];
    });
  });

const sensitive = "(sensitive)";

function plannedText(plan: Plan, change: Change, path: string): string {
  const instance = instanceOf(plan, change);
  const isSecret = change.attributes.some((field) => field.path === path && field.after.kind === "secret");
  if (isSecret || path in instance.fingerprints) return sensitive;
  return unknownIn(change).includes(path)
    ? "known after apply"
    : shownJson(valueAfter(change, instance, path));
}

function sideText(side: ShownValue | undefined): string {
  if (side?.kind === "value") return shownJson(side.value);
  if (side === undefined || side.kind === "absent") return "absent";
  return side.kind === "secret" ? sensitive : "known after apply";
}

const shownJson = (value: unknown): string =>
  value === undefined ? "absent" : canonicalJson(value as Plain);
