import { choose, describeInBrowser, findingsOf, forms, widthOf } from "../support/browser";
import { pageOf } from "../support/html-plans";
import { address, change, field, manyPlan, plan, shopPlan, value } from "../support/plan-fixture";
import { shareOf } from "../support/soak";

/** What a server of artefacts sends with every file. */
const sandbox = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'";

const situations = [
  ["in a dark sandbox", { policy: sandbox, colorScheme: "dark" as const }],
  ["in a sandbox without scripts and styles", { policy: sandbox }],
  ["without scripts", { javaScriptEnabled: false }],
] as const;

describeInBrowser("the page of a plan", (browser) => {
  it.each(shareOf(forms, 4))(
    "has nothing that axe-core finds, loads nothing and fits the window: %s",
    async (_, form) => {
      const { page, noise } = await browser.open(pageOf(shopPlan), form);
      expect(await findingsOf(page)).toEqual([]);
      expect(await widthOf(page)).toBe(form.viewport?.width);
      expect(noise).toEqual([]);
    },
  );

  it.each(shareOf(situations, 3))("is whole %s: text, folding, picture and links", async (_, options) => {
    const { page } = await browser.open(pageOf(manyPlan), options);
    expect(await page.locator("#filter").isVisible()).toBe(false);
    expect(await page.locator("h1").innerText()).toBe("rnv plan");
    expect(await page.locator("svg.topology").boundingBox()).toMatchObject({ width: expect.any(Number) });
    const paper = page.locator("svg.topology rect.paper");
    expect(await paper.getAttribute("fill")).toBe("#ffffff");
    const body = page.locator('[id="service.blog.web"]');
    expect(await body.isVisible()).toBe(false);
    await page.locator("summary", { hasText: "service.blog.web" }).click();
    expect(await body.textContent()).toContain('+ configuration.plan: "starter"  # drift');
  });

  it("filters by text, action, cause and project", async () => {
    const { page } = await browser.open(pageOf(manyPlan));
    const shown = () => page.locator(".entry:visible summary code").allTextContents();
    await page.fill('input[name="text"]', "release-7");
    expect(await shown()).toEqual(["service.shop.s7"]);
    await page.click('button[type="reset"]');
    await choose(page, "Cause", "drift");
    expect(await shown()).toEqual(["service.blog.web"]);
    await page.click('button[type="reset"]');
    await choose(page, "Project or service", "blog");
    expect(await shown()).toEqual(["service.blog.web", "service.blog.jobs"]);
    await choose(page, "Action", "create");
    expect(await shown()).toEqual(["service.blog.jobs"]);
    expect(await page.locator("output").innerText()).toBe("1 of 14 shown");
    expect(await page.locator("h3:visible").allInnerTexts()).toEqual(["Created 1"]);
    await page.fill('input[name="text"]', "no such text");
    expect(await page.locator("#none").innerText()).toBe("No change matches. Reset");
    await page.click("#none button");
    expect(await page.locator("#none").isVisible()).toBe(false);
    expect(await page.locator("output").innerText()).toBe("14 of 14 shown");
  });

  it("runs nothing of names and values that the service has", async () => {
    const hostile = `"><img src=x onerror=alert(1)></script><script>alert(2)</script>{{7*7}}\u202e`;
    const changes = [
      change("update", "service.a", {
        liveName: hostile,
        attributes: [field("configuration.branch", value(hostile), value(`${hostile}\n${hostile}`))],
        effects: ["deploys"],
      }),
      change("no-op", "variable.b.KEY", { liveName: hostile, references: [address("service.a")] }),
      change("no-op", "service.b"),
    ];
    const { page, noise } = await browser.open(pageOf(plan(changes)));
    await page.locator("summary").first().click();
    expect(await page.locator("img, section script").count()).toBe(0);
    expect(noise).toEqual([]);
  });
});
