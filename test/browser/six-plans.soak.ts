import { existsSync } from "node:fs";
import { join } from "node:path";
import { SourceFile } from "../../src/diagnostics/diagnostic";
import type { Plan } from "../../src/plan/plan";
import { describeInBrowser } from "../support/browser";
import { expectText } from "../support/expected-text";
import { pageOf } from "../support/html-plans";
import { absent, address, change, field, plan, secret, shopPlan, value } from "../support/plan-fixture";

const service = (name: string, kind: string) =>
  change("create", `service.${name}`, {
    attributes: [field("kind", absent, value(kind)), field("configuration.plan", absent, value("starter"))],
    effects: ["billing"],
    cost: { before: null, after: { usd: 7, ngn: 10_500 } },
  });

const manifest = new SourceFile("rnv.yaml", "a:\n b: c\n");

const plans: Readonly<Record<string, Plan>> = {
  "one-of-everything": {
    ...shopPlan,
    diagnostics: shopPlan.diagnostics.map((one) => ({ ...one, range: manifest.range(9, 9) })),
  },
  first: plan(
    [
      change("create", "project.shop"),
      service("shop.api", "web"),
      service("shop.database", "postgres"),
      change("create", "variable.shop.api.DATABASE_HOST", {
        references: [address("service.shop.database")],
        attributes: [field("value", absent, secret)],
      }),
      change("create", "deployment.shop.api", { reason: "service.shop.api changes", effects: ["deploys"] }),
    ],
    {
      summary: { add: 5, change: 0, destroy: 0, adopt: 0, forget: 0 },
      cost: { before: { usd: 0, ngn: 0 }, after: { usd: 14, ngn: 21_000 }, estimate: true },
    },
  ),
  "no-changes": plan([
    change("no-op", "project.shop"),
    change("no-op", "service.shop.api"),
    change("no-op", "service.shop.database"),
    change("no-op", "variable.shop.api.DATABASE_HOST", { references: [address("service.shop.database")] }),
  ]),
  "many-alike": plan(
    Array.from({ length: 6 }, (_, i) =>
      change("update", `service.shop.s${i}`, {
        attributes: [field("configuration.runtime", value("node"), value("bun"))],
        effects: ["deploys"],
      }),
    ),
    { summary: { add: 0, change: 6, destroy: 0, adopt: 0, forget: 0 } },
  ),
  drift: plan(
    [
      change("no-op", "service.shop.api", {
        drift: [field("configuration.branch", value("main"), value("hotfix"), { cause: "drift" })],
      }),
    ],
    { options: { ...shopPlan.options, mode: "refresh-only" } },
  ),
  failed: plan(
    [change("update", "service.shop.api", { attributes: [field("kind", value("web"), value("wep"))] })],
    {
      diagnostics: [
        {
          ...{ severity: "error", code: "plan.not_on_offer", summary: 'no kind "wep" is available' },
          ...{ hint: "there are: web, static", range: manifest.range(3, 6) },
        },
      ],
    },
  ),
};

/** Beside the test: how a page is built up, which is compared, and how it looks, which people compare. */
const fileOf = (name: string, ending: string): string => join(__dirname, "six-plans", `${name}.${ending}`);

describeInBrowser("the pages of six plans", (browser) => {
  it.each(Object.keys(plans))("%s", async (name) => {
    const html = pageOf(plans[name] as Plan);
    const { page } = await browser.open(html, {
      viewport: { width: 1000, height: 700 },
      colorScheme: "light",
    });
    const outline = `${await page.locator("body").ariaSnapshot()}\n`;
    expectText(fileOf(name, "yaml"), outline);
    if (process.env.RNV_UPDATE_GOLDEN === "1") await page.screenshot({ path: fileOf(name, "png") });
    expect(existsSync(fileOf(name, "png"))).toBe(true);
  });
});
