import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const leftOut = /(^|\/)(node_modules|dist|\.git|cdktf\.out)(\/|$)|^test\/support\/stored/;

const pages = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".md") && !leftOut.test(path),
);

/** Links of a page outside of blocks of code. */
const linksIn = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");

/** Anchors of a page, as GitHub makes them of headings, and explicit ones. */
function anchorsIn(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id ?? "")]);
}

describe("the links of all pages", () => {
  it.each(pages)("%s links to files and headings that exist", (page) => {
    const broken = linksIn(readFileSync(join(root, page), "utf8")).filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? join(root, page) : resolve(root, dirname(page), path);
      if (!existsSync(target) || relative(root, target).startsWith("..")) return true;
      if (anchor === undefined || statSync(target).isDirectory()) return false;
      return !anchorsIn(readFileSync(target, "utf8")).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});
