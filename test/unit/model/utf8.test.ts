import { utf8Text } from "../../../src/model/utf8";

describe("utf8Text", () => {
  it.each(["", "plain ASCII\n", "ünïcödé ☃", "\u{1f600}"])("reads %j as it was written", (text) => {
    expect(utf8Text(new TextEncoder().encode(text))).toBe(text);
  });

  it("reads a part of a larger buffer, and replaces what is not UTF-8", () => {
    expect(utf8Text(Buffer.from("abcdef").subarray(2, 4))).toBe("cd");
    expect(utf8Text(Uint8Array.of(0x61, 0xff))).toBe("a\ufffd");
  });
});
