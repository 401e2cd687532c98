import { readPage, transcripts, withOutputs, withoutVolatile } from "../../tools/transcripts";
import { builtCli } from "../support/built-cli";

describe("the pages with commands and their output", () => {
  beforeAll(() => {
    builtCli();
  });

  it.each(transcripts)("%s shows what the built program prints (else: npm run docs:transcripts)", (path) => {
    const page = readPage(path);
    expect(withoutVolatile(page)).toBe(withoutVolatile(withOutputs(page)));
  });
});

describe("README.md", () => {
  const lines = readPage("README.md").split("\n");
  const shown = lines
    .join("\n")
    .replace(/<!-- run\n[\s\S]*?-->\n/g, "")
    .split("\n");

  it("has at most 120 lines of 120 characters", () => {
    expect(shown.length - 1).toBeLessThanOrEqual(120);
    expect(lines.filter(({ length }) => length > 120)).toEqual([]);
  });

  it("has the two commands of the repository near the top", () => {
    const position = (text: string): number => shown.findIndex((line) => line.startsWith(text));
    expect(position("npm ci && npm run demo")).toBeGreaterThan(0);
    expect(position("npm ci && npm test")).toBe(position("npm ci && npm run demo") + 1);
  });
});
