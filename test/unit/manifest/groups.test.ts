import { join } from "node:path";
import type { LoadedManifest } from "../../../src/declaration/load-request";
import { positionAt } from "../../../src/diagnostics/diagnostic";
import { Secret } from "../../../src/model/secret";
import { UnreadSecret } from "../../../src/model/value";
import { shownTexts } from "../../support/shown-texts";
import { briefs, copyOf, folderWith, load, loadText, mistakesIn } from "./load";

const key = Buffer.from("key");

/** Address, value or its source, and where it was written. */
const variables = (found: LoadedManifest): Record<string, string> =>
  Object.fromEntries(
    [...(found.desired?.resources.values() ?? [])]
      .filter(({ type }) => type === "variable")
      .map(({ address, attributes, range }) => {
        const value = attributes.get("value")?.value;
        const { line, column } = positionAt(range.source?.text ?? "", range.start);
        const said =
          value instanceof Secret
            ? value.fingerprint(key, "")
            : value instanceof UnreadSecret
              ? "unread"
              : "?";
        return [address.slice("variable.".length), `${said} ${range.file}:${line}:${column}`];
      })
      .sort(),
  );

const text = (value: string): string => new Secret(value).fingerprint(key, "");

describe("variableGroups and variablesFrom", () => {
  it("are ordinary variables of each service, at the places where they were written; later ones win", async () => {
    const found = await load(copyOf("groups/ordinary"));
    expect(briefs(found)).toEqual([]);
    expect(variables(found)).toEqual({
      "api.KEY": `${text("a b")} env/.env:3:1`,
      "api.LOG_LEVEL": `${text("warn")} rnv.yaml:5:22`,
      "api.OWN": `${text("x")} rnv.yaml:12:7`,
      "api.PORT": `${text("8080")} rnv.yaml:11:7`,
      "api.REGION": `${text("us")} env/.env:2:1`,
      "shop.db.LOG_LEVEL": `${text("info")} rnv.yaml:3:5`,
      "shop.db.PORT": `${text("80")} rnv.yaml:5:10`,
      "shop.db.REGION": `${text("eu")} rnv.yaml:4:5`,
      "worker.LOG_LEVEL": `${text("info")} rnv.yaml:3:5`,
      "worker.REGION": `${text("eu")} rnv.yaml:4:5`,
    });
  });

  it("hold all that a variable may: sources, references, the environment, blocks", async () => {
    const environment = { TOKEN: "t", STAGE: "live" };
    const found = await load(copyOf("groups/sources"), { environment });
    expect(briefs(found)).toEqual([]);
    const said = variables(found);
    expect(said["api.A"]).toBe(`${text("t")} rnv.yaml:3:5`);
    expect(said["api.B"]).toBe(`${text("file")} rnv.yaml:4:5`);
    expect(said["api.D"]).toBe(`${text("x-live")} rnv.yaml:6:5`);
    expect(said["api.F"]).toBe(`${text("live/none")} .env:1:1`);
    expect(said["api.TOKEN"]).toBe(`${text("t")} .env:2:1`);
    expect(found.desired?.resources.get("variable.api.C" as never)?.dependsOn).toContain("service.api");
  });

  it("are overlaid key by key; lists replace, and null takes away, also what a group brings", async () => {
    const found = await load(copyOf("groups/overlaid"), { files: ["a.yaml", "b.yaml"] });
    expect(briefs(found)).toEqual([]);
    expect(variables(found)).toEqual({
      "api.D": `${text("4")} b.yaml:1:38`,
      "worker.A": `${text("1")} a.yaml:1:29`,
      "worker.B": `${text("over")} b.yaml:1:29`,
      "worker.D": `${text("4")} b.yaml:1:38`,
      "worker.E": `${text("5")} b.yaml:1:56`,
    });
  });

  it.each(mistakesIn("variables-from.txt"))(
    "say what is wrong with %s, and where",
    async (_, lines, expected) => {
      const cwd = folderWith({
        "rnv.yaml": `variableGroups: { common: { LOG_LEVEL: info } }\nservices:\n  api:\n    kind: web\n${lines}`,
        "names.env": "A=1\na[1]=2\n",
        "dots.env": "a.b=1\na_b=2\n",
        "dot.env": "a.b=1\n",
        "own.env": "AWS_ACCESS_KEY_ID=1\nexport RNV_STATE_KEY=2\n",
        "empty.env": "",
        "lfs.env": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n",
        "gone.env": "A=$NOT_SET\n",
        ".git/config": "A=1\n",
        "sub/a": "",
      });
      const found = await load(cwd);
      expect(briefs(found).map((one) => `${one} | ${found.diagnostics[0]?.hint}`)).toEqual([expected]);
    },
  );

  it.each([
    { cwd: ".", files: ["infra/rnv.yaml"] },
    { cwd: "infra", files: [] },
  ])("come from the repository of a trusted manifest, else from its folder: $cwd", async (from) => {
    const variable = "variables: { K: { fromFile: ../k.txt } }";
    const folder = folderWith({
      ".git/HEAD": "",
      "infra/rnv.yaml": `stages: { p: { overlay: ../stages/p.yaml } }
services: { api: { kind: web, variablesFrom: [{ dotenv: ../shared.env }], ${variable} } }`,
      "stages/p.yaml": "services: { web: { kind: web, variablesFrom: [{ dotenv: p.env }] } }",
      "stages/p.env": "OF=p\n",
      "shared.env": "SHARED=1\n",
      "k.txt": "k",
    });
    const request = { files: from.files, stage: { name: "p" } };
    const found = await load(join(folder, from.cwd), request);
    expect(briefs(found)).toEqual([]);
    expect(Object.keys(variables(found))).toEqual(expect.arrayContaining(["api.K", "api.SHARED", "web.OF"]));
    const refused = await load(join(folder, from.cwd), { ...request, untrusted: true });
    const codes = new Set(refused.diagnostics.map(({ code }) => code));
    expect([...codes].sort()).toEqual(["guard.untrusted", "manifest.stage"]);
    expect(JSON.stringify(refused.diagnostics)).toContain("shared.env");
  });

  it("show no value of a group or a dotenv file in a code frame", async () => {
    const found = await load(copyOf("groups/hidden"));
    expect(found.diagnostics.length).toBeGreaterThan(0);
    const shown = shownTexts(found).join("\n");
    expect(shown).not.toContain("canary");
    expect(shown).toContain("&open { kind: wbe }");
    expect(shown).toContain("A=********");
  });

  it("do not stand in the merged text as values", async () => {
    const request = { environment: { C: "c" }, secrets: "skip" } as const;
    const found = await load(copyOf("groups/merged"), request);
    expect(briefs(found)).toEqual([]);
    const merged = found.merged?.() ?? "";
    expect(merged).not.toContain("canary");
    expect(merged).toContain("D: # (sensitive) text at .env:1:3");
    expect(merged).toContain("fromEnv: C");
  });
});

