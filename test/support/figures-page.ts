import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__filename, "../../..");

/** Pages of figures. Each section has one generator, which leaves the others as they are. */
type FiguresPage = "tested" | "performance";

/** Writes a section of a page of figures, with the date, the commit that was measured, Node and the processor. */
export function writeFigures(page: FiguresPage, section: string, body: string): void {
  const path = join(root, "docs/explain", `${page}.md`);
  writeFileSync(path, withSection(readFileSync(path, "utf8"), section, `${measuredOn()}\n\n${body.trim()}`));
}

/** Returns a page with another text in a section. Throws where the page has no such section. */
export function withSection(page: string, section: string, text: string): string {
  const marked = new RegExp(`(<!-- section: ${section} -->\n)[\\s\\S]*?(\n<!-- end -->)`);
  if (!marked.test(page)) throw new Error(`the page has no section ${section}`);
  return page.replace(marked, (_, open: string, close: string) => `${open}${text}${close}`);
}

/** The commit that is checked out is the parent of the one that will hold the figures. */
function measuredOn(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changes =
    git("status", "--porcelain", "--", "src", "package-lock.json") === "" ? "" : " with local changes";
  const date = new Date().toISOString().slice(0, 10);
  const processor = `${cpus().length} cores of ${cpus()[0]?.model.trim()}`;
  return `Measured on ${date} at commit ${git("rev-parse", "--short=8", "HEAD")}${changes}, on Node ${process.versions.node}, ${processor}.`;
}
