import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { driftReport } from "../../src/plan/drift";
import type { Change, Plan } from "../../src/plan/plan";
import { driftPage } from "../../src/report/html/pages";
import { resourceTypes as types } from "../../src/resources";
import { describeInBrowser, findingsOf, type OpenBrowser, openBrowser, widthOf } from "../support/browser";
import { pageOf } from "../support/html-plans";
import { absent, address, change, field, plan, shopPlan, value } from "../support/plan-fixture";

/** So many services, ten to a project, each with a variable that refers to its neighbour; most of them change. */
function services(count: number): Plan {
  const changes = Array.from({ length: count }, (_, i): readonly Change[] => {
    const project = `p${Math.floor(i / 10)}`;
    const name = `${project}.svc-${i}`;
    const neighbour = Math.floor(i / 10) * 10 + ((i + 1) % 10);
    const attributes = [field("configuration.branch", value("main"), value(`release-${i}`))];
    const cost = { before: { usd: 7, ngn: 10_500 }, after: { usd: 14, ngn: 21_000 } };
    const service =
      i % 7 === 3
        ? change("create", `service.${name}`, { attributes: [field("kind", absent, value("web"))] })
        : change("update", `service.${name}`, {
            ...{ attributes, effects: ["deploys"] },
            ...(i % 5 === 0 && { cost, effects: ["deploys", "billing"] }),
          });
    return [
      ...(i % 10 === 0 ? [change("no-op", `project.${project}`)] : []),
      service,
      ...(neighbour < count
        ? [
            change("no-op", `variable.${name}.PEER_HOST`, {
              liveName: "PEER_HOST",
              references: [address(`service.${project}.svc-${neighbour}`)],
            }),
          ]
        : []),
    ];
  });
  const add = changes.flat().filter(({ action }) => action === "create").length;
  return plan(changes.flat(), {
    summary: { add, change: count - add, destroy: 0, adopt: 0, forget: 0 },
    cost: { before: { usd: 7, ngn: 1 }, after: { usd: 14, ngn: 2 }, estimate: true },
  });
}

const drifted = plan([
  change("update", "service.shop.api", {
    drift: [field("configuration.branch", value("main"), value("hotfix"), { cause: "drift" })],
    attributes: [field("configuration.branch", value("hotfix"), value("main"), { cause: "drift" })],
  }),
  change("create", "service.shop.database", {
    missing: true,
    attributes: [field("kind", absent, value("redis"))],
  }),
]);

const pages: Readonly<Record<string, () => string>> = {
  "3-services": () => pageOf(services(3)),
  "40-services": () => pageOf(services(40)),
  "500-services": () => pageOf(services(500)),
  "2000-services": () => pageOf(services(2000)),
  blocked: () => pageOf(shopPlan),
  empty: () => pageOf(plan([])),
  drift: () => driftPage(driftReport(drifted), { plan: drifted, diagnostics: [] }, { types }),
};

const windows = [360, 1280, 1600].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** Where pictures for people go; without it none are kept. */
const folder = process.env.RNV_SCREENSHOTS;

describeInBrowser("pages of all sizes", () => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  describe.each(Object.keys(pages))("%s", (name) => {
    const html = pages[name]?.() ?? "";

    it.each(windows)("fits $width pixels, $colorScheme, without findings", async ({ width, colorScheme }) => {
      const { page, noise } = await browser.open(html, { colorScheme, viewport: { width, height: 900 } });
      expect(await widthOf(page)).toBe(width);
      expect(noise).toEqual([]);
      // The rules do not depend on how many entries there are, and hundreds take a minute.
      if (!/^(500|2000)-/.test(name)) expect(await findingsOf(page)).toEqual([]);
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    });

    it("opens its picture with text that can be read", async () => {
      for (const width of [360, 1600]) {
        const { page } = await browser.open(html, { viewport: { width, height: 900 } });
        const sizes = await page
          .locator("svg.topology .node text")
          .evaluateAll((texts) =>
            texts
              .slice(0, 3)
              .map(
                (text) =>
                  (text as never as { getBoundingClientRect(): { height: number } }).getBoundingClientRect()
                    .height,
              ),
          );
        for (const size of sizes.filter((one) => one > 0)) expect(size).toBeGreaterThanOrEqual(8);
      }
    });
  });
});
