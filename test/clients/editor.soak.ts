import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { oneScenario } from "../support/cli";
import { type LanguageServer, startLanguageServer } from "./language-server";
import { describeWith, paths } from "./programs";

const schemas = resolve(__dirname, "../../schemas");
const manifestSchema = join(schemas, "manifest.schema.json");
const [goodText = "", badText = ""] = readFileSync(join(__dirname, "editor/manifests.yaml"), "utf8").split(
  "\nbad:",
);
const manifestsIn = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => (line.startsWith("  - ") ? [`${line.slice(4)}\n`] : []));
const [good, bad] = [manifestsIn(goodText), manifestsIn(badText)];
const all = [...good, ...bad];

const full = readFileSync(resolve(__dirname, "../../examples/manifest/rnv.yaml"), "utf8");
const program = `const Ajv = require(process.argv[1]).default; const { readFileSync } = require("node:fs");
const { schemas, values } = JSON.parse(readFileSync(0, "utf8"));
const checks = schemas.map((one) => new Ajv({ strict: true }).compile(JSON.parse(readFileSync(one, "utf8"))));
console.log(JSON.stringify(values.map((value) => checks[0](value))));`;

function byAjv(files: readonly string[], values: readonly unknown[] = []): readonly boolean[] {
  const input = JSON.stringify({ schemas: files, values });
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", program, String(paths.ajv)], {
    input,
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout);
}

const share = (left: readonly boolean[], right: readonly boolean[]): number =>
  left.filter((one, i) => one === right[i]).length / left.length;

describeWith(["ajv", "node-24", "yaml-language-server"], () => {
  const cli = oneScenario();
  let server: LanguageServer;
  const validated: boolean[] = [];
  beforeAll(async () => {
    server = await startLanguageServer(manifestSchema);
    for (const manifest of all) {
      cli.write("rnv.yaml", manifest);
      validated.push((await cli.run("validate")).code === 0);
    }
  }, 300_000);
  afterAll(() => {
    server.close();
    return cli.close();
  });

  it("ajv compiles every published schema in strict mode", () => {
    expect(byAjv(readdirSync(schemas).map((name) => join(schemas, name)))).toEqual([]);
  });

  it("rnv validate, ajv and the language server agree about 150 manifests", async () => {
    const byServer: boolean[] = [];
    for (const [i, manifest] of all.entries())
      byServer.push((await server.open(`m${i}`, manifest)).length === 0);
    expect(all).toHaveLength(150);
    expect(share(validated, [...good.map(() => true), ...bad.map(() => false)])).toBeGreaterThan(0.95);
    expect(
      share(
        validated,
        byAjv(
          [manifestSchema],
          all.map((text) => parse(text, { merge: true })),
        ),
      ),
    ).toBeGreaterThan(0.95);
    expect(share(validated, byServer)).toBeGreaterThan(0.95);
  }, 120_000);

  it("offers the usual words, and heads a hover once", async () => {
    const text =
      'services:\n  a:\n    kind: web\n    configuration:\n      plan: free\n      runtime: auto\n      region: auto\n      autoDeploy: "off"\n      scaling: manual\n      port: 80\n    variables: { A: text }\n    lifecycle: {}\n';
    expect(await server.open("words", text)).toEqual([]);
    const offered = async (key: string) => await server.words("words", text, `${key}: `);
    expect(await offered("kind")).toEqual(["web", "static"]);
    expect(await offered("plan")).toContain("free");
    expect(await offered("runtime")).toEqual(expect.arrayContaining(["auto", "python"]));
    expect(await offered("region")).toContain("auto");
    expect(await offered("autoDeploy")).toContain('"off"');
    expect(await offered("scaling")).toContain("manual");
    await server.open("full", full);
    for (const [name, shown] of [
      ["words", text],
      ["full", full],
    ] as const)
      for (const [i, line] of shown.split("\n").entries()) {
        const column = line.search(/[^\s-]/);
        const told = column < 0 || line[column] === "#" ? "" : await server.hover(name, i, column);
        expect({ line, heading: told.split("\n")[0] }).toEqual({
          line,
          heading: expect.not.stringContaining("||"),
        });
      }
  }, 60_000);

  it("the schema of a workspace offers the words of its catalog", async () => {
    const { code, stdout } = await cli.run("schema", "manifest", "--from-catalog");
    expect(code).toBe(0);
    const { service } = JSON.parse(stdout).definitions;
    expect(service.properties.kind.examples).toEqual(expect.arrayContaining(["web", "worker", "postgres"]));
  });
});
