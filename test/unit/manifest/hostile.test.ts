import { briefs, loadText, removeFolders } from "./load";

afterAll(removeFolders);

const codes = async (text: string | Uint8Array) => briefs(await loadText(text));

const bomb = [
  "a: &a0 [x, x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 9 }, (_, i) => `b${i}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(", ")}]`),
].join("\n");

describe("hostile YAML", () => {
  it.each([
    ["a duplicate key", "services: {}\nservices: {}\n", "manifest.duplicate_key rnv.yaml:2:1 services"],
    [
      "the key __proto__",
      "services: { __proto__: { kind: web } }\n",
      "manifest.invalid_name rnv.yaml:1:13 __proto__",
    ],
    ["a key that is no text", "services: { 1: { kind: web } }\n", "manifest.invalid_type rnv.yaml:1:13 1"],
    ["a key that is a list", "? [a]\n: b\n", "manifest.invalid_type rnv.yaml:1:3 ***"],
    ["a tag", "services: !!binary aGk=\n", "manifest.unsupported rnv.yaml:1:11 !!binary"],
    ["a tag of its own", "outputs: { a: !x y }\n", "manifest.unsupported rnv.yaml:1:15 **"],
    ["a directive", "%YAML 1.1\n---\nversion: 1\n", "manifest.unsupported rnv.yaml:1:1 %YAML 1.1"],
    ["two documents", "version: 1\n---\nversion: 1\n", "manifest.unsupported rnv.yaml:2:1 ---"],
    ["an infinite number", "outputs: { a: 1e999 }\n", "manifest.invalid_value rnv.yaml:1:15 *****"],
    ["not a number", "outputs: { a: .nan }\n", "manifest.invalid_value rnv.yaml:1:15 ****"],
    ["tabs", "services:\n\tapi: {}\n", "manifest.syntax rnv.yaml:2:1 \tapi: {}"],
    ["an alias without an anchor", "outputs: { a: *b }\n", "manifest.syntax rnv.yaml:1:15 **"],
    ["an alias in its own anchor", "outputs: &a { b: *a }\n", "manifest.syntax rnv.yaml:1:18 **"],
    ["a control character", "outputs: { a: \u0007 }\n", "manifest.syntax rnv.yaml:1:15 * *"],
    ["a merge of text", "services: { a: { <<: x, kind: web } }\n", "manifest.invalid_type rnv.yaml:1:22 x"],
    ["a list at the top", "- a\n", "manifest.invalid_type rnv.yaml:1:1 - *"],
    ["an unclosed bracket", "services: { a: [\n", "manifest.syntax rnv.yaml:1:16 *"],
  ])("%s is one clean error at its place", async (_, text, expected) => {
    expect((await codes(text))[0]).toBe(expected);
  });

  it("with an alias bomb is refused", async () => {
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
  ])("of %s nested too deep is refused", async (_, text) => {
    expect((await codes(text)).map((one) => one.split(" ")[0])).toContain("manifest.too_deep");
  });

  it("above the size limit is refused unread", async () => {
    expect(await codes(Buffer.alloc(5 * 1024 * 1024, "a"))).toEqual(["manifest.too_large"]);
  });

  it.each([
    ["values", `outputs: [${"1,".repeat(500_000)}1]`],
    ["lines", `${"\n".repeat(500_000)}a: 1`],
    ["items", `outputs:\n${"-\n".repeat(500_000)}`],
  ])("with too many %s is refused", async (_, text) => {
    expect((await codes(text)).map((one) => one.split(" ")[0])).toContain("manifest.too_large");
  });

  it.each([
    ["UTF-16", Buffer.from("\ufeffversion: 1\n", "utf16le")],
    ["Latin-1", Buffer.from("outputs: { a: \xe9 }\n", "latin1")],
  ])("in %s is refused", async (_, bytes) => {
    expect(await codes(bytes)).toEqual(["manifest.syntax rnv.yaml:1:1"]);
  });

  it("with a byte order mark and CRLF is read, with right places", async () => {
    expect(await codes("\ufeffversion: 1\r\nservices: {}\r\n")).toEqual(["manifest.empty"]);
    expect(await codes("\ufeffversion: 1\r\nx: 1\r\n")).toEqual(["manifest.unknown_key rnv.yaml:2:1 x"]);
  });

  it("that is empty or only comments is an empty manifest", async () => {
    expect(await codes("")).toEqual(["manifest.empty"]);
    expect(await codes("# nothing\n---\n")).toEqual(["manifest.empty"]);
  });
});
