import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "../../../src/model/address";
import { UnreadSecret } from "../../../src/model/value";
import { briefs, folderWith, load, loadText } from "../manifest/load";

const api = (more: string) => `services:\n  api:\n    kind: web\n${more}`;
const variable = (value: string) => api(`    variables:\n      KEY: ${value}\n`);
const command = (script: string, more = "") =>
  variable(`{ fromCommand: [${JSON.stringify(process.execPath)}, -e, ${JSON.stringify(script)}]${more} }`);
const prints = (...names: readonly string[]) =>
  `process.exit([${names.map((name) => `process.env.${name}`).join(",")}].filter(Boolean).length)`;

/** Exit code of a command that ends with the number of these variables that it sees. */
const seenBy = async (
  names: readonly string[],
  environment: Record<string, string>,
  more = "",
): Promise<string | undefined> => {
  const { diagnostics } = await loadText(command(prints(...names), more), {
    environment: { PATH: process.env.PATH ?? "", ...environment },
  });
  return /printed nothing|exit code \d|is not given .*|no program is given it/.exec(
    diagnostics[0]?.summary ?? "",
  )?.[0];
};

const codes = async (text: string, options: Parameters<typeof loadText>[1] = {}) =>
  (await loadText(text, options)).diagnostics.map(({ code, summary }) => `${code}: ${summary}`);

describe("a command of the manifest", () => {
  const secrets = {
    RNV_API_KEY: "k",
    RNV_STATE_KEY: "k",
    AWS_SECRET_ACCESS_KEY: "k",
    GITHUB_TOKEN: "k",
    SHOP: "k",
  };

  it("is given none of our credentials, and nothing else that it does not need", async () => {
    expect(await seenBy(Object.keys(secrets), secrets)).toBe("printed nothing");
    expect(
      await seenBy(["HOME", "LANG", "LC_ALL", "TMPDIR"], {
        HOME: "/",
        LANG: "C",
        LC_ALL: "C",
        TMPDIR: "/tmp",
      }),
    ).toBe("exit code 4");
  });

  it("is given what its env lists, unless RNV_ALLOW_ENV lists other names", async () => {
    expect(await seenBy(["SHOP", "GITHUB_TOKEN"], secrets, ", env: [SHOP]")).toBe("exit code 1");
    expect(await seenBy(["SHOP"], { ...secrets, RNV_ALLOW_ENV: "SH*" }, ", env: [SHOP]")).toBe("exit code 1");
    expect(await seenBy(["SHOP"], { ...secrets, RNV_ALLOW_ENV: "OTHER" }, ", env: [SHOP]")).toBe(
      "is not given SHOP: RNV_ALLOW_ENV does not list it",
    );
    expect(await seenBy(["RNV_API_KEY"], secrets, ", env: [RNV_API_KEY]")).toBe("no program is given it");
  });

  it("shows nothing of what its env lists when it fails", async () => {
    const { diagnostics } = await loadText(
      command("console.error('bad ' + process.env.SHOP); process.exit(1)", ", env: [SHOP]"),
      { environment: { PATH: process.env.PATH ?? "", SHOP: "s3cr3t" } },
    );
    expect(diagnostics[0]?.detail).toBe("It printed: bad (sensitive)");
  });

  it.each([
    ["--untrusted", { untrusted: true }],
    ["RNV_ALLOW_COMMANDS=0", { environment: { RNV_ALLOW_COMMANDS: "0" } }],
  ] as const)(
    "is refused at its place where %s forbids it, and left unread where values may be",
    async (what, options) => {
      const cwd = folderWith({});
      const text = command(`require("fs").writeFileSync(${JSON.stringify(join(cwd, "ran"))}, "")`);
      const found = await loadText(text, options);
      expect(briefs(found)[0]).toMatch(/^guard\.untrusted rnv\.yaml:5:/);
      expect(found.diagnostics[0]?.summary).toMatch(`is not run: ${what} forbids it`);
      const present = await loadText(text, { ...options, secrets: "present" });
      expect(present.diagnostics).toEqual([]);
      const value = present.desired?.resources
        .get("variable.api.KEY" as Address)
        ?.attributes.get("value")?.value;
      expect(value).toBeInstanceOf(UnreadSecret);
    },
  );
});

describe("a manifest that is not trusted", () => {
  const environment = { SHOP: "text", STAGE: "pr", RNV_ALLOW_ENV: "STAGE" };

  it("reads only names of the environment that RNV_ALLOW_ENV lists", async () => {
    const untrusted = true;
    expect(await codes(variable("{ fromEnv: STAGE }"), { untrusted, environment })).toEqual([]);
    const refused = ["guard.untrusted: SHOP is not read for a manifest that is not trusted (--untrusted)"];
    expect(await codes(variable("{ fromEnv: SHOP }"), { untrusted, environment })).toEqual(refused);
    expect(await codes(variable('"x${env.SHOP}"'), { untrusted, environment })).toEqual(refused);
    expect(await codes(api("    name: x${env.SHOP:-y}\n"), { untrusted, environment })).toEqual(refused);
    expect(await codes(api("    name: x${env.STAGE}\n"), { untrusted, environment })).toEqual([]);
    expect(await codes(variable("{ fromEnv: SHOP }"), { environment })).toEqual([]);
  });

  it("reads no file outside of the project, RNV_SECRET_DIRS or not", async () => {
    const outside = folderWith({ "key.txt": "text" });
    const text = variable(`{ fromFile: ${join(outside, "key.txt")} }`);
    const allowing = { environment: { RNV_SECRET_DIRS: outside } };
    expect(await codes(text, allowing)).toEqual([]);
    expect(await codes(text, { ...allowing, untrusted: true })).toEqual([
      expect.stringMatching(/^guard\.untrusted: the file .* is not a file of the project folder/),
    ]);
  });
});