describe("free keys and merge keys", () => {
  it("hold anchors at the top and in every block, and are not read", async () => {
    const found = await load(copyOf("groups/free-keys"));
    expect(briefs(found)).toEqual([]);
    const api = found.desired?.resources.get("service.api" as never);
    expect(
      [...(api?.attributes ?? [])].map(([path, { value, range }]) => [
        path,
        value,
        range?.source?.text?.slice(range.start, range.end),
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["kind", "web", "web"],
        ["configuration.plan", "starter", "starter"],
        ["configuration.branch", "next", "next"],
      ]),
    );
    expect(api?.lifecycle.preventDestroy).toBe(true);
  });

  it("tell a mistake in a merged value at the place where it was written", async () => {
    const found = await load(copyOf("groups/merged-mistake"));
    expect(briefs(found)).toEqual(["manifest.invalid_type rnv.yaml:2:30 many"]);
  });
});

describe("fromCommand", () => {
  const script = `require("fs").appendFileSync("runs", "x"); console.log(JSON.stringify({ data: { "a/b": "hunter2", n: 2, t: true, e: "", l: ["z"] } }))`;
  const command = JSON.stringify([process.execPath, "-e", script]);
  const manifest = (values: Readonly<Record<string, string>>): string =>
    `services:\n  api:\n    kind: web\n    variables:\n${Object.entries(values)
      .map(([name, rest]) => `      ${name}: { fromCommand: ${command}${rest} }\n`)
      .join("")}`;

  it.each([
    [", json: /data/none", "printed no single value at /data/none"],
    [", json: /data/e", "printed no single value at /data/e"],
    [", json: /data", "printed no single value at /data"],
    [", json: /data/l", "printed no single value at /data/l"],
    [', json: ""', "printed no single value at the top"],
    [", json: data", "must be a JSON pointer, which begins with /$"],
    [", jsn: /data", 'has no key "jsn"'],
  ])("refuses %s", async (rest, expected) => {
    const found = await loadText(manifest({ A: rest }), { environment: process.env });
    expect(found.diagnostics.map(({ summary }) => summary).join()).toMatch(new RegExp(expected));
    expect(JSON.stringify(found.diagnostics)).not.toContain("hunter2");
  });

  it("does not quote what is no JSON", async () => {
    const shown = JSON.stringify([process.execPath, "-e", "console.log('hunter2 {')"]);
    const variable = `{ fromCommand: ${shown}, json: /a }`;
    const found = await loadText(`services: { api: { kind: web, variables: { A: ${variable} } } }\n`, {
      environment: process.env,
    });
    expect(found.diagnostics[0]?.summary).toContain("did not print JSON");
    expect(found.diagnostics.map(({ summary, detail }) => `${summary}${detail}`).join()).not.toContain(
      "hunter2 {",
    );
  });
});
