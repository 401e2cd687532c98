import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { decodeJournal, encodeLine, type JournalHeader } from "../../../src/state/journal";
import { fc } from "../../support/fixed-seed";
import { inSoak } from "../../support/soak";
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
/** Opens whatever it is given as `intent(1)`. */
const opening = { decrypter: async () => () => JSON.stringify(intent(1)) };
const refusing = { decrypter: async () => () => undefined };
const decode = (text: string) => decodeJournal(Buffer.from(text), "x.journal", refusing);

const problem = async (text: string): Promise<string> => {
  try {
    await decode(text);
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return cause.diagnostics[0]?.summary ?? "";
    throw cause;
  }
  return "none";
};

describe("the text of a journal", () => {
  it("reads back as it was written, padding passed over", async () => {
    expect(await decode(`${lines.join("")}${"\0".repeat(9000)}`)).toEqual({
      header,
      entries,
      encrypted: false,
    });
  });

  it("is damaged where an encrypted entry cannot be opened, and names its line", async () => {
    const encrypted = { kind: "sealed", keyId: "k", nonce: "n", data: "d" } as never;
    const text = `${lines[0]}${encodeLine(1, 1, encrypted)}`;
    expect(await problem(text)).toContain("it cannot be decrypted");
    expect(await problem(text)).toContain("2");
    expect(await decodeJournal(Buffer.from(text), "x.journal", opening)).toEqual({
      ...{ header, entries: [intent(1)], encrypted: true },
    });
  });

  it("cut anywhere counts up to its last whole line", async () => {
    const text = lines.join("");
    for (let length = (lines[0] ?? "").length; length <= text.length; length += 1) {
      const whole = text.slice(0, length).split("\n").length - 2;
      expect((await decode(text.slice(0, length))).entries).toEqual(entries.slice(0, whole));
    }
  });

  it("with a hole before lines that were never durable counts up to the hole", async () => {
    const hole = "\0".repeat((lines[3] ?? "").length);
    expect((await decode([...lines.slice(0, 3), hole, lines[4]].join(""))).entries).toEqual(
      entries.slice(0, 2),
    );
  });

  it("with a hole that had been durable is damaged, and names the line", async () => {
    const hole = `${"\0".repeat((lines[2] ?? "").length - 1)}\n`;
    const damaged = [lines[0], lines[1], hole, lines[3], lines[4]].join("");
    expect(await problem(damaged)).toContain("x.journal: line 3 is damaged");
    expect(await problem([lines[0], lines[2], lines[3]].join(""))).toContain("line 2 is damaged");
  });

  it("finds every changed byte before its last durable line", async () => {
    const text = lines.join("");
    const end = lines.slice(0, 3).join("").length;
    await fc.assert(
      fc.asyncProperty(fc.nat(end - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = Buffer.from(text);
        bytes.writeUInt8(bytes.readUInt8(at) ^ flip, at);
        expect(await problem(bytes.toString("latin1"))).toMatch(/line \d is damaged/);
      }),
      { numRuns: inSoak(500, 100) },
    );
  });

  it("without a header, or with entries that no version wrote, is damaged", async () => {
    expect(await problem("")).toContain("line 1 is damaged");
    expect(await problem(lines.slice(1).join(""))).toContain("line 1 is damaged");
    const odd = encodeLine(1, 1, { kind: "resource", address: 7 } as never);
    expect(await problem([lines[0], odd].join(""))).toContain("line 2 is damaged");
    for (const entry of [null, 7, { kind: "sealed", keyId: "k" }, { kind: "sealed" }]) {
      const text = Buffer.from([lines[0], encodeLine(1, 1, entry as never)].join(""));
      // Never handed to the cipher as if it were whole.
      await expect(decodeJournal(text, "x.journal", opening)).rejects.toThrow("line 2 is damaged");
    }
  });

  it.each([
    ["format", ["rnv-state", undefined], "not the header of a journal"],
    ["version", [0, "1", null], "not the header of a journal"],
    ["id", [7, undefined], "not the header of a journal"],
    ["lineage", [7, undefined], "not the header of a journal"],
    ["serial", ["3", 1.5, undefined], "not the header of a journal"],
    ["generation", ["2", 1.5, undefined], "not the header of a journal"],
  ])("is damaged where its header has no %s", async (name, values, why) => {
    for (const value of values)
      expect(await problem(encodeLine(0, 0, { ...header, [name]: value } as never))).toContain(why);
  });

  it("asks for the key of its entries where they are encrypted, and with its salt where it has a salt", async () => {
    const keyOf = async (...texts: string[]) => {
      const decrypter = jest.fn(async () => () => JSON.stringify(intent(1)));
      await decodeJournal(Buffer.from(texts.join("")), "x.journal", { decrypter });
      return (decrypter.mock.calls as unknown[][])[0]?.[0];
    };
    const encrypted = { kind: "sealed", keyId: "k1", nonce: "n", data: "d" } as const;
    const first = lines[0] ?? "";
    expect(await keyOf(...lines)).toBeUndefined();
    expect(await keyOf(first)).toBeUndefined();
    expect(await keyOf(first, encodeLine(1, 1, encrypted))).toMatchObject({ keyId: "k1" });
    const salted = encodeLine(1, 1, { ...encrypted, salt: "s1==" });
    expect(await keyOf(first, salted)).toMatchObject({ keyId: "k1", salt: "s1==" });
  });

  it("asks for an upgrade where its version is newer", async () => {
    expect(await problem(encodeLine(0, 0, { ...header, version: 2 } as never))).toContain(
      "newer version of rnv",
    );
  });
});
