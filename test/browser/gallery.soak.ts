import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Diagnostic } from "../../src/diagnostics/diagnostic";
import type { Check } from "../../src/model/policy";
import { driftReport } from "../../src/plan/drift";
import type { Change, Plan } from "../../src/plan/plan";
import { driftPage } from "../../src/report/html/pages";
import { resourceTypes as types } from "../../src/resources";
import { describeInBrowser, findingsOf, widthOf } from "../support/browser";
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

/** Services in pairs in one project; a deletion late among them is blocked. */
const pairs = plan(
  Array.from({ length: 40 }, (_, i): readonly Change[] => [
    i === 35
      ? change("delete", `service.shop.svc-${i}`, {
          blockedBy: { code: "guard.delete_unconfirmed", summary: "it is not confirmed", hint: "confirm it" },
        })
      : change("update", `service.shop.svc-${i}`, {
          attributes: [field("configuration.branch", value("main"), value(`release-${i}`))],
        }),
    ...(i % 2 === 0
      ? [
          change("no-op", `variable.shop.svc-${i}.PEER_HOST`, {
            ...{ liveName: "PEER_HOST", references: [address(`service.shop.svc-${i + 1}`)] },
          }),
        ]
      : []),
  ]).flat(),
);

/** New services of which each breaks a policy, and many another. */
function policed(count: number): Plan {
  const names = Array.from({ length: count }, (_, i) => `service.p${Math.floor(i / 10)}.svc-${i}`);
  const broken = names.flatMap((name, i): readonly Check[] => [
    { policy: "replicas", level: "advisory", status: "failed", address: address(name), message: "run two" },
    ...(i % 14 < 5
      ? [
          {
            ...({ policy: "health", level: "overridable", status: "failed" } as const),
            ...{ address: address(name), message: "it needs a path" },
          },
        ]
      : []),
  ]);
  return plan(
    names.map((name) => change("create", name, { attributes: [field("kind", absent, value("web"))] })),
    {
      checks: broken,
      diagnostics: broken.map(({ policy, level, address: at, message }) => ({
        ...(level === "advisory"
          ? ({ severity: "warning", code: "policy.failed" } as const)
          : ({ severity: "error", code: "guard.policy" } as const)),
        ...{ summary: `policy ${policy} of ${at}: ${message}`, address: `${at}`, hint: "look at it" },
      })),
    },
  );
}

const sameWarnings = Array.from(
  { length: 16 },
  (_, i): Diagnostic => ({
    ...{ severity: "warning", code: "plan.live_changed_too", address: `service.shop.svc-${i}` },
    summary: `service.shop.svc-${i} had changed outside rnv too`,
  }),
);

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
  pairs: () => pageOf(pairs),
  "500-policed": () => pageOf(policed(500)),
  "2000-policed": () => pageOf(policed(2000)),
  blocked: () => pageOf(shopPlan),
  empty: () => pageOf(plan([])),
  drift: () => driftPage(driftReport(drifted), { plan: drifted, diagnostics: sameWarnings }, { types }),
};

const windows = [360, 800, 1280].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** Where pictures for people go; without it none are kept. */
const folder = process.env.RNV_SCREENSHOTS;

describeInBrowser("pages of all sizes", (browser) => {
  describe.each(Object.keys(pages))("%s", (name) => {
    const html = pages[name]?.() ?? "";

    it.each(windows)(
      "fits $width pixels, $colorScheme, without findings",
      async ({ width, colorScheme }) => {
        const { page, noise } = await browser.open(html, { colorScheme, viewport: { width, height: 900 } });
        expect(await widthOf(page)).toBe(width);
        expect(noise).toEqual([]);
        // In a page of 2,000 the rules take more than a minute: they are asked of one window.
        const isAsked = !name.startsWith("2000-") || (width === 1280 && colorScheme === "light");
        if (isAsked) expect(await findingsOf(page)).toEqual([]);
        if (folder === undefined) return;
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      },
      300_000,
    );

    it("opens its picture with text that can be read", async () => {
      for (const width of [360, 1280]) {
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

  it.each([
    ["3-services", 3],
    ["40-services", 20],
    ["pairs", 40],
    ["500-services", 50],
  ])("fills the frame of its picture in %s, and shows first what is blocked", async (name, fewest) => {
    for (const width of [800, 1280]) {
      const { page } = await browser.open(pages[name]?.() ?? "", { viewport: { width, height: 900 } });
      const { cover, seen, blocked } = await viewOf(page);
      expect(cover).toBeGreaterThan(0.9);
      if (width === 1280) expect(seen).toBeGreaterThanOrEqual(fewest);
      expect(blocked).toEqual(blocked.map(() => true));
    }
  });

  it.each([
    ["500-policed", 9_000],
    ["2000-policed", 9_000],
    ["2000-services", 9_000],
  ])("keeps %s short and small, with findings once and warnings below the changes", async (name, most) => {
    const html = pages[name]?.() ?? "";
    expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
    const { page } = await browser.open(html, { viewport: { width: 1280, height: 900 } });
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(most);
    const titles = await page.locator("h2").allInnerTexts();
    if (name === "500-policed")
      expect(titles).toEqual(["Errors 180", "Topology", "Changes 500", "Warnings 500", "Policies 2"]);
  });

  it("begins a page of drift with the first difference", async () => {
    const { page } = await browser.open(pages.drift?.() ?? "", { viewport: { width: 1280, height: 900 } });
    expect(await page.locator("h2").allInnerTexts()).toEqual(["Differences 2", "Topology", "Warnings 16"]);
    expect(await page.locator("#warnings li:visible").allInnerTexts()).toEqual([
      expect.stringContaining("The same for service.shop.svc-1, service.shop.svc-2, service.shop.svc-3"),
    ]);
  });
});

/** The share of the frame that the picture covers, the nodes that are whole in it, and for each that is blocked if it is. */
const viewOf = (page: Page): Promise<{ cover: number; seen: number; blocked: readonly boolean[] }> =>
  page.evaluate(`(() => {
    const [frame, drawing] = [".picture", ".picture svg"].map((one) => document.querySelector(one).getBoundingClientRect());
    const common = (from, to) => Math.min(frame[to], drawing[to]) - Math.max(frame[from], drawing[from]);
    const seen = (kind) => [...document.querySelectorAll(".node:not(.standin)" + kind)].map((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom;
    });
    const cover = (common("left", "right") * common("top", "bottom")) / (frame.width * frame.height);
    return { cover, seen: seen("").filter((one) => one).length, blocked: seen(".stopped") };
  })()`);
