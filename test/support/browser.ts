import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { closing } from "./closing";
import { listen } from "./listen";

const program = process.env.RNV_CHROMIUM ?? "/usr/bin/chromium";

/** Describes what a real browser shows. Skipped where there is no chromium; a failure where CI has none. */
export function describeInBrowser(title: string, body: (browser: Pick<OpenBrowser, "open">) => void): void {
  const inBrowser = (): void => {
    let browser: OpenBrowser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    body({ open: (...page) => browser.open(...page) });
  };
  if (existsSync(program)) describe(title, inBrowser);
  else if (process.env.CI !== "true") describe.skip(title, inBrowser);
  else
    it(title, () => {
      throw new Error(`${program} is missing: apt-get install chromium, or name one by RNV_CHROMIUM`);
    });
}

/** What a page did besides showing itself. */
interface OpenedPage {
  readonly page: Page;
  /** Complaints of the console, errors of scripts and requests besides that of the page. */
  readonly noise: readonly string[];
}

interface OpenBrowser {
  /** Opens an HTML text as a file of a server would be: `policy` is the server's Content-Security-Policy. */
  open(
    html: string,
    options?: BrowserContextOptions & { readonly policy?: string; readonly hash?: string },
  ): Promise<OpenedPage>;
  close(): Promise<void>;
}

/** Starts the browser, and the server that it opens pages from. */
export async function openBrowser(): Promise<OpenBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: program,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const pages: { readonly html: string; readonly policy: string | undefined }[] = [];
  const server: Server = createServer(({ url = "" }, answer) => {
    const found = pages[Number(url.slice(1))];
    const policy = found?.policy === undefined ? {} : { "content-security-policy": found.policy };
    answer.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8", ...policy });
    answer.end(found?.html);
  });
  const site = await listen(server);
  return closing({
    open: async (html, { policy, hash = "", ...options } = {}) => {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const noise: string[] = [];
      const url = `${site.url}/${pages.push({ html, policy }) - 1}`;
      page.on("console", (message) => noise.push(message.text()));
      page.on("pageerror", (cause) => noise.push(String(cause)));
      page.on("dialog", (dialog) => noise.push(`dialog ${dialog.message()}`));
      page.on("request", (request) => {
        if (request.url().split("#")[0] !== url) noise.push(request.url());
      });
      await page.goto(`${url}${hash}`);
      return { page, noise };
    },
    close: async () => {
      await browser.close();
      await site.close();
    },
  });
}

/** Chooses a value in the filter of a page. */
export async function choose(page: Page, label: string, value: string): Promise<void> {
  const choices = page.locator("#filter label").filter({ hasText: new RegExp(`^${label}`) });
  await choices.locator("select").selectOption(value);
}

/** Windows and colours that every page is looked at in. */
export const forms: readonly [string, BrowserContextOptions][] = [
  ["light and narrow", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
  ["dark and narrow", { colorScheme: "dark", viewport: { width: 360, height: 740 } }],
  ["light and wide", { colorScheme: "light", viewport: { width: 1600, height: 1000 } }],
  ["dark and wide", { colorScheme: "dark", viewport: { width: 1600, height: 1000 } }],
];

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds wrong with a page: rule and element. */
export async function findingsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  }>(`${axe};axe.run({ resultTypes: ["violations"] })`);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

export const widthOf = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth");
