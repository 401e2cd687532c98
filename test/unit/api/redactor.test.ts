import { join } from "node:path";
import { Redactor } from "../../../src/api/redactor";
import { Secret } from "../../../src/model/secret";
import { casesIn, rowsIn } from "../../support/rows";

const value = 'p4ss"w/örd & x';

function redacting(...texts: readonly string[]): Redactor {
  const redactor = new Redactor(new Secret("rnv_0123456789"));
  redactor.add(texts.map((text) => new Secret(text)));
  return redactor;
}

describe("text of the service", () => {
  it.each(rowsIn(join(__dirname, "forms-of-a-secret.tsv")))("does not repeat a secret %s", (_, form) => {
    expect(redacting(value).text(`DATABASE_URL=${form}; exit 1`)).toBe("DATABASE_URL=(sensitive); exit 1");
  });

  it("does not repeat a secret of 4 to 7 characters as a word; digits and common words stay", () => {
    const redactor = redacting("k3y7", "s3cret!", "1234", "true", "Main", "info", "abc");
    expect(redactor.text('PIN=k3y7, "k3y7" (s3cret!) k3y7.')).toBe(
      'PIN=(sensitive), "(sensitive)" ((sensitive)) (sensitive)',
    );
    for (const text of ["k3y75 is not it", "port 1234 is true on Main, info", "abc"])
      expect(redactor.text(text)).toBe(text);
  });

  it.each([0, 1, 2])(
    "does not repeat the base64 form of a secret %i bytes behind something else",
    (shift) => {
      const secret = "correct horse battery staple";
      const encoded = Buffer.from(`${"u".repeat(shift)}${secret}:more`).toString("base64");
      const shown = redacting(secret).text(encoded);
      expect(shown).toContain("(sensitive)");
      // Of what it shares with its neighbours, at most a character is left at each side.
      expect(shown.replace("(sensitive)", "").length).toBeLessThan(
        encoded.length - Buffer.byteLength(secret),
      );
    },
  );

  it.each(["correct-horse", "correct-horses", "correct-horse-s", "cörrect-hörse?>~"])(
    "leaves nothing of base64 alone, padded or not, in either alphabet: %s",
    (secret) => {
      const padded = Buffer.from(secret).toString("base64");
      const forms = [padded, padded.replace(/=+$/, ""), Buffer.from(secret).toString("base64url")];
      for (const form of forms) expect(redacting(secret).text(form)).toBe("(sensitive)");
    },
  );

  it.each(casesIn<[string, string, string]>(join(__dirname, "repeated-secrets.json")))(
    "does not repeat the part of a secret that matters, with %s",
    (_, secret, repeated) => {
      expect(redacting(secret).text(`<${repeated}>`)).toBe("<(sensitive)>");
    },
  );

  it.each([
    ["of an address: its host", "https://me:hunter2hunter2@the-host.test/x", "no host the-host.test"],
    ["of an address without a password", "https://the-host.test/x", "no host the-host.test"],
    ["of one line: its words", "correct horse-battery", "horse-battery"],
    ["cut to fewer than 8 characters", "hunter2-hunter2", "hunter2…"],
    ["cut with something else in it", "hunter2-hunter2", "hunter2-other…"],
  ])("keeps a part that is not secret: %s", (_, secret, text) => {
    expect(redacting(secret).text(text)).toBe(text);
  });

  it.each(["…", "..."])("masks a secret that is cut short with %s, and continues after it", (ellipsis) => {
    const shown = redacting("hunter2-hunter2-hunter2").text(
      `hunter2-${ellipsis} and hunter2-hunter2-hunter2!`,
    );
    expect(shown).toBe(`(sensitive)${ellipsis} and (sensitive)!`);
  });

  it("masks the longest of secrets that begin alike, in any order, and each once", () => {
    const all = ["hunter2-", "hunter2-and-more", "hunter2-and-more-still"];
    for (const texts of [all, [...all].reverse(), [...all, ...all]])
      expect(redacting(...texts).text("hunter2-and-more-still hunter2-and-more hunter2-")).toBe(
        "(sensitive) (sensitive) (sensitive)",
      );
    const nested = redacting("a-hunter2-hunter2-z", "hunter2-hunter2");
    expect(nested.text("<a-hunter2-hunter2-z> hunter2-hunter2")).toBe("<(sensitive)> (sensitive)");
  });

  it("learns secrets as they come, and knows the API key from the start", () => {
    const redactor = new Redactor(new Secret("rnv_01"));
    expect(redactor.text("a rnv_01, later-secret")).toBe("a (sensitive), later-secret");
    redactor.add([new Secret("later-secret")]);
    expect(redactor.text("later-secret, last-secret")).toBe("(sensitive), last-secret");
    redactor.add([new Secret("last-secret")]);
    expect(redactor.text("later-secret, last-secret.")).toBe("(sensitive), (sensitive).");
  });

  it("does not repeat a line of a secret of several lines", () => {
    const key = "-----BEGIN KEY-----\r\nMIIEvQIBADANBgkq\r\nshort\r\n-----END KEY-----\n";
    expect(redacting(key).text("cannot parse MIIEvQIBADANBgkq: short")).toBe(
      "cannot parse (sensitive): short",
    );
  });

  it("does not repeat the password of a secret address", () => {
    const shown = redacting("postgres://shop:hunter2%21hunter2@db:5432/shop").text(
      "authentication of shop failed: hunter2!hunter2 (hunter2%21hunter2) over postgres://",
    );
    expect(shown).toBe("authentication of shop failed: (sensitive) ((sensitive)) over postgres://");
  });

  // Interface, "Deployment", "Service" and "Shared shapes": rnv decides on these words.
  it.each([
    ...["superseded", "cancelled", "preparing", "building", "deploying", "starting", "complete", "suspended"],
    ...["suspending", "checkout", "check-out", "payments", "purchase", "subscription", "subscriptions"],
  ])("keeps %s, by which states are told, though a value says the same", (word) => {
    expect(redacting(word).text(word)).toBe(word);
    expect(redacting(word).text(`it is ${word}.`)).toBe(`it is ${word}.`);
    // In other letters it is still the word, and with more around it a text that may hold a secret.
    expect(redacting(word.toUpperCase()).text(word)).toBe(word);
    expect(redacting(`${word}-hunter2`).text(`it is ${word}-hunter2`)).toBe("it is (sensitive)");
  });

  it.each([
    ...["error", "message", "reason", "blockedReason", "detail", "commitMessage", "actor", "trigger"],
    ...["status", "displayStatus", "lifecycleStatus", "healthStatus", "runtimeDetail"],
  ])("is masked in the field %s wherever it stands", (field) => {
    const body = { [field]: "x hunter2hunter2", list: [{ deep: { [field]: "hunter2hunter2" } }], other: 1 };
    expect(redacting("hunter2hunter2").body(body)).toEqual({
      [field]: "x (sensitive)",
      list: [{ deep: { [field]: "(sensitive)" } }],
      other: 1,
    });
  });

  it("is masked where it is free, and kept where it is compared", () => {
    const body = {
      deployment: {
        id: "hunter2hunter2",
        error: "bad hunter2hunter2",
        steps: [{ message: "hunter2hunter2" }],
      },
      service: { name: "hunter2hunter2", configuration: { error: "hunter2hunter2" } },
    };
    expect(redacting("hunter2hunter2").body(body)).toEqual({
      deployment: { id: "hunter2hunter2", error: "bad (sensitive)", steps: [{ message: "(sensitive)" }] },
      service: { name: "hunter2hunter2", configuration: { error: "hunter2hunter2" } },
    });
  });
});

