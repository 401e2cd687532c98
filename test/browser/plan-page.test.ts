import { readFileSync } from "node:fs";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describeInBrowser, type OpenBrowser, openBrowser } from "../support/browser";
import { pageOf } from "../support/html-plans";
import { change, field, plan, shopPlan, value } from "../support/plan-fixture";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds wrong with a page: rule and element. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  }>(`${axe};axe.run()`);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

const widthOf = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth");

const forms: readonly [string, BrowserContextOptions][] = [
  ["light and narrow", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
  ["dark and narrow", { colorScheme: "dark", viewport: { width: 360, height: 740 } }],
  ["light and wide", { colorScheme: "light", viewport: { width: 1600, height: 1000 } }],
  ["dark and wide", { colorScheme: "dark", viewport: { width: 1600, height: 1000 } }],
];

describeInBrowser("the page of a plan", () => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each(forms)(
    "has nothing that axe-core finds, loads nothing and fits the window: %s",
    async (_, form) => {
      const { page, noise } = await browser.open(pageOf(shopPlan), form);
      expect(await findingsOf(page)).toEqual([]);
      expect(await widthOf(page)).toBe(form.viewport?.width);
      expect(noise).toEqual([]);
    },
  );

  it("runs nothing of names and values that the service has", async () => {
    const hostile = `"><img src=x onerror=alert(1)></script><script>alert(2)</script>{{7*7}}\u202e`;
    const changes = [
      change("update", "service.a", {
        name: hostile,
        attributes: [field("configuration.branch", value(hostile), value(`${hostile}\n${hostile}`))],
        effects: ["deploys"],
      }),
    ];
    const { page, noise } = await browser.open(pageOf(plan(changes)));
    await page.locator("summary").first().click();
    expect(await page.locator("img, section script").count()).toBe(0);
    expect(noise).toEqual([]);
  });
});
