import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "../../../src/model/address";
import { Secret } from "../../../src/model/secret";
import { UnreadSecret } from "../../../src/model/value";
import { rowsIn } from "../../support/rows";
import { shownTexts } from "../../support/shown-texts";
import { itInSoak } from "../../support/soak";
import { briefs, folderWith, load, loadText } from "../manifest/load";

const secretText = "s3cr3t-value";

const variable = (value: string) => `services:\n  api:\n    kind: web\n    variables:\n      KEY: ${value}\n`;

const node = (script: string) => `{ fromCommand: ["${process.execPath}", "-e", "${script}"] }`;

const print = (found: Awaited<ReturnType<typeof load>>) =>
  found.desired?.resources.get("variable.api.KEY" as Address)?.attributes.get("value")?.value;

const isSecret = (value: unknown, text: string) => {
  const key = Buffer.from("key");
  expect(value).toBeInstanceOf(Secret);
  expect((value as Secret).fingerprint(key, "")).toBe(new Secret(text).fingerprint(key, ""));
};

describe("a secret", () => {
  it.each(rowsIn(join(__dirname, "mistakes.tsv")))("cannot come from %s", async (_, value, expected) => {
    const cwd = folderWith({ "project/rnv.yaml": variable(value), "outside.txt": secretText });
    const found = await load(join(cwd, "project"), { environment: { EMPTY: "" } });
    expect(briefs(found)[0]).toBe(expected);
    expect(found.desired).toBeUndefined();
    expect(JSON.stringify([found.diagnostics, shownTexts(found)])).not.toContain(secretText);
  });

  it("is the text of a file without a byte order mark and the last line end", async () => {
    const cwd = folderWith({ "a.txt": "\ufefftext\r\n", "rnv.yaml": variable("{ fromFile: a.txt }") });
    isSecret(print(await load(cwd)), "text");
  });

  // "arrives as its digits and characters were, or is an error" (DESIGN section 3)
  it.each([
    ["/id", "12345678901234567890"],
    ["/price", "1.10"],
    ["/large", "-1E400"],
    ["/text", 'say "5"'],
    ["/list/1", "007"],
    ["/flag", "true"],
  ])("keeps the digits and characters of the JSON at %s", async (pointer, text) => {
    const json = String.raw`{"id":12345678901234567890,"price":1.10,"large":-1E400,"text":"say \"5\"","list":[1,"007"],"flag":true}`;
    const cwd = folderWith({
      "a.json": json,
      "rnv.yaml": variable(`{ fromCommand: [cat, a.json], json: ${pointer} }`),
    });
    isSecret(print(await load(cwd, { environment: { PATH: process.env.PATH } })), text);
  });

  it.each(["2026-11-30", "007", "1.10.2"])(
    "takes no text for JSON because it begins with digits: %s",
    async (text) => {
      const cwd = folderWith({
        "a.json": text,
        "rnv.yaml": variable('{ fromCommand: [cat, a.json], json: "" }'),
      });
      const { diagnostics } = await load(cwd, { environment: { PATH: process.env.PATH } });
      expect(diagnostics.map(({ summary }) => summary)).toEqual(['the command "cat" did not print JSON']);
    },
  );

  it.each(["{ fromEnv: LATIN }", '"x${env.LATIN}"'])(
    "is not read from bytes that are no UTF-8: %s",
    async (value) => {
      const { diagnostics } = await loadText(variable(value), { environment: { LATIN: "caf\ufffd" } });
      expect(diagnostics.map(({ summary }) => summary).join()).toContain("LATIN is not UTF-8 text");
    },
  );

  it("does not follow a link out of the project, unless its folder is allowed", async () => {
    const cwd = folderWith({
      "project/rnv.yaml": variable("{ fromFile: link.txt }"),
      "vault/key.txt": secretText,
    });
    symlinkSync(join(cwd, "vault/key.txt"), join(cwd, "project/link.txt"));
    const refused = await load(join(cwd, "project"));
    expect(refused.diagnostics.map(({ summary }) => summary)).toEqual([
      'the file "link.txt" is outside the project folder',
    ]);
    const environment = { RNV_SECRET_DIRS: `/nowhere:${join(cwd, "vault")}` };
    isSecret(print(await load(join(cwd, "project"), { environment })), secretText);
  });

  it("is an error with the exit code where its program fails, and the output is not shown", async () => {
    const script = `console.log('${secretText}');console.error('denied: ${secretText}');process.exitCode=3`;
    const { diagnostics } = await loadText(variable(node(script)));
    expect(diagnostics[0]?.summary).toMatch(/ended with exit code 3$/);
    expect(diagnostics[0]?.detail).toBe("It printed: denied: (sensitive)");
    const both = `${variable(node("process.exitCode=3"))}      B: ${node("process.exitCode=3")}\n`;
    expect((await loadText(both)).diagnostics).toHaveLength(1);
  });

  it.each([
    ["that the cut would split", "console.error('x'.repeat(490) + process.env.TOKEN)"],
    ["in an argument", "console.error(process.argv[1] + ' ' + process.argv[2].slice(8))"],
  ])("%s is not shown in the error of a program", async (_, script) => {
    const leak = `${script}; process.exitCode = 1`;
    const command = `["${process.execPath}", "-e", "${leak}", "argument-1", "--token=argument-2"]`;
    const found = await loadText(variable(`{ fromCommand: ${command}, env: [TOKEN] }`), {
      environment: { TOKEN: secretText },
    });
    expect(found.diagnostics[0]?.summary).toMatch(/ended with exit code 1$/);
    expect(JSON.stringify(found.diagnostics)).not.toMatch(/s3cr3t|argument-\d/);
  });

  it("is starred out of a file that does not parse", async () => {
    for (const broken of [
      `"${secretText}`,
      `{ a: "${secretText}" ]`,
      `|\n        ${secretText}\n    x: [`,
      `"\n${secretText}`,
    ]) {
      const found = await loadText(variable(broken));
      expect(found.diagnostics[0]?.code).toBe("manifest.syntax");
      expect(JSON.stringify([found.diagnostics, shownTexts(found)])).not.toContain(secretText);
    }
  });

  it.each([
    ["a dotenv file", `DB_PASSWORD=${secretText}\nAPI_TOKEN=x\n`],
    ["a list", `- DB_PASSWORD=${secretText}\n`],
    ["a bare word", `${secretText}\n`],
    ["a word in brackets", `[${secretText}\n`],
    ["a key that no block has", `services:\n  api:\n    kind: web\n    DB_PASSWORD: "${secretText}\n`],
    ["such a key in braces", `services: { api: { dependsOn: [a, b], DB_PASSWORD: ${secretText}\n`],
    ["a key without its colon", `services:\n  api:\n    DB_PASSWORD ${secretText}\n    kind: web\n`],
    ["a value below its key", `services:\n  api:\n    credentials:\n      A:\n        "${secretText}\n`],
    ["a tab", `services:\n  api:\n    runtimeEnv:\n\tDB_PASSWORD: ${secretText}\n`],
  ])("is starred out of a file that is not a manifest: %s", async (_, text) => {
    const found = await loadText(text);
    expect(found.desired).toBeUndefined();
    expect(JSON.stringify([found.diagnostics, shownTexts(found)])).not.toContain(secretText);
  });

  it("keeps the rest of such a file: names, known keys, comments", async () => {
    const text =
      "# see: https://x.y, a: b\n---\nservices:\n  api: { kind: web, dependsOn: [a, b] }\n   name: ${env.A}\n";
    const found = await loadText(text);
    expect(found.diagnostics[0]?.code).toBe("manifest.syntax");
    expect(shownTexts(found)).toContain(text);
  });

  it("is starred out below a misspelt key of such a file, which is shown up to there", async () => {
    const text = `${variable(secretText).replace("variables", "variabels")}    x: [\n`;
    const found = await loadText(text);
    expect(found.diagnostics[0]?.code).toBe("manifest.syntax");
    const shown = shownTexts(found).join("");
    expect(shown).not.toContain(secretText);
    expect(shown).toContain("kind: web\n");
  });

  it("is starred out below a misspelt or misplaced key, at a repeated key, and behind an alias", async () => {
    for (const text of [
      variable(secretText).replace("variables", "variabels"),
      `variables: { KEY: ${secretText} }\n`,
      `${variable("a")}      KEY: ${secretText}\n`,
      `${variable("a")}      key: ${secretText}\n      preserve: ${secretText}\n    knd: web\n`,
      `services:\n  api:\n    kind: web\n    description: &p ${secretText}\n    variables: { KEY: *p }\n`,
    ]) {
      const found = await loadText(text);
      expect(found.desired).toBeUndefined();
      expect(JSON.stringify([found.diagnostics, shownTexts(found)])).not.toContain(secretText);
    }
  });
});

