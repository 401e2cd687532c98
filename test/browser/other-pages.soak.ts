import { driftReport } from "../../src/plan/drift";
import type { FleetReport } from "../../src/report/fleet-report";
import { driftPage, fleetPage, statePage } from "../../src/report/html/pages";
import { resourceTypes as types } from "../../src/resources";
import { choose, describeInBrowser, findingsOf, forms, widthOf } from "../support/browser";
import { absent, address, change, field, plan, value } from "../support/plan-fixture";
import { state } from "../support/state-fixture";
import { resource } from "../unit/state/fixtures";

const hostile = `x"><img src=x onerror="document.title='run'">`;

const found = plan([
  change("update", "service.shop.api", {
    drift: [field("configuration.branch", value("main"), value(hostile), { cause: "drift" })],
    attributes: [field("configuration.branch", value(hostile), value("main"), { cause: "drift" })],
    references: [address("service.shop.database")],
  }),
  change("create", "service.shop.database", {
    missing: true,
    attributes: [field("kind", absent, value("postgres"))],
  }),
  change("create", "service.blog.web", { attributes: [field("kind", absent, value("web"))] }),
  change("no-op", "service.blog.jobs", { references: [address("service.blog.web")] }),
]);

const pages = {
  drift: driftPage(driftReport(found), { plan: found, diagnostics: [] }, { types }),
  state: statePage(
    {
      ...state,
      resources: {
        ...state.resources,
        [address("service.blog.web")]: resource("s2", {
          ...{ name: hostile, applied: { kind: "web", "configuration.branch": hostile } },
          dependsOn: [address("service.shop.api")],
        }),
      },
    },
    { types },
  ),
};

const fleet: FleetReport = {
  ...{ format_version: "1.0", verb: "plan", started_at: "2026-01-01T00:00:00Z", seconds: 3, exit_code: 1 },
  ...{ selected: ["shop", "teams/a b", "docs@staging"], counts: { clean: 1, changes: 1, failed: 1 } },
  members: [
    { name: "shop", folder: "shop", status: "clean", exit_code: 0, seconds: 1 },
    {
      ...{
        name: "docs@staging",
        folder: "docs",
        stage: "staging",
        status: "changes",
        exit_code: 2,
        seconds: 1,
      },
      changes: { add: 2, change: 0, destroy: 1, adopt: 0, forget: 0 },
    },
    {
      ...{
        name: "teams/a b",
        folder: "teams/a b",
        status: "failed",
        exit_code: 1,
        seconds: 1,
        output: hostile,
      },
      diagnostics: [
        {
          ...{ severity: "error", code: "manifest.syntax", summary: hostile, hint: "write ] at its end" },
          location: { file: "teams/a b/rnv.yaml", line: 4 },
        },
      ],
    },
  ],
};

const allPages = { ...pages, fleet: fleetPage(fleet) };

describeInBrowser("the pages of drift and of a state", (browser) => {
  it.each(Object.entries(allPages))(
    "%s: nothing that axe-core finds in any window, and no name runs",
    async (_, html) => {
      for (const [, form] of forms) {
        const { page, noise } = await browser.open(html, form);
        expect(await findingsOf(page)).toEqual([]);
        expect(await widthOf(page)).toBe(form.viewport?.width);
        expect(noise).toEqual([]);
        expect(await page.title()).not.toBe("run");
      }
    },
  );

  it.each(Object.entries(pages))("%s: whole without a script", async (_, html) => {
    const { page } = await browser.open(html, { javaScriptEnabled: false });
    expect(await page.locator("#filter").isVisible()).toBe(false);
    expect(await page.locator("svg.topology").isVisible()).toBe(true);
  });

  it("marks in the picture of drift what was found, and filters it", async () => {
    const { page } = await browser.open(pages.drift);
    const marks = await page
      .locator("svg.topology g.node")
      .evaluateAll((nodes) =>
        nodes.map((node) => [node.classList.item(1), node.querySelector("text")?.textContent]),
      );
    expect(marks.sort()).toEqual([
      ["drift", "api"],
      ["missing", "database"],
      ["pending", "web"],
      ["same", "jobs"],
    ]);
    const shown = () => page.locator(".entry:visible summary code").allTextContents();
    expect(await shown()).toEqual(["service.shop.database", "service.shop.api", "service.blog.web"]);
    await choose(page, "Found", "drift");
    expect(await shown()).toEqual(["service.shop.api"]);
    expect(await page.locator("h3:visible").allInnerTexts()).toEqual(["Changed outside rnv 1"]);
    await page.click('button[type="reset"]');
    await choose(page, "Project or service", "blog");
    expect(await shown()).toEqual(["service.blog.web"]);
    await page.locator('svg a[href="#service.shop.api"]').click();
    await page.locator('[id="service.shop.api"]').waitFor();
    expect(await page.locator("output").innerText()).toBe("3 of 3 shown");
  });

  it("shows of a fleet what needs someone first, the worst before the rest, and finds a member", async () => {
    const { page } = await browser.open(allPages.fleet);
    const shown = async () => {
      const texts = await page.locator(".entry:visible summary").allTextContents();
      return texts.map((text) => text.replace(/\s+/g, " ").trim());
    };
    expect(await shown()).toEqual([
      "\u2716 failed teams/a b",
      "~ changes docs@staging 2 to add, 1 to destroy",
      "\u2714 no changes shop",
    ]);
    expect(await page.locator(".entry[open]").count()).toBe(2);
    expect(await page.locator(".entry[open]").first().textContent()).toContain("teams/a b/rnv.yaml:4");

    await choose(page, "Ended", "changes");
    expect(await shown()).toEqual(["~ changes docs@staging 2 to add, 1 to destroy"]);
    await page.click('button[type="reset"]');
    await page.fill('input[name="text"]', "onerror");
    expect(await shown()).toEqual(["\u2716 failed teams/a b"]);
  });

  it("draws a state with its references, and finds a resource by text", async () => {
    const { page } = await browser.open(pages.state);
    expect(await page.locator("svg.topology g.edge title").textContent()).toContain(
      "service.blog.web refers to service.shop.api",
    );
    const shown = () => page.locator(".entry:visible summary code").allTextContents();
    await page.fill('input[name="text"]', "onerror");
    expect(await shown()).toEqual(["service.blog.web"]);
  });
});
