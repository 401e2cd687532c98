import { join } from "node:path";
import { z } from "zod";
import { type Diagnostic, error, SourceFile, warning } from "../../../../src/diagnostics/diagnostic";
import type { Plan } from "../../../../src/plan/plan";
import { codeQuality, junit, planSuite } from "../../../../src/report/ci/artifacts";
import { expectText } from "../../../support/expected-text";
import { address, change, plan } from "../../../support/plan-fixture";

/** An entry as GitLab documents it, and as its own parser demands it. */
const gitlabIssue = z.object({
  description: z.string().min(1),
  check_name: z.string().min(1),
  fingerprint: z.string().min(1),
  severity: z.enum(["info", "minor", "major", "critical", "blocker"]),
  location: z.object({
    // From the root of the repository.
    path: z.string().regex(/^(?!\/|\.\.?\/)/),
    lines: z.object({ begin: z.int().min(1) }),
  }),
});

const text = "projects:\n  shop:\n    services:\n      api: {}\n      web: {}\n";
const at = (word: string, file = "rnv.yaml") => {
  const start = text.indexOf(word);
  return new SourceFile(file, text).range(start, start + word.length);
};
const policy = (address: string, word: string): Diagnostic =>
  error("guard.policy", `policy replicas of ${address}: two replicas`, {
    ...{ address, range: at(word), rule: "replicas", hint: "the policy is mandatory" },
  });
const all: readonly Diagnostic[] = [
  policy("service.shop.api", "api"),
  policy("service.shop.web", "web"),
  error("guard.policy", "policy names: no", { rule: "names", range: at("projects") }),
  warning("policy.failed", "policy replicas: soft", { rule: "replicas" }),
  error("manifest.unknown_key", 'no "servces" \u0007\u202e', {
    range: at("services", "a folder/100% ä#1.yaml"),
  }),
  error("manifest.syntax", "same words", { range: at("api") }),
  error("manifest.syntax", "same words", { range: at("web") }),
];
const pathOf = (file: string) => file;

const issues = () => z.array(z.unknown()).parse(JSON.parse(codeQuality([{ diagnostics: all }], pathOf)));

describe("a report of code quality", () => {
  it("is what GitLab documents, each finding once", () => {
    for (const one of issues()) expect(gitlabIssue.safeParse(one).error?.issues).toBeUndefined();
    // One points nowhere.
    expect(issues()).toHaveLength(all.length - 1);
    expect(new Set(issues().map((one) => gitlabIssue.parse(one).fingerprint)).size).toBe(all.length - 1);
  });

  it("calls a finding the same when lines are put above it", () => {
    const prints = (source: string, shift: number) => {
      const findings = all.map(({ range, ...one }) => {
        if (range === undefined) return one;
        const { file, start, end } = range;
        return { ...one, range: new SourceFile(file, source).range(start + shift, end + shift) };
      });
      const report = codeQuality([{ diagnostics: findings }], pathOf);
      return JSON.parse(report).map((one: unknown) => gitlabIssue.parse(one).fingerprint);
    };
    expect(prints(`# one\n# two\n${text}`, 12)).toEqual(prints(text, 0));
  });

  it("names the policy", () => {
    expect(issues().map((one) => gitlabIssue.parse(one).check_name)).toContain("guard.policy/replicas");
  });
});

it("has the same case in JUnit whether a rule passes or fails; what stops nothing is skipped, with its reason", () => {
  const check = { policy: "replicas", level: "overridable", status: "passed" } as const;
  const api = address("service.shop.api");
  const failed = { ...check, status: "failed", address: api, message: "two <replicas>" } as const;
  const suite = (checks: Plan["checks"], diagnostics: readonly Diagnostic[] = []) =>
    junit([planSuite(plan([], { checks, diagnostics }), "plan", 1)]).match(/^ {4}<testcase.*$/gm);
  const errors = [
    policy("service.shop.api", "api"),
    error("guard.condition", "no", { rule: "precondition", address: "service.shop.api" }),
  ];
  const whole = junit([
    planSuite(plan([], { checks: [check, { ...failed, status: "overridden" }] }), "plan", 1.5),
  ]);
  const texts = [
    suite([check, { ...check, policy: "precondition", address: api }]),
    suite([failed], errors),
    suite([
      { ...failed, level: "advisory" },
      { ...failed, status: "overridden" },
    ]),
    whole,
  ];
  expectText(join(__dirname, "../expected/junit.txt"), texts.flat().join("\n"));
  const moved = change("no-op", "service.b", { previousAddress: address("service.a") });
  expect(junit([planSuite(plan([moved]), "plan", 1)])).toContain('name="service.b has moved from service.a"');
});
