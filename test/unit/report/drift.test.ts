import { join } from "node:path";
import { driftReport } from "../../../src/plan/drift";
import { driftMarkdown, driftText } from "../../../src/report/drift-report";
import { plainStyle } from "../../../src/report/style";
import { expectText } from "../../support/expected-text";
import { absent, address, change, field, plan, secret, value } from "../../support/plan-fixture";

const report = driftReport(
  plan(
    [
      change("update", "service.shop.api", {
        previousAddress: address("service.shop.old"),
        attributes: [
          field("configuration.branch", value("hotfix"), value("main"), { cause: "drift" }),
          field("configuration.plan", value("free"), value("starter")),
        ],
        drift: [field("configuration.branch", value("main"), value("hotfix"), { cause: "drift" })],
      }),
      change("create", "service.shop.worker", { missing: true }),
      change("create", "service.shop.cron", { attributes: [field("kind", absent, value("cron"))] }),
      change("update", "variable.shop.api.KEY", {
        attributes: [field("value", secret, secret, { cause: "drift" })],
        drift: [field("value", secret, secret, { cause: "drift" })],
      }),
      change("update", "deployment.shop.api", { reason: "service.shop.api changes" }),
    ],
    {
      unmanaged: [{ type: "service", id: "1", name: "x" }],
      unchecked: [{ address: address("variable.shop.api.OLD"), reason: "variables are not listed" }],
    },
  ),
);

it("puts the consequences of a repair below it, in the words of a plan", () => {
  const because = [address("service.shop.web")];
  const text = driftText(
    {
      ...report,
      drifted: [],
      missing: because,
      consequences: [
        { address: address("deployment.shop.web"), action: "create", runs: true, because },
        { address: address("variable.shop.api.URL"), action: "update", because },
      ],
      pending: [],
      unmanaged: [
        { type: "variable", id: "1", name: "DEBUG\u001b[2J", within: address("service.shop.web") },
        { type: "variable", id: "2", name: "TRACE", within: address("service.shop.web") },
      ],
      undeclared: [
        { address: address("service.shop.api"), path: "configuration.port", value: 1, default: 8000 },
      ],
      running: [
        { address: address("service.shop.api"), code: "suspended", class: "running", summary: "suspended" },
      ],
      unchecked: [],
    },
    plainStyle,
  );
  expectText(join(__dirname, "expected/drift.txt"), text);
});

it("folds each difference away in Markdown, after the count", () => {
  const text = driftMarkdown({ report, diagnostics: [] });
  expect(text).toMatch(/^### rnv drift\n\n\*\*Drift: 2 changed outside rnv, 1 deleted outside rnv/);
  expect(text).toContain("**Deleted outside rnv**\n\n- `service.shop.worker`\n");
  expect(text).toContain(
    '<details><summary><code>service.shop.api</code>: <code>branch</code></summary>\n\n```diff\n- configuration.branch: "main"\n+ configuration.branch: "hotfix"\n```\n\n</details>',
  );
});

it("stays below its limit in Markdown and counts the items that are left out", () => {
  const many = driftReport(
    plan(
      [...Array(400).keys()].map((i) =>
        change("create", `service.s${i}`, { attributes: [field("a", absent, value("x".repeat(300)))] }),
      ),
    ),
  );
  const text = driftMarkdown({ report: many, diagnostics: [] }, 20_000);
  expect(text.length).toBeLessThanOrEqual(20_000);
  expect(text).toMatch(/> \d+ items left out, because this text would be too long\.\n$/);
});
