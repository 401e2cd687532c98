import { SourceFile } from "../../../../src/diagnostics/diagnostic";
import { driftReport } from "../../../../src/plan/drift";
import { driftPage } from "../../../../src/report/html/pages";
import { resourceTypes } from "../../../../src/resources";
import { address, change, field, plan, value } from "../../../support/plan-fixture";

it("says beside a pending deployment how the last deployment ended, and beside another resource nothing of the kind", () => {
  const failed = { address: address("deployment.shop.web"), code: "failed", class: "pending" } as const;
  const found = plan(
    [
      change("update", "service.shop.api", {
        attributes: [field("configuration.plan", value("free"), value("starter"))],
      }),
      change("update", "deployment.shop.web", { reason: "the last deployment failed" }),
    ],
    { standing: [{ ...failed, summary: "build failed" }] },
  );
  const html = driftPage(driftReport(found), { plan: found, diagnostics: [] }, { types: resourceTypes });
  expect(html.match(/<li>[^<]*build failed/g)).toEqual(["<li>build failed"]);
});

it("shows the line of the manifest, and an id once for what both drifted and waits to be applied", () => {
  const range = new SourceFile("rnv.yaml", "a: 1\nb: 2\n").range(5, 8);
  const both = plan([
    change("update", "service.shop.api", {
      drift: [field("configuration.branch", value("main"), value("hotfix"), { cause: "drift", range })],
      attributes: [
        field("configuration.branch", value("hotfix"), value("main"), { cause: "drift", range }),
        field("configuration.plan", value("free"), value("starter"), { range }),
      ],
    }),
  ]);
  const html = driftPage(driftReport(both), { plan: both, diagnostics: [] }, { types: resourceTypes });
  expect(html.match(/<details class="entry"/g)).toHaveLength(2);
  expect(html.match(/ id="service.shop.api"/g)).toHaveLength(1);
  expect(html).toContain("<i>rnv.yaml:2</i>");
});
