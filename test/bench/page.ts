import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../support/browser";
import { measure } from "./measure";
import type { Workbench } from "./workbench";

/** The page of a plan that makes 2,000 services, all fields. */
export interface MeasuredPage {
  readonly megabytes: number;
  /** From the start of the navigation to the second frame after the page has loaded: it is drawn and answers; milliseconds. */
  readonly opened: readonly number[];
}

/** Makes the page, and opens it that often in Debian's chromium, each time in a profile of its own. */
export async function measurePage(bench: Workbench, runs: number): Promise<MeasuredPage> {
  const site = await bench.declared({ count: 2000, width: "full" });
  await measure(site.rnv("plan", "-html", "plan.html"));
  const html = readFileSync(join(site.folder, "plan.html"), "utf8");
  const browser = await openBrowser();
  try {
    const opened: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const { page } = await browser.open(html);
      opened.push(await page.evaluate<number>(drawn));
      await page.context().close();
    }
    return { megabytes: Buffer.byteLength(html) / 1e6, opened };
  } finally {
    await browser.close();
  }
}

/** Runs in the page. */
const drawn = `new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))`;
