import { join } from "node:path";
import { casesIn } from "../../support/rows";
import { briefs, loadText } from "./load";

const codes = async (text: string | Uint8Array) => briefs(await loadText(text));

const bomb = [
  "a: &a0 [x, x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 9 }, (_, i) => `b${i}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(", ")}]`),
].join("\n");

describe("hostile YAML", () => {
  it.each(casesIn<[string, string, string]>(join(__dirname, "hostile.json")))(
    "%s is one clean error at its place",
    async (_, text, expected) => {
      expect((await codes(text))[0]).toBe(expected);
    },
  );

  it("is refused with an alias bomb", async () => {
    expect(await codes(bomb)).toContainEqual(expect.stringMatching(/^manifest\.too_large rnv\.yaml:/));
  });

  it.each([
    ["flow lists", "[".repeat(100_000)],
    ["flow maps", "{a: ".repeat(100_000)],
    ["compact lists", "- ".repeat(100_000)],
    ["compact keys", "? ".repeat(100_000)],
    ["block maps", Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    [
      "aliases",
      Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [[[${i === 0 ? 1 : `*a${i - 1}`}]]]`).join("\n"),
    ],
  ])("is refused where %s are nested too deep", async (_, text) => {
    expect((await codes(text)).map((one) => one.split(" ")[0])).toContain("manifest.too_deep");
  });

  it("above the size limit is refused unread", async () => {
    expect(await codes(Buffer.alloc(5 * 1024 * 1024, "a"))).toEqual(["manifest.too_large"]);
  });

  it.each([
    ["values", `outputs: [${"1,".repeat(500_000)}1]`],
    ["lines", `${"\n".repeat(500_000)}a: 1`],
    ["items", `outputs:\n${"-\n".repeat(500_000)}`],
  ])("is refused with too many %s", async (_, text) => {
    expect((await codes(text)).map((one) => one.split(" ")[0])).toContain("manifest.too_large");
  });

  it.each([
    ["UTF-16", Buffer.from("\ufeffversion: 1\n", "utf16le")],
    ["Latin-1", Buffer.from("outputs: { a: \xe9 }\n", "latin1")],
  ])("in %s is refused", async (_, bytes) => {
    expect(await codes(bytes)).toEqual(["manifest.syntax rnv.yaml:1:1"]);
  });

  it("is read with a byte order mark and CRLF, with right places", async () => {
    expect(await codes("\ufeffversion: 1\r\nservices: {}\r\n")).toEqual(["manifest.empty"]);
    expect(await codes("\ufeffversion: 1\r\nx: 1\r\n")).toEqual(["manifest.unknown_key rnv.yaml:2:1 x"]);
  });

  it("is an empty manifest where it is empty or only comments", async () => {
    expect(await codes("")).toEqual(["manifest.empty"]);
    expect(await codes("# nothing\n---\n")).toEqual(["manifest.empty"]);
  });
});
