import { driftReport } from "../../../../src/plan/drift";
import { driftPage } from "../../../../src/report/html/pages";
import { resourceTypes as types } from "../../../../src/resources";
import { address, change, field, plan, value } from "../../../support/plan-fixture";

it("says beside a pending deployment how the last one ended, and beside another resource nothing of the kind", () => {
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
  const html = driftPage(driftReport(found), { plan: found, diagnostics: [], sources: new Map() }, { types });
  expect(html.match(/<li>[^<]*build failed/g)).toEqual(["<li>build failed"]);
});
