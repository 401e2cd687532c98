import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { decodeJournal, encodeLine, type JournalHeader, journalKey } from "../../../src/state/local/journal";
import { fc } from "../../support/fixed-seed";
import { intent, outcome } from "./fixtures";

const header: JournalHeader = {
  format: "rnv-journal",
  version: 1,
  id: "j",
  lineage: "line",
  serial: 3,
  generation: 2,
};
const entries = [intent(1), outcome(1), intent(2), intent(3)];
/** Each line knows the ones before it durable, but the last, which went out together with the one before it. */
const lines = [
  encodeLine(0, 0, header),
  encodeLine(1, 1, intent(1)),
  encodeLine(2, 2, outcome(1)),
  encodeLine(3, 3, intent(2)),
  encodeLine(4, 3, intent(3)),
];
const decode = (text: string) => decodeJournal(Buffer.from(text), "x.journal");

const problem = (text: string): string => {
  try {
    decode(text);
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return cause.diagnostics[0]?.summary ?? "";
    throw cause;
  }
  return "none";
};

describe("the text of a journal", () => {
  it("reads back as it was written, padding passed over", () => {
    expect(decode(`${lines.join("")}${"\0".repeat(9000)}`)).toEqual({ header, entries });
  });

  it("is one JSON object a line", () => {
    expect(lines.map((line) => JSON.parse(line).entry)).toEqual([header, ...entries]);
  });

  it("is damaged where an encrypted entry cannot be opened, and names its line", () => {
    const encrypted = { kind: "sealed", keyId: "k", nonce: "n", data: "d" } as never;
    const text = `${lines[0]}${encodeLine(1, 1, encrypted)}`;
    expect(problem(text)).toContain("it cannot be decrypted");
    expect(problem(text)).toContain("2");
    const open = () => JSON.stringify(intent(1));
    expect(decodeJournal(Buffer.from(text), "x.journal", open).entries).toEqual([intent(1)]);
  });

  it("cut anywhere counts up to its last whole line", () => {
    const text = lines.join("");
    for (let length = (lines[0] ?? "").length; length <= text.length; length += 1) {
      const whole = text.slice(0, length).split("\n").length - 2;
      expect(decode(text.slice(0, length)).entries).toEqual(entries.slice(0, whole));
    }
  });

  it("with a hole before lines that were never durable counts up to the hole", () => {
    const hole = "\0".repeat((lines[3] ?? "").length);
    expect(decode([...lines.slice(0, 3), hole, lines[4]].join("")).entries).toEqual(entries.slice(0, 2));
  });

  it("with a hole that had been durable is damaged, and names the line", () => {
    const hole = `${"\0".repeat((lines[2] ?? "").length - 1)}\n`;
    const damaged = [lines[0], lines[1], hole, lines[3], lines[4]].join("");
    expect(problem(damaged)).toContain("x.journal: line 3 is damaged");
    expect(problem([lines[0], lines[2], lines[3]].join(""))).toContain("line 2 is damaged");
  });

  it("finds every changed byte before its last durable line", () => {
    const text = lines.join("");
    const end = lines.slice(0, 3).join("").length;
    fc.assert(
      fc.property(fc.nat(end - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(text);
        bytes.writeUInt8(bytes.readUInt8(at) ^ flip, at);
        expect(problem(bytes.toString("latin1"))).toMatch(/line \d is damaged/);
      }),
      { numRuns: 500 },
    );
  });

  it("without a header, or with entries that no version wrote, is damaged", () => {
    expect(problem("")).toContain("line 1 is damaged");
    expect(problem(lines.slice(1).join(""))).toContain("line 1 is damaged");
    const odd = encodeLine(1, 1, { kind: "resource", address: 7 } as never);
    expect(problem([lines[0], odd].join(""))).toContain("line 2 is damaged");
    for (const entry of [null, 7, { kind: "sealed", keyId: "k" }, { kind: "sealed" }]) {
      const text = Buffer.from([lines[0], encodeLine(1, 1, entry as never)].join(""));
      // Never handed to the cipher as if it were whole.
      const open = () => JSON.stringify(intent(1));
      expect(() => decodeJournal(text, "x.journal", open)).toThrow("line 2 is damaged");
    }
  });

  it.each([
    ["format", ["rnv-state", undefined], "not the header of a journal"],
    ["version", [0, "1", null], "its header is incomplete"],
    ["id", [7, undefined], "its header is incomplete"],
    ["lineage", [7, undefined], "its header is incomplete"],
    ["serial", ["3", 1.5, undefined], "its header is incomplete"],
    ["generation", ["2", 1.5, undefined], "its header is incomplete"],
  ])("whose header has no %s is damaged", (name, values, why) => {
    for (const value of values)
      expect(problem(encodeLine(0, 0, { ...header, [name]: value } as never))).toContain(why);
  });

  it("whose header is no object is damaged", () => {
    for (const value of [null, 7, "text"])
      expect(problem(encodeLine(0, 0, value as never))).toContain("not the header of a journal");
  });

  it("names the key of its entries where they are encrypted, and its salt where it has one", () => {
    const sealed = { kind: "sealed", keyId: "k1" } as const;
    const rest = { nonce: "n", data: "d" };
    const keyOf = (...texts: string[]) => journalKey(Buffer.from(texts.join("")));
    const first = lines[0] ?? "";
    expect(keyOf(...lines)).toBeUndefined();
    expect(keyOf("")).toBeUndefined();
    expect(keyOf(first, encodeLine(1, 1, { ...sealed, ...rest }))).toEqual({ keyId: "k1" });
    expect(keyOf(first, encodeLine(1, 1, { ...sealed, salt: "s1==", ...rest }))).toEqual({
      keyId: "k1",
      salt: "s1==",
    });
    const text = { kind: "outputs", outputs: { text: '"entry":{"kind":"sealed","keyId":"k1"' } } as const;
    expect(keyOf(first, encodeLine(1, 1, text))).toBeUndefined();
  });

  it("of a newer version asks for an upgrade", () => {
    expect(problem(encodeLine(0, 0, { ...header, version: 2 } as never))).toContain("newer version of rnv");
  });
});