describe("fromFile", () => {
  it("refuses what rnv and git keep for themselves, by links and other names too", async () => {
    const cwd = folderWith({
      "key.txt": "rnv_key",
      "deploy/state.json": '{"format":"rnv-state"}',
      "deploy/state.json.journal": "x",
      "copy.json": '{\n  "format": "rnv-state", "x": 1 }',
    });
    for (const folder of [".git", ".rnv"]) {
      mkdirSync(join(cwd, folder));
      writeFileSync(join(cwd, folder, "config"), "text");
    }
    symlinkSync(join(cwd, ".git"), join(cwd, "history"));
    symlinkSync(join(cwd, "key.txt"), join(cwd, "key-link"));
    writeFileSync(join(cwd, "state.key"), "0".repeat(64));
    const tokens = {
      AWS_WEB_IDENTITY_TOKEN_FILE: "web.token",
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "container.token",
    };
    const environment = { RNV_API_KEY_FILE: "key.txt", RNV_STATE: "deploy/state.json", ...tokens };
    for (const token of Object.values(tokens)) writeFileSync(join(cwd, token), "t0ken");
    const names = [
      ...Object.values(tokens),
      ...["key.txt", "key-link", ".git/config", "history/config", ".rnv/config", "state.key"],
      ...["deploy/state.json", "deploy/state.json.journal", "copy.json"],
    ];
    for (const name of names) {
      writeFileSync(join(cwd, "rnv.yaml"), variable(`{ fromFile: ${name} }`));
      const { diagnostics } = await load(cwd, { environment });
      expect({ name, found: diagnostics.map(({ summary }) => summary) }).toEqual({
        name,
        found: [expect.stringMatching(/: it is no value of a service$/)],
      });
    }
    writeFileSync(join(cwd, "rnv.yaml"), variable("{ fromFile: .gitignore }"));
    writeFileSync(join(cwd, ".gitignore"), "text");
    expect((await load(cwd, { environment })).diagnostics).toEqual([]);
  });
});

describe("${env.X} where everybody reads it", () => {
  const environment = { GITHUB_TOKEN: "t", AWS_ACCESS_KEY_ID: "a", SHOP: "s", STAGE: "x" };

  it("refuses names of tokens and passwords, unless RNV_ALLOW_ENV lists them", async () => {
    const text = api("    configuration: { branch: 'x ${env.GITHUB_TOKEN}' }\n");
    expect(await codes(text, { environment })).toEqual([
      "manifest.secret_source: GITHUB_TOKEN looks like a secret and would be visible here",
    ]);
    expect(await codes(text, { environment: { ...environment, RNV_ALLOW_ENV: "GITHUB_TOKEN" } })).toEqual([]);
    expect(await codes(variable("${env.GITHUB_TOKEN}"), { environment })).toEqual([]);
    expect(await codes(api("    name: x${env.AWS_ACCESS_KEY_ID}\n"), { environment })).toEqual([
      "manifest.secret_source: AWS_ACCESS_KEY_ID is a credential and cannot be inserted into text",
    ]);
  });

  it("refuses credentials inside of text whether they are set or not, and names the source to write", async () => {
    const texts = [
      ...[
        "${env.AWS_ACCESS_KEY_ID:-pa55word}",
        "x${env.AWS_SECRET_ACCESS_KEY}",
        "${AWS_ACCESS_KEY_ID:-pa55word}",
      ],
      ...["${AWS_SESSION_TOKEN}", "${GITHUB_TOKEN-pa55word}"],
    ];
    for (const text of texts)
      for (const secrets of ["resolve", "present", "skip"] as const)
        for (const manifest of [
          variable(`"${text}"`),
          api(`    configuration: { startCommand: "${text}" }\n`),
        ]) {
          const { diagnostics } = await loadText(manifest, { secrets });
          const name = /[A-Z]\w+/.exec(text)?.[0];
          expect(diagnostics.map(({ hint }) => hint)).toEqual([
            `write { fromEnv: ${name} } as the whole value of a variable`,
          ]);
          const shown = [diagnostics[0]?.summary, diagnostics[0]?.range?.source?.text].join();
          expect(shown).not.toContain("pa55word");
        }
    expect(await codes(variable("${env.RNV_API_KEY:-x}"), { secrets: "skip" })).toEqual([
      "manifest.secret_source: RNV_API_KEY is a credential of rnv, not a value of a service",
    ]);
  });

  it("refuses names that the same manifest takes with fromEnv", async () => {
    const twice = (name: string) => `${variable(`{ fromEnv: SHOP }`)}    name: x\${env.${name}}\n`;
    expect(await codes(twice("SHOP"), { environment })).toEqual([
      "manifest.secret_source: SHOP is a secret, which this manifest takes with fromEnv, and would be visible here",
    ]);
    expect(await codes(twice("STAGE"), { environment })).toEqual([]);
  });
});
