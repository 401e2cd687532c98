import type { Page } from "playwright-core";
import { choose, describeInBrowser } from "../support/browser";
import { pageOf } from "../support/html-plans";
import { address, change, field, manyPlan, plan, shopPlan, value } from "../support/plan-fixture";

const focusOf = (page: Page): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");
/** The part of the picture that is shown, and how large. */
const viewOf = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const picture = document.querySelector(".picture");
    return [picture.querySelector("svg").clientWidth, picture.scrollLeft, picture.scrollTop].join(" ");
  })()`);

/** Waits until the view is another one: the browser scrolls smoothly, by itself. */
async function untilOther(page: Page, view: string): Promise<void> {
  for (let i = 0; i < 100 && (await viewOf(page)) === view; i++) await page.waitForTimeout(20);
  expect(await viewOf(page)).not.toBe(view);
}

describeInBrowser("all that the page of a plan does", (browser) => {
  it("unfolds and shows what a link leads to, on a narrow page too, with a script and without", async () => {
    const rows = Array.from({ length: 60 }, (_, i) =>
      change("update", `service.shop.s${i}`, {
        attributes: [field("configuration.branch", value("main"), value(`release-${i}`))],
        effects: ["deploys"],
      }),
    );
    const viewport = { width: 360, height: 640 };
    for (const javaScriptEnabled of [true, false]) {
      const form = { javaScriptEnabled, viewport, hash: "#service.shop.s45" };
      const { page } = await browser.open(pageOf(plan(rows)), form);
      const box = await page.locator('[id="service.shop.s45"]').boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect(box?.y).toBeLessThan(viewport.height);
      expect(await page.locator('[id="service.shop.s44"]').isVisible()).toBe(false);
    }
  });

  it("counts each of a group in its filter, as the heading does", async () => {
    const alike = Array.from({ length: 6 }, (_, i) =>
      change("update", `service.shop.s${i}`, {
        attributes: [field("configuration.branch", value("a"), value("b"))],
      }),
    );
    const { page } = await browser.open(pageOf(plan([...alike, change("create", "service.shop.new")])));
    expect(await page.locator("h2", { hasText: "Changes" }).innerText()).toBe("Changes 7");
    expect(await page.locator("output").innerText()).toBe("7 of 7 shown");
    await choose(page, "Action", "update");
    expect(await page.locator("output").innerText()).toBe("6 of 7 shown");
  });

  it("goes from a node of the picture to its change, out of a filter too", async () => {
    const { page } = await browser.open(pageOf(manyPlan));
    await choose(page, "Action", "create");
    await page.locator('svg a[href="#service.blog.web"]').focus();
    await page.keyboard.press("Enter");
    await page.locator('[id="service.blog.web"]').waitFor();
    expect(await page.locator("output").innerText()).toBe("14 of 14 shown");
  });

  it("is used by keys alone", async () => {
    const { page } = await browser.open(pageOf(manyPlan));
    await page.keyboard.press("Tab");
    expect(await focusOf(page)).toBe("Skip to the report");
    for (let i = 0; i < 60 && !(await focusOf(page)).includes("service.shop.s3 "); i++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.locator(".entry[open]").count()).toBe(1);
    expect(new URL(page.url()).hash).toBe("#service.shop.s3");
    const fieldOf = () => page.evaluate("document.activeElement.name");
    for (let i = 0; i < 60 && (await fieldOf()) !== "text"; i++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.type("jobs");
    expect(await page.locator(".entry:visible").count()).toBe(1);
  });

  it("moves and zooms its picture by pointer, keys and buttons", async () => {
    const { page } = await browser.open(pageOf(manyPlan), { viewport: { width: 1000, height: 800 } });
    const start = await viewOf(page);
    await page.click("text=Zoom in");
    const zoomed = await viewOf(page);
    expect(zoomed).not.toBe(start);
    await page.click("text=Fit");
    expect(await viewOf(page)).toBe(start);
    const picture = page.locator(".picture");
    await picture.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press("+");
    const larger = await viewOf(page);
    expect(larger).not.toBe(start);
    await page.keyboard.press("ArrowRight");
    await untilOther(page, larger);
    await page.keyboard.press("0");
    expect(await viewOf(page)).toBe(start);
    for (let i = 0; i < 4; i++) await page.keyboard.press("+");
    const box = await picture.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 120, (box?.y ?? 0) + 80];
    const before = await viewOf(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 80, y - 40, { steps: 4 });
    await page.mouse.up();
    expect(await viewOf(page)).not.toBe(before);
  });

  it("opens a large picture readable, at what is most dangerous, and fits it into its frame", async () => {
    const chain = Array.from({ length: 30 }, (_, i) => [
      change(i === 22 ? "delete" : "update", `service.shop.s${i}`),
      change("no-op", `variable.shop.s${i}.NEXT`, { references: [address(`service.shop.s${i + 1}`)] }),
    ]);
    const { page } = await browser.open(pageOf(plan(chain.flat())), {
      viewport: { width: 360, height: 740 },
    });
    const shown = (selector: string): Promise<{ isInside: boolean; smallText: number }> =>
      page.evaluate(`(() => {
        const [view, box] = [".picture", ${JSON.stringify(selector)}].map((one) => document.querySelector(one).getBoundingClientRect());
        const isInside = box.left >= view.left && box.right <= view.right && box.top >= view.top && box.bottom <= view.bottom;
        const drawing = document.querySelector("svg.topology");
        return { isInside, smallText: (11 * drawing.getBoundingClientRect().width) / drawing.viewBox.baseVal.width };
      })()`);
    const opened = await shown(".node.delete");
    expect(opened.isInside).toBe(true);
    expect(opened.smallText).toBeCloseTo(8, 2);
    expect((await shown("svg.topology")).isInside).toBe(false);
    await page.click("text=Fit");
    expect((await shown("svg.topology")).isInside).toBe(true);
  });

  it("copies the text that lets a blocked change pass", async () => {
    const { page } = await browser.open(pageOf(shopPlan), {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.locator("#blocked button", { hasText: "Copy" }).click();
    await page.locator("#blocked button", { hasText: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("--confirm-delete service.shop.docs");
  });

  it("prints every field, and nothing to click", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await browser.open(pageOf(manyPlan), { javaScriptEnabled });
      await page.emulateMedia({ media: "print" });
      expect((await page.locator("ins", { hasText: "release-7" }).boundingBox())?.height).toBeGreaterThan(0);
      expect(
        await page
          .locator("nav, #filter, .tools")
          .evaluateAll((all) =>
            all.some((one) => (one as never as { offsetHeight: number }).offsetHeight > 0),
          ),
      ).toBe(false);
      expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
    }
  });

  it("draws text inside its nodes, in the font that there is", async () => {
    const { page } = await browser.open(pageOf(manyPlan));
    const outside =
      await page.evaluate(`[...document.querySelectorAll("svg.topology .node")].flatMap((node) => {
      const face = node.querySelector("rect").getBBox();
      return [...node.querySelectorAll("text")].filter((text) => text.getBBox().x + text.getBBox().width > face.x + face.width).map((text) => text.textContent);
    })`);
    expect(outside).toEqual([]);
  });

  it("opens a plan of 2,000 services with all its entries to filter", async () => {
    const many = Array.from({ length: 2000 }, (_, i) =>
      change("update", `service.p${i % 50}.s${i}`, {
        attributes: [field("configuration.branch", value("main"), value(`release-${i}`))],
      }),
    );
    const html = pageOf(plan(many));
    expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
    const { page, noise } = await browser.open(html);
    expect(await page.locator("output").innerText()).toBe("2000 of 2000 shown");
    expect(noise).toEqual([]);
  });
});