describe("a secret that may be missing", () => {
  const present = { secrets: "present" } as const;
  const reason = async (value: string, more = {}) => {
    const found = await loadText(variable(value), { ...present, ...more });
    expect(found.diagnostics).toEqual([]);
    const secret = print(found);
    return secret instanceof UnreadSecret ? secret.reason : secret;
  };

  it.each([
    ["{ fromEnv: NO_SUCH }", "the environment variable NO_SUCH is not set"],
    ["{ fromEnv: EMPTY }", "the environment variable EMPTY is empty"],
    ["{ fromFile: none.txt }", 'cannot read the file "none.txt": it does not exist'],
    ["{ fromCommand: [no-such-program] }", 'the command "no-such-program" is not found'],
    ['"a${env.NO_SUCH}b"', "the environment variable NO_SUCH is not set"],
  ])("is left unread where its source is not here: %s", async (value, why) => {
    expect(await reason(value, { environment: { EMPTY: "" } })).toBe(why);
  });

  it.each(["{ fromEnv: RNV_API_KEY }", "{ fromFile: ../outside.txt }"])(
    "is a mistake still: %s",
    async (value) => {
      const cwd = folderWith({ "outside.txt": "x", "project/rnv.yaml": variable(value) });
      const found = await load(join(cwd, "project"), present);
      expect(found.diagnostics).toMatchObject([{ code: "manifest.secret_source" }]);
    },
  );

  it("keeps the dependencies of its resource", async () => {
    const text = `${variable('"${env.NO_SUCH}@${service.db.internalHost}"')}  db: { kind: web }\n`;
    const found = await loadText(text, present);
    const resource = found.desired?.resources.get("variable.api.KEY" as Address);
    expect(resource?.dependsOn).toContain("service.db");
  });
});

describe("the program of a secret", () => {
  it("is stopped where it prints too much", async () => {
    const found = await loadText(
      variable(node("console.log('x'.repeat(300_000)); setInterval(() => {}, 1000)")),
    );
    expect(found.diagnostics[0]?.summary).toContain("printed more than 262144 bytes");
  });

  it("has no input, and no variable of the environment but the usual variables", async () => {
    const script = "process.stdin.resume().on('end', () => console.log('end', ...Object.keys(process.env)))";
    const found = await loadText(variable(node(script)), { environment: { HOME: "/", OTHER: "x" } });
    isSecret(print(found), "end HOME");
  });

  itInSoak(
    "is stopped after 30 seconds",
    async () => {
      const found = await loadText(variable(node("setInterval(() => {}, 1000)")));
      expect(found.diagnostics[0]?.summary).toContain("did not end within 30 s");
    },
    60_000,
  );
});