describe("bodies that were handed out before any secret was known", () => {
  const said = (message: string) => ({ error: { message } });
  const early = (bodies: readonly unknown[]) => {
    const redactor = new Redactor(new Secret("rnv_0123456789"));
    for (const body of bodies) redactor.body(body);
    return redactor;
  };

  it("are looked through once the first is learnt", () => {
    const bodies = [said("nothing"), said("A=a-long-token"), said("nothing")];
    expect(early(bodies).add([new Secret("a-long-token")])).toBe(true);
    const redactor = early([said("nothing")]);
    expect(redactor.add([new Secret("a-long-token")])).toBe(false);
    redactor.body(said("A=another-token"));
    expect(redactor.add([new Secret("another-token")])).toBe(false);
  });

  it("are masked as deep as an answer may lie, and no deeper", () => {
    const nested = (depth: number): Record<string, unknown> =>
      depth === 0 ? { error: "a-long-token" } : { inner: nested(depth - 1) };
    const innermost = (body: Record<string, unknown>, depth: number): unknown => {
      let found: Record<string, unknown> = body;
      for (let at = 0; at < depth; at += 1) found = found.inner as Record<string, unknown>;
      return found.error;
    };
    const redactor = early([]);
    redactor.add([new Secret("a-long-token")]);
    for (const [depth, shown] of [
      [0, "(sensitive)"],
      [32, "(sensitive)"],
      [33, "a-long-token"],
    ] as const) {
      expect(innermost(redactor.body(nested(depth)), depth)).toBe(shown);
    }
  });
});
